// The live preview of the admin UI: the same module, fed by a draft, telling its parent what is
// shown and clicked. It runs in a sandboxed frame; the module is told to store and post nothing.
import { boot, imports, unpack } from './core.js';
import { port } from 'dom';
import { answered } from './answered.js';
import { decode } from './codec.js';
import { details } from './details.js';
import { farewell } from './farewell.js';
import { facts, flag, frameworks, isFramework, vendors } from './facts.js';
import { fold } from './fold.js';

const bytes = unpack(__PLACET_WASM__);
const lines = __PLACET_PAYLOAD__.split('\n');
const first = __PLACET_STEP__;
const returning = __PLACET_RETURNING__;
const later = __PLACET_LATER__;
const tell = (step, part, vendor) => parent.postMessage({ placetPreview: { step, part, vendor } }, '*');

port.preview = true;
// All is here that a page would load.
port.more = (job) => {
  if (port.root) farewell(port);
  if (job.part == 'more') details(port, async () => JSON.parse(later || '{}'), job);
  // The module sets the switches when this call has ended.
  else if (job.localName == 'button') fold(port, job);
  if (returning && job.localName == 'button') answered(port, async () => JSON.parse(later || '{}'), job);
};
// A visitor who has refused all a moment ago. The frame has no cookies that could say so.
if (returning) {
  const now = new Date().toISOString();
  port.stored = () => ({
    ...Object.fromEntries(vendors(port.payload.split('\n')).map(([name]) => [name, false])),
    $$completed: true, $$projectId: facts(port).project, $$date: now, $$duration: 1, $$token: '…',
  });
}

// IAB's frameworks, without their API: the module knows nothing of them, and the layers behind the first one find all
// that a page would load in the document.
const framework = isFramework(lines.join('\n')) && { about: frameworks(lines), text: lines.pop() };
if (framework) lines.pop();
let layers;
const layer = (sdk, name) => {
  const { files, layers: script } = JSON.parse(later || '{}');
  if (!script || !framework.about.flags.includes(flag.TCF)) return;
  layers ||= new Promise((done, failed) => {
    // Nobody's server is asked for a draft.
    window.fetch = async (url) => (/\/v1\//.test(url) ? Response.error() : { ok: true, text: async () => files[String(url).slice(1)] ?? later });
    const all = decode(framework.text);
    const shown = { features: [], purposes: [], interests: all.interests, consents: [], claims: all.claims, provided: [], services: [] };
    const element = document.createElement('script');
    const { about } = framework;
    element.placet = {
      port, sdk, published: '', about, all, life: () => about.days, isLong: () => false, done, failed,
      draft: () => shown, isAnswered: () => returning,
    };
    element.nonce = document.querySelector('script[nonce]').nonce;
    element.text = script;
    document.head.append(element);
  });
  layers.then((it) => it.open(name));
};

// The frame is drawn anew while somebody types beside it: it takes no focus and does not move, but for an entrance that
// was just chosen.
HTMLElement.prototype.focus = () => {};
let enters;
const still = () => enters || port.root.getAnimations().forEach((one) => one.finish());
const enter = () => {
  for (const one of port.root?.querySelectorAll('.w,.o') ?? []) {
    one.style.animation = 'none';
    // An element that is measured has begun without it.
    one.getBoundingClientRect();
    one.style.animation = '';
  }
};

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
      // Visitors who have answered may close the first layer of TCF as well.
      if (returning) port.root.querySelector('[part=close]')?.removeAttribute('hidden');
      still();
      enters = false;
      tell(step, null);
    });
    sdk.on('ready', () => {
      // The button, or nothing: there is no step to tell of.
      if (returning) tell(null, null);
      else if (first) sdk.openCookies(first);
    });
    if (!returning) sdk.on('close', () => setTimeout(() => {
      enters = true;
      sdk.openCookies();
    }, 900));
    addEventListener('message', (message) => {
      const told = message.source == parent && message.data;
      if (told?.placetPreviewStep) sdk.openCookies(told.placetPreviewStep);
      // Not before the frame is seen.
      if (told?.placetPreviewEnters) requestAnimationFrame(enter);
    });
    document.addEventListener(
      'click',
      (event) => {
        const path = event.composedPath();
        const opens = framework && path.find((node) => node.dataset?.layer);
        if (opens) layer(sdk, opens.dataset.layer);
        // Fields beside the preview would draw it anew, and close the layer.
        if (opens || port.root?.querySelector('.tl')) return;
        const at = path.find((node) => node.part && node.part.length);
        // These open something here. The form beside the preview would draw it anew.
        if (at && !['more', 'reopen'].includes(at.part.value)) tell(step, at.part.value, at.dataset.vendor);
      },
      true,
    );
  });
  boot(made.instance.exports, lines.join('\n'));
});
