// Loads the parts of the app. The build puts before this: `getSharedImports` and `wrapAsyncCb`, which every module
// needs; LENGTHS, the bytes of all modules; and PACKS, the files with their modules in order, as runs of places in LENGTHS:
// a place, how many, the next place. After it come the functions that the app calls.

/** Parts by name and modules by place, as promises. Each is loaded once, though several packs hold a module. */
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
  const { file, runs } = PACKS[name];
  const response = await fetch(new URL(file, import.meta.url));
  if (!response.ok) throw new Error(`${file}: status ${response.status}`);
  const bytes = await response.arrayBuffer();
  let end = 0;
  const found = [];
  for (let run = 0; run < runs.length; run += 2) {
    for (let module = runs[run]; module < runs[run] + runs[run + 1]; module++) {
      found.push([module, new Uint8Array(bytes, end, LENGTHS[module])]);
      end += LENGTHS[module];
    }
  }
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
