// One file for one configuration: module, payload and this.
import { boot, fail, fallback, imports, load, places, settings, unpack } from './core.js';
import { begin } from './iab.js';
import { speak } from './speak.js';
import { port } from 'dom';

const published = places('__PLACET_CDN_URL__', '__PLACET_CDN_URL__');

// Few configurations need `iab.js` or `speak.js`. Without them the build leaves out every line of it.
let left;
const start = () => {
  // In here, so that nothing holds the whole once it is cut into lines.
  const payload = IAB || LANGUAGES ? left : __PLACET_PAYLOAD__;
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

const go = (payload) => {
  left = payload;
  start();
};
const take = (payload) => (IAB ? begin({ port, fail, load, published, text: payload, go }) : go(payload));
if (LANGUAGES) speak(__PLACET_PAYLOAD__, published, settings, take);
else if (IAB) take(__PLACET_PAYLOAD__);
else start();
