// One file for one configuration: module, payload and this.
import { boot, fail, fallback, imports, load, places, unpack } from './core.js';
import { begin } from './iab.js';
import { port } from 'dom';

places('__PLACET_CDN_URL__', '__PLACET_CDN_URL__');

// Without `iab.js`, which few configurations need, the build leaves out every line of it.
let left;
const start = () => {
  // In here, so that nothing holds the whole once it is cut into lines.
  const payload = IAB ? left : __PLACET_PAYLOAD__;
  const bytes = unpack(__PLACET_WASM__);
  const plainly = () => fallback((module) => boot(module(imports), payload));
  let wasm;
  try {
    wasm = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports;
  } catch (error) {
    // Some browsers compile only small modules on the main thread.
    return error instanceof RangeError
      ? WebAssembly.instantiate(bytes, imports).then((made) => boot(made.instance.exports, payload), plainly)
      : plainly();
  }
  boot(wasm, payload);
};

if (IAB)
  begin({ port, fail, load, published: '__PLACET_CDN_URL__' }, __PLACET_PAYLOAD__, (payload) => {
    left = payload;
    start();
  });
else start();
