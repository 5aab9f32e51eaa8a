// Loads Placet's widget and speaks with it. The widget itself is what Placet publishes and serves:
// nothing of it is in this package, so a publish or an upgrade needs no new release of a site.

const inBrowser = typeof document !== "undefined";

let loading;

/**
 * Puts the widget on the page, once. All options beside `url`, `src` and `integrity` are the SDK's settings.
 * Resolves with the SDK when it is there; on a server it does nothing and never settles.
 */
export function load({ url, src, integrity, ...settings }) {
  if (!inBrowser) return new Promise(() => {});
  loading ??= new Promise((resolve, reject) => {
    if (window.placetSDK?.on) return resolve(window.placetSDK);
    window.placetSettings = { ...window.placetSettings, ...settings };
    push(resolve);
    const script = document.createElement("script");
    script.async = true;
    if (settings.nonce) script.nonce = settings.nonce;
    if (integrity) Object.assign(script, { integrity, crossOrigin: "anonymous" });
    script.onerror = () => {
      // The next call tries again.
      loading = undefined;
      script.remove();
      reject(new Error(`Placet: ${script.src} could not be loaded. Nothing is allowed.`));
    };
    script.src = trusted(src ?? `${url.replace(/\/+$/, "")}/sdk.js`);
    document.head.append(script);
  });
  return loading;
}

let policy;

// A page that enforces Trusted Types must allow the policy name `placet-npm`.
function trusted(address) {
  if (!window.trustedTypes) return address;
  try {
    policy ??= window.trustedTypes.createPolicy("placet-npm", { createScriptURL: (text) => text });
  } catch {
    return address;
  }
  return policy.createScriptURL(address);
}

/** Runs a callback with the SDK: at once if it is there, else as soon as it is. */
export function push(callback) {
  if (inBrowser) (window._placet ??= []).push(callback);
}

/** Listens from now on, also before the SDK is there. Gives a function that ends it. */
export function on(event, callback, options) {
  let ended = false;
  // Its own, since a callback may listen more than once, and only this time ends.
  const listener = (detail, event) => callback(detail, event);
  push((sdk) => ended || sdk.on(event, listener, options));
  return () => {
    ended = true;
    if (inBrowser) window.placetSDK?.off?.(event, listener);
  };
}

// The current choices. The object stays the same until they change: wrappers of frameworks compare it.
let choices = Object.freeze({});
let known = false;
let answered;
let watched = false;
const watchers = new Set();

function watch() {
  if (watched || !inBrowser) return;
  watched = true;
  push((sdk) => {
    const change = (now, is) => {
      known = true;
      answered = is;
      choices = Object.freeze({ ...now });
      for (const watcher of [...watchers]) watcher();
    };
    change(sdk.getChoices());
    sdk.on("cookies:complete", (now) => change(now, true));
    sdk.on("clear", (now) => change(now, false));
    // A stored answer is told right after `ready`, in the same task.
    sdk.on("ready", () => queueMicrotask(() => answered ?? change(sdk.getChoices(), false)));
  });
}

/**
 * Calls back when the choices are known, at once if they are, and after each change. With
 * `replay: false` only after changes. Gives a function that ends it.
 */
export function subscribe(watcher, { replay = true } = {}) {
  // A server renders for many visitors, and nothing ever changes there.
  if (!inBrowser) return () => {};
  watch();
  watchers.add(watcher);
  // Later, so that the caller has what this returns.
  if (replay && known) queueMicrotask(() => watchers.has(watcher) && watcher());
  return () => void watchers.delete(watcher);
}

/** Choices in force now, empty before the SDK is there: `{<vendor>: boolean}`. */
export function currentChoices() {
  watch();
  return choices;
}

/**
 * Whether the visitor has answered: `undefined` before that is known, and on a server. A refusal is an answer,
 * and so is closing where that refuses.
 */
export function hasAnswered() {
  watch();
  return answered;
}

const DAY = 86_400_000;

/**
 * The answer in a `Cookie` header, for servers: `undefined` if there is none that is still good. Needs no SDK and
 * no browser; `settings` are those that rename cookies.
 */
export function readChoices(header, settings = {}, now = Date.now()) {
  const cookies = new Map();
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    // A site that names another domain than before has two of one name. As in the browser, the later one counts.
    if (at > 0) cookies.set(name, pair.slice(at + 1).trim());
  }
  const read = (name) => {
    try {
      return decodeURIComponent(cookies.get(name) ?? "");
    } catch {
      return "";
    }
  };
  const stored = object(read(settings.jsonCookieName ?? "placet_cookies"));
  const age = now - Date.parse(stored.$$date);
  if (stored.$$completed !== true || !(age > -DAY && age < stored.$$duration * DAY)) return undefined;
  const choices = {};
  // A choice that is too large for its cookie is in these two lists alone.
  const names = (setting, name) => read(settings[setting] ?? name).split(",").filter(Boolean);
  for (const vendor of names("allVendorsCookieName", "placet_all_vendors")) choices[vendor] = false;
  for (const vendor of names("authorizedVendorsCookieName", "placet_authorized_vendors")) choices[vendor] = true;
  for (const [vendor, allowed] of Object.entries(stored))
    if (!vendor.startsWith("$$") && typeof allowed === "boolean") choices[vendor] = allowed;
  return choices;
}

function object(json) {
  try {
    const value = JSON.parse(json);
    if (value && typeof value === "object" && !Array.isArray(value)) return value;
  } catch {}
  return {};
}
