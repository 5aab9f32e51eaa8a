// The live preview of the admin UI: the same module, fed by a draft, telling its parent what is
// shown and clicked. It runs in a sandboxed frame; the module is told to store and post nothing.
import { boot, imports, unpack } from './core.js';
import { port } from 'dom';
import { details } from './details.js';

const bytes = unpack(__PLACET_WASM__);
const payload = __PLACET_PAYLOAD__;
const first = __PLACET_STEP__;
const later = __PLACET_LATER__;
const tell = (step, part, vendor) => parent.postMessage({ placetPreview: { step, part, vendor } }, '*');

port.preview = true;
// All is here that a page would load.
port.more = (job) => job.part == 'more' && details(port, async () => JSON.parse(later || '{}'), job);

// The frame is drawn anew while somebody types beside it: it takes no focus and does not move.
HTMLElement.prototype.focus = () => {};
const still = () => document.getElementById('placet').shadowRoot.getAnimations().forEach((one) => one.finish());

const sheet = new CSSStyleSheet();
sheet.replaceSync(
  'html{color-scheme:light;background:#eef0f4;--b:#dfe3ea}html[data-scheme=dark]{color-scheme:dark;background:#0d0f13;--b:#1b1f27}' +
    'body{margin:0;min-height:100vh;background:linear-gradient(var(--b) 0 0) 32px 32px/44% 28px no-repeat,linear-gradient(var(--b) 0 0) 32px 84px/calc(100% - 64px) 200px no-repeat,' +
    'linear-gradient(var(--b) 0 0) 32px 312px/80% 12px no-repeat,linear-gradient(var(--b) 0 0) 32px 340px/66% 12px no-repeat,linear-gradient(var(--b) 0 0) 32px 368px/72% 12px no-repeat}',
);
document.adoptedStyleSheets = [sheet];

WebAssembly.instantiate(bytes, imports).then((made) => {
  let step = null;
  (window._placet = window._placet || []).push((sdk) => {
    sdk.on('cookies:step:change', (now) => {
      step = now.step;
      still();
      tell(step, null);
    });
    sdk.on('ready', () => {
      if (first) sdk.openCookies(first);
    });
    sdk.on('close', () => setTimeout(() => sdk.openCookies(), 900));
    addEventListener('message', (message) => {
      const name = message.source == parent && message.data && message.data.placetPreviewStep;
      if (name) sdk.openCookies(name);
    });
    document.addEventListener(
      'click',
      (event) => {
        const at = event.composedPath().find((node) => node.part && node.part.length);
        if (at) tell(step, at.part.value, at.dataset.vendor);
      },
      true,
    );
  });
  boot(made.instance.exports, payload);
});
