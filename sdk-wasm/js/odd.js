// Help for browsers from before constructed style sheets, words for mistakes of the site that would stay silent, gated
// scripts of React, and gated scripts that never start. The SDK loads it when it meets one of them, and gives it
// `{port, name, job}` (see `core.js`).
import { copy } from './copy.js';
import { mistake } from './mistakes.js';

const { port, name, job } = document.currentScript.placet;
const { settings } = port;

// Safari before 16.4, Firefox before 101: style elements with the page's nonce in their place.
if (!document.adoptedStyleSheets) {
  const nonce = settings?.nonce || document.querySelector('script[nonce]')?.nonce;
  window.CSSStyleSheet = class {
    replaceSync(text) {
      this.text = text;
    }
  };
  const given = new WeakMap();
  const property = {
    configurable: true,
    get() {
      return given.get(this) || [];
    },
    set(sheets) {
      given.set(this, sheets);
      const own = sheets.map(({ text }) => {
        const style = document.createElement('style');
        style.nonce = nonce;
        style.textContent = text;
        return style;
      });
      // Markup that is put in takes them away.
      const put = () => own.some((style) => !style.parentNode) && (this.head || this).prepend(...own);
      put();
      new MutationObserver(put).observe(this.head || this, { childList: true });
    },
  };
  Object.defineProperty(ShadowRoot.prototype, 'adoptedStyleSheets', property);
  Object.defineProperty(Document.prototype, 'adoptedStyleSheets', property);
}

// A script that `innerHTML` has put in never starts: browsers forbid it. None says so, and the scripts behind it would
// wait for ever. A twin from before the start is like its script, and without an address one that can start tells of
// an error. It tells before any script that is put in later.
const look = (twin) => {
  let starts;
  const ask = (script, tell) => {
    script.onerror = tell;
    script.src = port.url('');
    document.head.append(script);
    script.remove();
  };
  ask(twin, () => (starts = true));
  ask(document.createElement('script'), () => starts || port.handleEvent({ type: 'error' }));
};

if (job?.isConnected) copy(port, job);
else if (job?.localName) look(job);
else job?.();

// A choice was made and its cookie is not there: where the browser takes none the choice is in `localStorage`,
// everywhere else the site's own settings are wrong.
if (name) {
  const { userCookiesDomain: domain, userCookiesSameSite: sameSite, userCookiesSecure: secure } = settings;
  const takes = () => {
    try {
      document.cookie = 'placet_try=1';
      const there = document.cookie.includes('placet_try=1');
      document.cookie = 'placet_try=;max-age=0';
      return there;
    } catch {}
  };
  const { hostname, protocol } = location;
  if (!/^[^\s;,=()<>@:\\"/[\]?{}]+$/.test(name)) mistake(port, 'the choice is not kept: “' + name + '” is no name for a cookie.');
  else if (takes()) {
    if (domain && !('.' + hostname).endsWith('.' + domain.replace(/^\./, '')))
      mistake(port, 'the choice is not kept: userCookiesDomain is “' + domain + '”, but this page is on “' + hostname + '”.');
    else if (protocol != 'https:' && (secure || /none/i.test(sameSite)))
      mistake(port, 'the choice is not kept: userCookiesSecure and userCookiesSameSite “None” need https.');
    else mistake(port, 'the choice is not kept: the browser refuses its cookie. See userCookiesDomain, userCookiesSameSite and the names of cookies.');
  }
}
