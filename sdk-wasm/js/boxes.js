// Consent boxes and contract boxes: `<div data-placet-processing="<id>">` and
// `<div data-placet-contract="<id>">`. Loaded when a page has one or opens one. Publishing has
// rendered them (`service::render::boxes`); here they get their checkbox, their answers and their
// screens. The checkbox and the hidden fields are the form's own, outside of the shadow root.

import { patiently } from './drawn.js';
import { CHOICE, facts, source } from './facts.js';

const { sdk, port, published, done, flush } = document.currentScript.placet;
// The browser's own: a page may have something else of that name.
const Promise = (async () => {})().constructor;
const { days, project } = facts(port);
const api = () => sdk.settings.apiUrl || source(port).api;

const file = fetch(published + '/' + project + '/boxes.json').then((answer) => {
  if (!answer.ok) throw answer.status;
  return answer.json();
});
const known = (id) => file.then(({ boxes }) => boxes[id] || Promise.reject(Error('Placet: the box ' + id + ' is not published.')));
file.catch((why) => console.error('Placet: the consent boxes could not be loaded (' + why + ').'));

// Answers by box: `{accept, value, consentId}`, and who waits for their proof by consentId.
const answers = {};
const waiting = {};
const drawn = new Set();
const settle = (how) => (sent) => {
  const one = waiting[sent.consentId];
  delete waiting[sent.consentId];
  if (one) one[how](sent);
};
sdk.on('consent:saved', settle('kept'), { replay: false });
sdk.on('consent:failed', settle('lost'), { replay: false });

// After an answer a visitor keeps the token that it stands under, also while the banner waits: a later
// page finds the answer again, and the visitor can withdraw it. A token that the site has given
// is the site's to keep.
const keep = () => {
  const { token, jsonCookieName, userCookiesDuration } = sdk.settings;
  const name = (jsonCookieName || CHOICE) + '=';
  try {
    if (token != port.token || ('; ' + document.cookie).includes('; ' + name)) return;
    port.put(name + encodeURIComponent(port.json({ $$token: token, $$projectId: project })), (userCookiesDuration || days) * 86400);
  } catch {}
};

// Puts the answer into the same outbox as the choices, so that it is sent once, in order, later if
// need be. Resolves when the proof is stored.
const give = (id, box, accept, value) => {
  const r = port.random();
  const consentId = r.slice(0, 8) + '-' + r.slice(8, 12) + '-7' + r.slice(13, 16) + '-8' + r.slice(17, 20) + '-' + r.slice(20, 32);
  const { identifier = id, name, language, publication } = box;
  const body = { accept, token: sdk.settings.token, preferences: { vendors: {}, config: { identifier, name, language } }, publication, consentId };
  if (value !== accept) body.value = String(value);
  answers[id] = { accept, value: body.value, consentId };
  keep();
  port.pending.push({ at: Date.now(), url: api() + '/v1/app/consents/' + project + '/' + box.collection + '/' + id, body });
  return new Promise((kept, lost) => {
    waiting[consentId] = { kept, lost };
    flush();
  });
};

const restore = (id, box) => {
  const { token } = sdk.settings;
  return fetch(api() + '/v1/app/consent/' + project, { method: 'POST', credentials: 'omit', body: port.json({ token, service: box.collection, identifier: id }) })
    .then((answer) => answer.json())
    .then((found) => {
      // Somebody else may be here by now.
      if (found.consentId && !answers[id] && token == sdk.settings.token) answers[id] = found;
    })
    .catch(() => {});
};

const input = (host, type, name) => {
  const element = document.createElement('input');
  element.type = type;
  element.name = name;
  host.append(element);
  return element;
};

const refuses = (value) => !value || value === 'false';

// Draws a box into an element. `asked` is given a promise of each answer's proof, and `settled` hears of the proof.
const draw = (host, id, box, css, settled = () => {}, asked = () => {}) => {
  const root = host.shadowRoot || host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  root.innerHTML = port.html(box.html);
  const name = host.dataset.name || box.input;
  const needed = host.dataset.required;
  let check;
  let token;
  let proof;
  const status = root.querySelector('[role=status]');
  const screens = [...root.querySelectorAll('[data-screen]')];
  const buttons = [...root.querySelectorAll('[data-value]')];
  const value = (button) => JSON.parse(button.dataset.value);
  // A site's own rendering may throw away what is not its own.
  const fields = () => {
    if (check && check.parentNode === host) return;
    host.querySelectorAll(':scope > input').forEach((old) => old.remove());
    check = input(host, 'checkbox', name);
    check.slot = 'check';
    check.value = 'true';
    check.required = needed === undefined ? Boolean(box.required) : needed !== 'false';
    // Nobody sees it where buttons answer, so Tab passes it by; browsers that miss it still find it.
    if (buttons[0]) check.tabIndex = -1;
    check.setAttribute('aria-label', box.label);
    check.onchange = () => answer(check.checked, buttons.map(value).find((one) => refuses(one) != check.checked));
    token = input(host, 'hidden', name + '_token');
    proof = input(host, 'hidden', name + '_consent_id');
    // The answer stands, whatever else the form forgets.
    check.form?.addEventListener('reset', () => setTimeout(update));
    update();
  };
  const update = () => {
    const now = answers[id];
    check.checked = Boolean(now && now.accept);
    token.value = sdk.settings.token;
    proof.value = (now && now.consentId) || '';
    for (const button of buttons) {
      const own = value(button);
      const pressed = now && refuses(own) != now.accept && (typeof own == 'boolean' ? !now.value : String(own) == now.value);
      button.setAttribute('aria-pressed', Boolean(pressed));
    }
  };
  const show = (wanted, focus) => {
    const screen = screens.find((one) => one.dataset.screen == wanted);
    if (!screen) return false;
    for (const one of screens) one.hidden = one != screen;
    if (focus) screen.querySelector('[tabindex="-1"]').focus();
    return true;
  };
  const answer = (accept, chosen = accept) => {
    const stored = give(id, box, accept, chosen).then(({ value, consentId }) => ({ accept, value, consentId }));
    asked(stored);
    for (const one of drawn) one.update();
    const confirmed = show(String(chosen), true);
    stored.then(
      (proved) => {
        status.className = 's';
        status.textContent = status.dataset.saved;
        settled(proved, confirmed);
      },
      ({ consentId }) => {
        // There is no proof, so the form must not say that there is.
        if (answers[id]?.consentId == consentId) delete answers[id];
        for (const one of drawn) one.update();
        show('', confirmed);
        status.className = 's no';
        status.textContent = status.dataset.failed;
      },
    );
  };
  // On what this drawing has made: a host that comes back is drawn anew.
  root.firstElementChild.addEventListener('click', ({ target }) => {
    const button = target.closest('button');
    if (target.closest('label')) {
      if (target.localName != 'slot') check.click();
    } else if (!button) return;
    else if (button.dataset.value) answer(!refuses(value(button)), value(button));
    else if (button.part == 'back') {
      show('', true);
      settled(null, false);
    } else if (button.part == 'details') root.querySelector('dialog').showModal();
    else if (button.part == 'close') root.querySelector('dialog').close();
  });
  const find = () => restore(id, box).then(update);
  drawn.add({ host, fields, update, find });
  fields();
  find();
};

const begun = new WeakSet();
const look = patiently((isTakenOver) => {
  for (const one of drawn) {
    if (one.host.isConnected) one.fields();
    else drawn.delete(one), begun.delete(one.host);
  }
  for (const host of document.querySelectorAll(':is([data-placet-processing],[data-placet-contract]):not(form)')) {
    if (begun.has(host) || !isTakenOver(host)) continue;
    begun.add(host);
    const id = host.dataset.placetProcessing || host.dataset.placetContract;
    Promise.all([known(id), file]).then(
      ([box, { css }]) => draw(host, id, box, css),
      (why) => console.error(String(why.message || why)),
    );
  }
});

let visitor = sdk.settings.token;
sdk.on('token:update', (token) => {
  if (token == visitor) return;
  visitor = token;
  for (const id in answers) delete answers[id];
  for (const one of drawn) one.update(), one.find();
}, { replay: false });
new MutationObserver(look).observe(window.document, { childList: true, subtree: true });
look();

done({
  // Shows a box over the page. Resolves with the answer when its proof is stored, also if the visitor closes the box
  // before, and with nothing when it is closed without an answer.
  open: (id) =>
    Promise.all([known(id), file]).then(
      ([box, { css }]) =>
        new Promise((resolve) => {
          const host = document.createElement('div');
          host.id = 'placet-box';
          const root = host.attachShadow({ mode: 'open' });
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(css);
          root.adoptedStyleSheets = [sheet];
          const dialog = document.createElement('dialog');
          dialog.part = 'dialog';
          dialog.setAttribute('aria-label', box.label);
          const inside = document.createElement('div');
          inside.className = 'bare';
          const close = document.createElement('button');
          close.className = 'x';
          close.part = 'close';
          close.textContent = '×';
          close.setAttribute('aria-label', box.close);
          close.onclick = () => dialog.close();
          dialog.append(inside, close);
          root.append(dialog);
          document.body.append(host);
          let given;
          let last = Promise.resolve(null);
          dialog.onclose = () => {
            host.remove();
            last.then(resolve, () => resolve(null));
          };
          const settled = (answer, confirmed) => {
            given ||= answer;
            if (answer) resolve(answer);
            if (given && !confirmed) dialog.close();
          };
          draw(inside, id, box, css, settled, (stored) => (last = stored));
          const { dir, lang } = inside.shadowRoot.firstElementChild;
          Object.assign(dialog, { dir, lang });
          dialog.showModal();
        }),
    ),
});
