// Loads the parts of the app. The build puts before this: `getSharedImports` and `wrapAsyncCb`, which every module
// needs, and PACKS, the files with their modules in order. After it come the functions that the app calls.

/** Packs by name and modules by name, as promises. A module that several packs hold is instantiated once. */
const packs = new Map();
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

/** The modules of a pack: their names and bytes. */
async function read(name) {
  const { file, holds } = PACKS[name];
  const response = await fetch(new URL(file, import.meta.url));
  if (!response.ok) throw new Error(`${file}: status ${response.status}`);
  const bytes = await response.arrayBuffer();
  let end = 0;
  const found = holds.map(([module, length]) => [module, bytes.slice(end, (end += length))]);
  if (end !== bytes.byteLength) throw new Error(`${file}: ${bytes.byteLength} bytes, not ${end}`);
  return found;
}

async function load(part) {
  const names = [...new Set([SHARED, part])];
  const held = (await Promise.all(names.map((name) => once(packs, name, () => read(name))))).flat();
  const instantiate = ([module, bytes]) =>
    once(modules, module, () => WebAssembly.instantiate(bytes, getSharedImports()));
  // The part's own module is the last one, and needs the others.
  const own = held.pop();
  await Promise.all(held.map(instantiate));
  await instantiate(own);
}
