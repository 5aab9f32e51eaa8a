// Code that every form of the SDK shares: the public object, the port that the module calls back through,
// the Trusted Types policy, starting, and saying once that it did not start.
import * as core from 'core';
import { give, guard, port, table } from 'dom';
import { FACTS, hosts, STYLE, vendors } from './facts.js';
import { isObject } from './page.js';
import { isOfReact } from './react.js';

export { imports } from 'core-imports';

// Markup is not the page's word: it may be a stranger's.
if (!isObject(window.placetSettings)) window.placetSettings = {};
export const settings = window.placetSettings;
// The API takes texts, and sites have numbers.
if (settings.token) settings.token += '';

const same = (text) => text;
let policy = { createHTML: same, createScriptURL: same };
// A second snippet may not make it again, and few sites need one: `boot` tells where it is missing.
try {
  policy = trustedTypes.createPolicy('placet', policy);
} catch {}

// The browser's own: a page may have something else of that name.
export const Promise = (async () => {})().constructor;

// Not now: a click paints first, and so does what the page itself is drawing.
const later = (task) => (window.requestIdleCallback || setTimeout)(task, { timeout: 300 });

// When what has changed is on the screen. A page that nobody sees is not painted.
const painted = (task) => requestAnimationFrame(() => setTimeout(task));

// The second click of a double click must not reach what has been below the widget.
const shield = document.createElement('div');
const cover = () => {
  shield.style = 'position:fixed;inset:0;z-index:2147483647';
  document.body.append(shield);
  setTimeout(() => shield.remove(), 350);
};

const layerName = () => settings.dataLayerName || 'dataLayer';
const layer = () => (window[layerName()] ||= []);

// A function of the module as one of the site: values become numbers on the way in, a number its
// value on the way out.
const method = (name) => (...values) => {
  const mark = table.length;
  try {
    return table[core.wasm[name](...values.map(give))];
  } finally {
    table.length = mark;
  }
};

// Listeners, and what those that come late are told again.
let listeners = [];
let told = { __proto__: null };
const names = (pattern, event) =>
  pattern == event || (pattern.endsWith('*') && event.startsWith(pattern.slice(0, -1)));

// Addresses of the SDK's own files, and of the published files.
let own;
let published;
export const places = (sdk, cdn) => ((own = sdk + '/sdk/'), (published = settings.configUrl || cdn));

// Parts that few visitors need come when they are needed. Each finds at its element what it works with.
export const load = (file, more) => {
  if (PREVIEW) return;
  const element = document.createElement('script');
  element.placet = { sdk, port, published, ...more };
  // All scripts of a page have the same.
  element.nonce = settings.nonce || document.querySelector('script[nonce]')?.nonce;
  element.onerror = () => fail(file + ' is missing');
  element.src = port.url(own + file);
  document.head.append(element);
  return element;
};

// Gives `more.js` a job: unusual gated elements, the writing of a script, a page that stands still behind
// a dialog, a countdown. Few pages need it.
let jobs;
const more = (job) => (jobs ? jobs.push(job) : load(MORE, { jobs: (jobs = [job]) }));

// Tells `odd.js` of something missing in an old browser, of a mistake of the site, of a script of React's, or of the
// twin of a script that may never start.
const odd = (name, job) => load(ODD, { name, job });

// Consent and contract boxes, as soon as the page has one or asks for one.
let boxes;
const need = () =>
  (boxes ||= new Promise((done) => load(BOXES, { done, flush: method(core.flush) })));

// Vendors that have been allowed: 1 on this page, 0 on an earlier one. They stay noted until their
// cookies are gone, since a consent may be taken back by a signal, on another page, or while what
// deletes them cannot be loaded, and may just run out.
const ran = {};
const tidy = () => {
  if (PREVIEW) return;
  const now = sdk.getChoices();
  let noted;
  try {
    noted = localStorage.placet_ran;
    noted?.split(',').forEach((vendor) => (ran[vendor] ||= 0));
  } catch {}
  for (const vendor in now) if (now[vendor] === true) ran[vendor] = 1;
  const all = Object.keys(ran);
  try {
    // Most pages have nothing new to note, and writing is slower than reading.
    if (all[0] && all != noted) localStorage.placet_ran = all;
  } catch {}
  const gone = all.filter((vendor) => now[vendor] === false);
  if (gone[0]) load(WITHDRAW, { gone, ran });
};

// The widget's style sheets: what the reopen button needs, which most visitors see and nothing else, and
// the rest. Constructed style sheets are no inline style: they work under every style-src.
let styles;
const sheets = [];

const sdk = {
  settings,
  on: (pattern, callback, options) => {
    listeners.push([pattern, callback]);
    if (options?.replay !== false)
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
  nonce: document.currentScript?.nonce,
  // Answers of this page that the API has not acknowledged.
  pending: [],
  emit: (event, detail) => {
    if (event == 'clear') delete told['cookies:complete'];
    if (/ready|complete|signals/.test(event)) told[event] = detail;
    for (const [pattern, callback] of [...listeners])
      if (names(pattern, event)) guard(callback, detail, event);
  },
  handleEvent: method(core.handle_event),
  random: () => (+new Date).toString(16).padStart(12, 0) + [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => (byte + 256).toString(16).slice(1)).join(''),
  dress: (root, wholly) => {
    // Read once for all, so the longest line need not stay.
    styles ||= port.shown.splice(STYLE, 1, '')[0].split('/**/');
    while (styles[0] && (wholly || !sheets[0])) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(styles.shift());
      sheets.push(sheet);
    }
    root.adoptedStyleSheets = sheets;
  },
  html: (html = '') => policy.createHTML(html),
  url: (url) => policy.createScriptURL(url),
  load,
  more,
  odd,
  // Puts a script in that starts there. To write into a page that has been read would wipe it. One of React's is
  // left to a part of the SDK, whose element this gives back. The twin of any other tells if it can start at all.
  run: (script, put = () => (isOfReact(script) ? odd('', script) : ((port.twin = script.cloneNode()), script.after(script)))) => {
    const page = window.document;
    const { write, writeln } = page;
    let html = '';
    page.write = page.writeln = (...texts) => { html += texts.join(''); };
    const part = put();
    page.write = write;
    page.writeln = writeln;
    if (html) more({ script, html });
    return part;
  },
  // Values as they are, whatever `toJSON` a page has put on the prototypes.
  json: (value) => JSON.stringify(value, function (key) { return this[key]; }),
  // Text of a cookie. A site that has changed its domain has two of one name: then the newer one, and that of the whole site.
  cookie: (name) => ('; ' + document.cookie).split('; ' + name + '=').pop().split(';')[0],
  // Value of a cookie. One that is broken throws, and so is none.
  stored: (name) => JSON.parse(decodeURIComponent(port.cookie(name) || null)),
  // Sets a cookie, `name=value`, with its attributes. One from before the site named a domain is another cookie, and
  // servers would read it first.
  put: (pair, seconds) => {
    const { userCookiesDomain: domain, userCookiesSameSite: sameSite, userCookiesSecure: secure } = settings;
    const path = ';path=/;max-age=';
    if (domain) document.cookie = pair.replace(/=.*/, '=' + path + 0);
    document.cookie = pair + path + seconds + ';SameSite=' + (sameSite || 'Lax') + (domain ? ';domain=' + domain : '') +
      ((secure ?? location.protocol == 'https:') ? ';Secure' : '');
  },
  // Past the first paint: moving the focus forces a layout.
  later: () => painted(method(core.focus_title)),
  painted: () => (painted(method(core.finish)), setTimeout(method(core.finish), 100), cover()),
  idle: () => later(() => (method(core.rest)(), tidy())),
  post: (url, body) => {
    fetch(url, { method: 'POST', keepalive: true, credentials: 'omit', body })
      .then((answer) => {
        // The visitor's own evidence.
        if (answer.ok) answer.text().then((text) => (localStorage.placet_receipt = text)).catch(Object);
        return answer.status;
      }, () => 0)
      .then(method(core.posted));
  },
  // Google's tag wants the arguments object itself.
  consent: (signals) => (function () { layer().push(arguments); })('consent', 'update', signals),
  event: (choices, allowed) =>
    (settings.triggerGTMEvents ?? window[layerName()]) &&
    layer().push({ event: 'placet_update', placet_authorized_vendors: allowed, placet_choices: choices }),
});

// A string whose characters are the module's bytes.
export const unpack = (text) =>
  // In one go where a browser has it.
  Uint8Array.fromBase64 ? Uint8Array.fromBase64(btoa(text)) : Uint8Array.from(text, (letter) => letter.charCodeAt());

const whenBody = (task) =>
  new MutationObserver((_, watch) => document.body && (watch.disconnect(), task())).observe(document.documentElement, { childList: true });

export const fail = (why) =>
  console.error('Placet: ' + why + '. Nothing is allowed.');

export const boot = (wasm, payload) => {
  // Another snippet on the same page changes nothing.
  if (isObject(window.placetSDK)) return console.info('Placet: second snippet');
  // Bound, not an arrow: listeners made below live as long as the page, and would hold the payload.
  const again = boot.bind(null, wasm, payload);
  // A page that may never be shown asks nothing.
  if (document.prerendering) return document.addEventListener('prerenderingchange', again);
  // Some frameworks draw the whole document and know of nothing beside its body.
  if (!document.body) return whenBody(again);
  if (!document.adoptedStyleSheets) return odd('', again);
  const lines = payload.split('\n');
  // An absent pattern matches all.
  if (!PREVIEW && !RegExp(hosts(lines)).test(location.hostname)) return fail('not for ' + location.hostname);
  try {
    // In XHTML this is no markup, and nothing of ours would be.
    shield.innerHTML = port.html('<!');
  } catch {
    return fail('no markup: trusted-types or XHTML');
  }
  core.use(wasm);
  // Names of vendors, behind the names that are there from the start.
  table.push(...vendors(lines).map(([name]) => name));
  // Facts are for the module. The shown texts stay here, a line each.
  port.payload = lines.splice(0, FACTS).join('\n');
  port.shown = lines;
  if (!method(core.start)()) return fail('unknown payload');
  window.placetSDK = sdk;
  const queue = window._placet || [];
  for (let i = 0; i < queue.length; i++) guard(queue[i], sdk);
  window._placet = { push: (callback) => guard(callback, sdk) };
  method(core.ready)();
  // Parts of the page that come later, from the parser or from the site's own code.
  const look = () => document.querySelector('[data-placet-processing],[data-placet-contract]') && need();
  let due;
  new MutationObserver(() => {
    due ||= later(() => (due = 0, method(core.scan)(), look()));
  }).observe(window.document, { childList: true, subtree: true });
  look();
  if (/placet-(debug|withdraw)/.test(location)) load(DEBUG);
};

// Fallback for pages that refuse WebAssembly: the same module as JavaScript, from the same origin.
export const fallback = (start) => load(FALLBACK, { start });
