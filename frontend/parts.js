// Loads the parts of the app. The build puts before this: `getSharedImports` and `wrapAsyncCb`, which every module
// needs, and PACKS, the files with their modules in order. After it come the functions that the app calls.

/** Parts and modules by name, as promises. Each is loaded once, though several packs hold a module. */
const parts = new Map();
const modules = new Map();

function once(known, name, make) {
  const present = known.get(name);
  if (present) return present;
  const made = make();
  known.set(name, made);
  // Another attempt begins anew.
  made.catch(() => known.delete(name));
  return made;
}

/** Fetches a pack and instantiates its modules that are not there yet. */
async function open(name) {
  const { file, holds } = PACKS[name];
  const response = await fetch(new URL(file, import.meta.url));
  if (!response.ok) throw new Error(`${file}: status ${response.status}`);
  const bytes = await response.arrayBuffer();
  let end = 0;
  const found = holds.map(([module, length]) => [module, new Uint8Array(bytes, end, length), (end += length)]);
  if (end !== bytes.byteLength) throw new Error(`${file}: ${bytes.byteLength} bytes, not ${end}`);
  // Its last module is the part itself, which needs the others.
  const own = name === SHARED ? undefined : found.pop();
  await Promise.all(found.map(instantiate));
  return own;
}

const instantiate = ([module, bytes]) =>
  once(modules, module, () => WebAssembly.instantiate(bytes, getSharedImports()));

function load(part) {
  return once(parts, part, async () => {
    const [own] = await Promise.all([open(part), once(parts, SHARED, () => open(SHARED))]);
    await instantiate(own);
  });
}
