// A consent was taken back, here or on an earlier page: the vendors' known cookies go. If their
// scripts already run, the visitor is offered what stops them, and the vendors stay noted: such a
// script may set its cookies again, so the next page takes them away once more. Loaded at that
// moment, given `{sdk, port, published, gone, ran}` (see `core.js`).

import { facts } from './facts.js';

const { sdk, port, published, gone, ran } = document.currentScript.placet;
const { project, file } = facts(port);

// Turbo and htmx show copies of pages, in which frames of these vendors would load at once.
try {
  window.Turbo?.cache?.clear();
  for (const copies of [sessionStorage, localStorage]) copies.removeItem('htmx-history-cache');
} catch {}

const has = (patterns, name) =>
  patterns.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name == one));

// Services share names: what one that is still allowed knows as its own stays.
const wipe = (patterns, kept) => {
  // A cookie goes only if domain and path are those that it was set with, which nobody can read.
  const labels = location.hostname.split('.');
  const domains = ['', ...labels.map((_, at) => ';domain=' + labels.slice(at).join('.'))];
  const folders = location.pathname.split('/');
  const paths = folders.flatMap((_, at) => {
    const path = folders.slice(0, at + 1).join('/');
    return [path, path + '/'];
  });
  // Names that begin with `__Secure-` or `__Host-` are heard only with this.
  const secure = location.protocol == 'https:' ? ';secure' : '';
  for (const pair of document.cookie.split('; ')) {
    const name = pair.split('=')[0];
    if (has(patterns, name) && !has(kept, name))
      for (const domain of domains)
        for (const path of paths) document.cookie = name + '=;max-age=0' + domain + ';path=' + path + secure;
  }
};

const forget = (vendors) => {
  for (const vendor of vendors) if (!ran[vendor]) delete ran[vendor];
  const noted = Object.keys(ran);
  try {
    if (noted[0]) localStorage.placet_ran = noted;
    else localStorage.removeItem('placet_ran');
  } catch {}
};

const make = (name, parent, part, content, style) => {
  const element = document.createElement(name);
  element.className = style;
  element.part = part;
  element.textContent = content;
  parent.append(element);
  return element;
};

const offer = ({ text, reload, close }) => {
  document.getElementById('placet-changed')?.remove();
  const host = document.createElement('div');
  host.id = 'placet-changed';
  const root = host.attachShadow({ mode: 'open' });
  port.dress(root, true);
  const note = make('div', root, 'changed', '', 'w card bottom');
  document.body.append(host);
  note.role = 'status';
  note.popover = 'manual';
  note.showPopover?.();
  // Screen readers read out text that is put into a status after the status is there.
  const page = make('div', note, '', '', 'p');
  make('p', page, '', text, 'h');
  const buttons = make('div', make('div', page, 'actions', '', 'f'), '', '', 'y');
  make('button', buttons, 'dismiss', close, 'b t').onclick = () => host.remove();
  make('button', buttons, 'reload', reload, 'b').onclick = () => location.reload();
  sdk.on('open', () => host.remove(), { replay: false });
};

fetch(published + '/' + project + '/' + encodeURIComponent(file) + '.later.json')
  .then((answer) => answer.json())
  .then((later) => {
    // One of them may have been allowed again while this was on its way.
    const still = gone.filter((vendor) => !sdk.hasAcceptedVendor(vendor));
    const cookies = (vendors) => vendors.flatMap((vendor) => later.cookies[vendor] || []);
    wipe(cookies(still), cookies(Object.keys(later.cookies).filter((vendor) => sdk.hasAcceptedVendor(vendor))));
    forget(still);
    if (still.some((vendor) => ran[vendor])) offer(later);
  })
  .catch((why) => console.error('Placet: the cookies of ' + gone + ' were not taken away (' + why + ').'));
