// What every delivery shares: the public object, the port that the module calls back through,
// the Trusted Types policy, starting, and saying once that it did not start.
import * as core from 'core';
import { guard, method, port } from 'dom';

export { imports } from 'core-imports';

export const settings = window.placetSettings || (window.placetSettings = {});

const script = document.currentScript;
const policy = (() => {
  try {
    return trustedTypes.createPolicy('placet', {
      createHTML: (html) => html,
      createScriptURL: (url) => url,
    });
  } catch {}
})();

const layerName = () => settings.dataLayerName || 'dataLayer';
const layer = () => (window[layerName()] = window[layerName()] || []);

// Listeners, and what those that come late are told again.
let listeners = [];
let told = {};
const names = (pattern, event) =>
  pattern == event || (pattern.endsWith('*') && event.startsWith(pattern.slice(0, -1)));

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
};

Object.assign(port, {
  settings,
  emit: (event, detail) => {
    if (event == 'ready' || event == 'cookies:complete') told[event] = detail;
    for (const [pattern, callback] of listeners.slice())
      if (names(pattern, event)) guard(callback, detail, event);
  },
  forget: () => delete told['cookies:complete'],
  preview: PREVIEW,
  handleEvent: method(core.handle_event),
  random: () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => (byte + 256).toString(16).slice(1)).join(''),
  html: (html) => (policy ? policy.createHTML(html) : html),
  // Past the first paint: moving the focus forces a layout.
  later: () => requestAnimationFrame(() => setTimeout(method(core.focus_title))),
  post: (url, body) => {
    fetch(url, { method: 'POST', keepalive: true, credentials: 'omit', body }).then(
      (answer) => method(core.posted)(answer.status),
      () => method(core.posted)(0),
    );
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
  console.error('Placet: the consent widget did not start (' + why + '). Nothing is allowed, the page is as it was.');

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
  new MutationObserver(() => method(core.scan)()).observe(document, { childList: true, subtree: true });
};

// Where WebAssembly is refused: the same module as JavaScript, from the same origin.
export const fallback = (base, start) => {
  const element = document.createElement('script');
  const url = base + '/sdk/' + FALLBACK;
  window.placetModule = start;
  element.nonce = settings.nonce || (script && script.nonce);
  element.onerror = () => fail(url + ' is missing');
  element.src = policy ? policy.createScriptURL(url) : url;
  document.head.append(element);
};
