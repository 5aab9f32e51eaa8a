// For every site and configuration: finds the payload by the page's settings.
import { boot, fail, fallback, imports, load, places, Promise, settings } from './core.js';
import { isFramework } from './facts.js';
import { isObject } from './page.js';
import { speak, spoken } from './speak.js';

const api = '__PLACET_API_URL__';
const published = places(api, '__PLACET_CDN_URL__');
const files = published + '/' + settings.clientId + '/';

const read = (name) =>
  fetch(files + name).then((answer) => {
    if (!answer.ok) throw answer.url + ' answered ' + answer.status;
    return answer.text();
  });

// The configuration in the document's language, in its country if there is one, else the default.
const choose = (rows) => {
  const [, country] = document.documentElement.lang.split(/[-_]/);
  const rank = (row) =>
    (row[1] == spoken() ? 4 + 2 * (row[2] == country?.toUpperCase()) : 0) + row[3];
  return rows.sort((a, b) => rank(b) - rank(a))[0][0];
};

const version = settings.cookiesVersion;
const find = async () => {
  const named = version && !settings.useDocumentLang;
  const name = named ? version : choose(JSON.parse(await read('index.json')));
  return read(encodeURIComponent(name) + '.payload');
};

const plainly = () =>
  new Promise((resolve) => fallback((module) => resolve(module(imports))));

// Pages with the stub most likely need it, and their tags wait half a second at most: it comes beside the payload.
const framework = () => new Promise((done) => load(IAB_PART, { fail, done }));

if (!isObject(window.placetSDK)) {
  const part = window.__tcfapi && framework();
  const module = (async () =>
    (await WebAssembly.instantiateStreaming(fetch(api + '/sdk/' + WASM), imports)).instance.exports)();
  find().then(
    (text) => {
      const go = (payload) => module.catch(plainly).then((wasm) => boot(wasm, payload));
      speak(text, published, settings, (text) => isFramework(text) ? (part || framework()).then((begin) => begin({ load, text, go })) : go(text));
    },
    fail,
  );
  module.catch(() => {});
}
