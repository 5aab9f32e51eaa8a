// Words in the address of a page; loaded only then, given `{sdk, port}`. `?placet-debug`: what the SDK knows, what it
// has told, and what waits for whom, for the people who build the site. `#placet-withdraw=`: the visitor has withdrawn
// on the page of own answers, which cannot reach what is stored here. The beginning of the token stands behind it,
// because a link of somebody else must not take a choice back.

import { facts, source } from './facts.js';
import { mistake } from './mistakes.js';

const { sdk, port } = document.currentScript.placet;
const { project, identifier, name, language, days, flags } = facts(port);
const { publication, api } = source(port);

// Those of `npm/index.d.ts`. A test compares them.
const SETTINGS = [
  'clientId', 'cookiesVersion', 'token', 'apiUrl', 'configUrl', 'userCookiesDuration', 'userCookiesDomain', 'userCookiesSameSite',
  'userCookiesSecure', 'jsonCookieName', 'authorizedVendorsCookieName', 'allVendorsCookieName', 'triggerGTMEvents', 'dataLayerName',
  'googleConsentMode', 'useDocumentLang', 'gdprApplies', 'nonce', 'privacySignal',
];

const show = () => {
  const told = [];

  const host = document.createElement('div');
  host.id = 'placet-debug';
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    'section{box-sizing:border-box;position:fixed;inset:8px 8px auto auto;z-index:2147483647;width:min(420px,100vw - 16px);max-height:45vh;overflow:auto;' +
      'font:12px/1.5 ui-monospace,monospace;background:#10141c;color:#e6e9ef;border-radius:8px;padding:10px 12px;overflow-wrap:anywhere}' +
      'h2{font-size:12px;margin:10px 0 2px;color:#8fb4ff}h2:first-of-type{margin-top:0}ul{margin:0;padding-left:16px}' +
      'button{float:right;font:inherit;min-width:24px;min-height:24px;background:none;color:inherit;border:1px solid #566;border-radius:4px}',
  );
  root.adoptedStyleSheets = [sheet];
  const panel = document.createElement('section');
  panel.setAttribute('aria-label', 'Placet debug');
  root.append(panel);

  const add = (name, text, parent = panel) => {
    const element = document.createElement(name);
    element.textContent = text;
    parent.append(element);
    return element;
  };

  // The reason for which an element that names a vendor has not started.
  const reason = (element) => {
    const vendor = element.dataset.requiresVendorConsent;
    if (!(vendor in sdk.getChoices())) return 'the configuration has no vendor “' + vendor + '”';
    if (!sdk.hasAcceptedVendor(vendor)) return 'no consent for “' + vendor + '”';
    const nonce = sdk.settings.nonce || (element.localName == 'script' && port.nonce);
    if (nonce && element.nonce != nonce) return 'its nonce is not that of the settings or of the SDK';
    if (element.placetWrote) return 'started; what it wrote with document.write stands behind it';
    return element.localName == 'script' && !element.placetGate ? 'waits for a script before it' : 'started';
  };

  const draw = () => {
    panel.textContent = '';
    add('button', '×').onclick = () => host.remove();
    const list = (title, lines) => {
      add('h2', title);
      const ul = add('ul', '');
      for (const line of lines) add('li', line, ul);
    };
    list('Configuration', [
      'project ' + project,
      name + ' (' + language + '), ' + identifier,
      'publication ' + (publication || 'none'),
      'API ' + (sdk.settings.apiUrl || api),
      'kept for ' + days + ' days; flags ' + (flags || 'none'),
      'Global Privacy Control ' + (navigator.globalPrivacyControl ? 'on' : 'off'),
    ]);
    const choices = sdk.getChoices();
    list('State', [
      'token ' + sdk.settings.token,
      ...Object.keys(choices).map((vendor) => (choices[vendor] ? '✓ ' : '✗ ') + vendor),
    ]);
    list('Gated elements', [...document.querySelectorAll('[data-requires-vendor-consent]')].map(
      (element) => '<' + element.localName + '> ' + (element.dataset.src || element.dataset.href || element.src || 'inline') + ': ' + reason(element),
    ));
    if (port.mistakes) list('Mistakes', port.mistakes);
    list('Events', told.slice(-20));
  };

  sdk.on('*', (detail, event) => {
    told.push(event + (detail === undefined ? '' : ' ' + JSON.stringify(detail)));
    draw();
  });
  port.redraw = draw;
  for (const name of Object.keys(sdk.settings)) if (!SETTINGS.includes(name)) mistake(port, 'placetSettings has “' + name + '”, which is no setting.');
  draw();
  // Draws again when an element starts later, or is put in.
  new MutationObserver(draw).observe(window.document, { subtree: true, childList: true, attributes: true, attributeFilter: ['type', 'src'] });
  document.body.append(host);
};

if (location.search.includes('placet-debug')) show();
if (location.hash.startsWith('#placet-withdraw=')) {
  // The end of a token, which is random or a signature. Others may guess short ones.
  if (decodeURIComponent(location.hash.slice(17)) == sdk.settings.token?.match(/.{28}(.{16})$/)?.[1]) sdk.clear();
  location.hash = '';
}
