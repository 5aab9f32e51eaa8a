// What every delivery shares: the public object, the port that the module calls back through,
// the Trusted Types policy, starting, and saying once that it did not start.
import * as core from 'core';
import { guard, method, port } from 'dom';

export { imports } from 'core-imports';

export const settings = window.placetSettings || (window.placetSettings = {});

const script = document.currentScript;
const same = (text) => text;
let policy = { createHTML: same, createScriptURL: same };
try {
  policy = trustedTypes.createPolicy('placet', policy);
} catch {}

const layerName = () => settings.dataLayerName || 'dataLayer';
const layer = () => (window[layerName()] = window[layerName()] || []);

// Listeners, and what those that come late are told again.
let listeners = [];
let told = {};
const names = (pattern, event) =>
  pattern == event || (pattern.endsWith('*') && event.startsWith(pattern.slice(0, -1)));

// Where the SDK's own files are, and the published ones.
let own;
let published;
export const places = (sdk, cdn) => ([own, published] = [sdk, cdn]);

// Parts that few visitors need come when they are needed. Each finds `argument` at its element.
const load = (file, argument) => {
  if (PREVIEW) return;
  const element = document.createElement('script');
  const url = own + '/sdk/' + file;
  element.placet = argument;
  element.nonce = settings.nonce || (script && script.nonce);
  element.onerror = () => fail(url + ' is missing');
  element.src = policy.createScriptURL(url);
  document.head.append(element);
};

// Consent and contract boxes, as soon as the page has one or asks for one.
let boxes;
const need = () =>
  (boxes = boxes || new Promise((done) => load(BOXES, { sdk, port, published, done, flush: method(core.flush) })));

const sdk = {
  settings,
  on: (pattern, callback, options) => {
    listeners.push([pattern, callback]);
    if (!options || options.replay !== false)
      for (const event in told) if (names(pattern, event)) guard(callback, told[event], event);
  },
  off: (pattern, callback) => {
    listeners = listeners.filter((one) => one[0] != pattern || (callback && one[1] != callback));
  },
  openCookies: method(core.open_cookies),
  requestConsent: method(core.request_consent),
  hasAcceptedVendor: method(core.has_accepted_vendor),
  getChoices: method(core.get_choices),
  setToken: method(core.set_token),
  clear: method(core.clear),
  openContract: (id) => need().then((boxes) => boxes.open(id)),
};

Object.assign(port, {
  settings,
  emit: (event, detail) => {
    const before = told[event];
    if (event == 'ready' || event == 'cookies:complete') told[event] = detail;
    for (const [pattern, callback] of listeners.slice())
      if (names(pattern, event)) guard(callback, detail, event);
    // Taken back: cookies go, and what still runs can be stopped.
    const gone = Object.keys(before || {}).filter((vendor) => before[vendor] && !detail[vendor]);
    if (gone[0]) load(WITHDRAW, { sdk, port, published, gone });
  },
  forget: () => delete told['cookies:complete'],
  preview: PREVIEW,
  handleEvent: method(core.handle_event),
  random: () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => (byte + 256).toString(16).slice(1)).join(''),
  html: (html) => policy.createHTML(html),
  // Past the first paint: moving the focus forces a layout.
  later: () => requestAnimationFrame(() => setTimeout(method(core.focus_title))),
  idle: () => (window.requestIdleCallback || setTimeout)(method(core.scan), { timeout: 300 }),
  post: (url, body) => {
    fetch(url, { method: 'POST', keepalive: true, credentials: 'omit', body })
      .then((answer) => answer.status, () => 0)
      .then(method(core.posted));
  },
  // Google's tag wants the arguments object itself.
  consent: (signals) => (function () { layer().push(arguments); })('consent', 'update', signals),
  event: (data) => (settings.triggerGTMEvents || window[layerName()]) && settings.triggerGTMEvents !== false && layer().push(data),
});

// A string whose characters are the module's bytes.
export const unpack = (text) => {
  let i = text.length;
  const bytes = new Uint8Array(i);
  while (i--) bytes[i] = text.charCodeAt(i);
  return bytes;
};

export const fail = (why) =>
  console.error('Placet: ' + why + '. Nothing is allowed.');

export const boot = (wasm, payload) => {
  core.__wbg_set_wasm(wasm);
  port.payload = payload;
  core.learn();
  if (!method(core.start)()) return fail('unknown payload');
  window.placetSDK = sdk;
  const queue = window._placet || [];
  for (let i = 0; i < queue.length; i++) guard(queue[i], sdk);
  window._placet = { push: (callback) => guard(callback, sdk) };
  method(core.ready)();
  // Parts of the page that come later, from the parser or from the site's own code.
  const look = () => document.querySelector('[data-placet-processing],[data-placet-contract]') && need();
  new MutationObserver(() => (method(core.scan)(), look())).observe(document, { childList: true, subtree: true });
  look();
  if (location.search.includes('placet-debug')) load(DEBUG, { sdk, port });
};

// Where WebAssembly is refused: the same module as JavaScript, from the same origin.
export const fallback = (start) => load(FALLBACK, start);
