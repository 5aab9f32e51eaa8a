// One file for one configuration: module, payload and this.
import { boot, fallback, imports, places, unpack } from './core.js';

places('__PLACET_CDN_URL__', '__PLACET_CDN_URL__');

const start = () => {
  // In here, so that nothing holds the whole once it is cut into lines.
  const payload = __PLACET_PAYLOAD__;
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

start();
