// Work that few pages need: images and style sheets, frames and media, which wait behind a placeholder, sources of
// media, the writing of gated scripts, a page that stands still behind a modal widget, countdowns, and details of
// services. Names each mistake in them once. The SDK loads it when there is a job and gives it `{sdk, port, published, jobs}`
// (see `core.js`).
import { answered } from './answered.js';
import { details } from './details.js';
import { patiently, whenLoaded } from './drawn.js';
import { CHOICE, facts, PLACEHOLDER, titles as titlesOf } from './facts.js';
import { mistake } from './mistakes.js';

const { sdk, port, published, jobs } = document.currentScript.placet;
const titles = titlesOf(port);
const { project, file } = facts(port);

// Fields of a form stand for its properties as elements do for those of a page.
const ALL = '[data-requires-vendor-consent]:not(form)';
const COVERED = 'iframe,video,audio,embed,object';
// Attributes with an address. A waiting element has it under the name with `data-` before it.
const ADDRESSES = ['src', 'srcset', 'poster', 'data'];

const vendor = (element) => element.dataset.requiresVendorConsent;
// With a nonce in the settings all elements carry it, with one of the SDK's script alone scripts do.
const trusted = (element) => {
  const nonce = sdk.settings.nonce || (element.localName == 'script' && port.nonce);
  return !nonce || element.nonce == nonce;
};
const may = (element) => sdk.hasAcceptedVendor(vendor(element)) && trusted(element);

const say = (element, why) => mistake(port, '<' + element.localName + ' data-requires-vendor-consent="' + vendor(element) + '"> ' + why);

const check = (element) => {
  const { localName } = element;
  if (!(vendor(element) in titles)) say(element, 'never starts: the configuration has no service of that name.');
  else if (localName == 'script' && element.type != 'text/plain') say(element, 'does not wait: it needs type="text/plain".');
  else if (!trusted(element) && sdk.hasAcceptedVendor(vendor(element))) say(element, 'does not start: its nonce is not that of placetSettings.nonce or of the SDK.');
};

// The element and what brings it its content.
const holders = (element) => [element, ...(element.matches('video,audio') ? element.querySelectorAll('source,track') : [])];
const waiting = (element) => ADDRESSES.filter((name) => element.dataset[name]);
const web = (address) => {
  const link = document.createElement('a');
  link.href = address;
  return /^http/.test(link.protocol) && link.href;
};

// An element that has its address in the open has loaded already. From now on it waits as well.
const adopt = (element) => {
  for (const name of ADDRESSES) {
    const address = element.getAttribute(name);
    if (!address || element.dataset[name] || element.placetGate || address == 'about:blank') continue;
    if (name == 'srcset' && element.localName != 'source') continue;
    say(element, 'has loaded before it was allowed: its ' + name + ' has to be data-' + name + '.');
    element.dataset[name] = address;
  }
};

const fill = (element) => {
  let filled;
  for (const holder of holders(element)) {
    for (const name of waiting(holder)) {
      const address = name == 'srcset' ? holder.dataset.srcset : web(holder.dataset[name]);
      if (address) holder.setAttribute(name, address), (filled = true);
    }
  }
  if (filled && element.load) element.load();
};
const empty = (element) => {
  let emptied;
  for (const holder of holders(element)) {
    for (const name of waiting(holder)) {
      if (!holder.hasAttribute(name)) continue;
      // A frame that loses its address goes on showing what it shows.
      if (holder.localName == 'iframe') holder.src = 'about:blank';
      else holder.removeAttribute(name);
      emptied = true;
    }
  }
  if (emptied && element.load) element.load();
};

// An image or a style sheet.
const load = (element) => {
  const allowed = may(element);
  // While one of its two addresses is left an image would be loaded once more.
  if (!allowed && element.srcset) element.srcset = 'data:,';
  for (const name of ['src', 'srcset', 'href']) {
    const address = element.dataset[name];
    if (!address) continue;
    if (!allowed) element.removeAttribute(name);
    // Set again it would load again.
    else if (element.getAttribute(name) != address) element.setAttribute(name, address);
  }
};

// Takes the placeholder away, gives the element its look back and notes what becomes of it.
const uncover = (element, note) => {
  const host = element.placetGate;
  host?.remove?.();
  element.placetGate = note;
  element.style.display = host?.display || '';
};

const show = (element) => {
  if (!holders(element).some((holder) => waiting(holder).some((name) => name == 'srcset' || web(holder.dataset[name])))) return;
  const focused = document.activeElement == element.placetGate;
  uncover(element, 'started');
  fill(element);
  // The focus of whoever pressed the button stays in its place.
  if (focused) element.focus();
};

// Loads an element that its visitor wants now and no vendor is allowed for. It waits again when the
// visitor chooses, and on the next page.
const once = (element) => {
  uncover(element, 'once');
  fill(element);
  element.focus();
  sdk.on('cookies:complete', () => {
    if (element.placetGate != 'once') return;
    element.placetGate = 'started';
    update();
  }, { replay: false });
};

// Facts that most visits do without.
let asked;
const later = () => {
  asked ||= fetch(published + '/' + project + '/' + encodeURIComponent(file) + '.later.json')
    .then((answer) => answer.json())
    // The next click asks again.
    .catch(() => ((asked = 0), {}));
  return asked;
};

// With the first placeholder come the purpose of its vendor, how far a permission goes, and a button that
// loads the element alone.
const explain = async (element, box) => {
  const { placeholders } = await later();
  box.querySelector('p').insertAdjacentHTML('beforeend', port.html(placeholders?.[vendor(element)]));
  const button = box.querySelector('[part=once]');
  if (!button) return;
  box.append(button);
  button.onclick = () => once(element);
};

// The room that an element takes before it is covered, in styles for its placeholder.
const LEAST = 180;
const shape = (element) => {
  const style = getComputedStyle(element);
  const { width, height } = element.getBoundingClientRect();
  const parent = element.parentElement;
  const room = parent && getComputedStyle(parent);
  const inner = room ? parent.clientWidth - parseFloat(room.paddingLeft) - parseFloat(room.paddingRight) : 0;
  const fills = width && Math.abs(width - inner) < 2;
  const found = { hidden: style.display == 'none' || (width && height && width < 3 && height < 3), small: height && (height < LEAST || width < 280) };
  const ratio = style.aspectRatio && style.aspectRatio != 'auto' && !/auto/.test(style.aspectRatio);
  if (/absolute|fixed/.test(style.position)) {
    const { top, left, position } = style;
    const around = element.offsetParent;
    const whole = around && Math.abs(width - around.clientWidth) < 2 && Math.abs(height - around.clientHeight) < 2;
    found.styles = whole ? { position, inset: 0 } : { position, top, left, width: width + 'px', height: height + 'px' };
  } else if (ratio) found.styles = { aspectRatio: style.aspectRatio, width: fills ? '100%' : width + 'px', height: 'auto', minHeight: 0 };
  else {
    const sized = {};
    for (const [side, real, own] of [['width', width, 300], ['height', height, 150]]) {
      const wished = element.getAttribute(side);
      // With its border.
      const near = (length) => Math.abs(real - length) < 6;
      if (/%$/.test(wished) || (wished && (!real || near(parseFloat(wished))))) sized[side] = /^[\d.]+$/.test(wished) ? wished + 'px' : wished;
      // The size of a frame that nobody has given one is no wish of the site.
      else if (real && !(element.localName == 'iframe' && near(own))) sized[side] = side == 'width' && fills ? '100%' : real + 'px';
    }
    found.small &&= sized.height || sized.width;
    found.styles = sized;
  }
  return found;
};

// The height of the parent of an element, which may grow and shrink with it.
const around = ({ parentElement }) => parentElement?.offsetHeight;

const cover = (element, { hidden, small, styles }) => {
  empty(element);
  const host = document.createElement('div');
  host.placetGate = element;
  element.placetGate = host;
  // In a copy of the page a copy of the placeholder stands before it: it was hidden here.
  const copied = element.previousElementSibling?.dataset.vendor;
  if (!copied) host.display = element.style.display;
  element.style.display = 'none';
  // An element that the site hides has no placeholder.
  if (host.display == 'none' || element.hidden || (hidden && !copied)) return;
  host.dataset.vendor = vendor(element);
  const root = host.attachShadow({ mode: 'open' });
  port.dress(root, true);
  root.innerHTML = port.html(port.shown[PLACEHOLDER].split('\u0001').join(titles[vendor(element)]));
  const box = root.querySelector('.q');
  Object.assign(box.style, { maxWidth: '100%', overflow: 'auto' }, styles);
  if (trusted(element)) {
    if (element.dataset.placeholder) port.load(PICTURE, { box, element });
    explain(element, box);
  }
  if (small) {
    Object.assign(box.style, { minHeight: 0, padding: '4px' });
    box.querySelector('p').style.display = 'none';
  }
  root.addEventListener('click', port);
  element.before(host);
  return box;
};

const update = patiently((drawn) => {
  for (const host of document.querySelectorAll('[data-vendor]')) {
    const element = host.placetGate;
    // The site has taken the element out, and perhaps puts it in again.
    if (element && !element.isConnected) uncover(element);
  }
  const covered = [];
  for (const element of document.querySelectorAll(ALL)) {
    check(element);
    if (!drawn(element)) continue;
    const known = vendor(element) in titles;
    if (element.localName == 'source') {
      if (may(element)) fill(element);
      else empty(element);
    } else if (known && element.matches(COVERED)) {
      const started = element.placetGate == 'started';
      if (!may(element) || !element.placetGate) holders(element).forEach(adopt);
      if (may(element)) {
        if (!started) show(element);
      } else if (!element.placetGate || started) covered.push(element);
    }
  }
  // All are measured before the first is moved.
  const shapes = covered.map(shape);
  const heights = covered.map(around);
  const boxes = covered.map((element, at) => cover(element, shapes[at]));
  // An element in a line has room for letters below it. Its placeholder keeps that, so that nothing moves when it starts.
  const present = covered.map(around);
  boxes.forEach((box, at) => {
    // A margin would become one with that of the next element.
    const room = document.createElement('div');
    room.style.height = heights[at] - present[at] + 'px';
    box?.after(room);
  });
});

// Inserts the markup that a gated script has written behind that script. It would replace the page.
const write = ({ script, html }) => {
  // A script that has left the page has no place in it any more.
  if (!script.isConnected) return;
  const range = document.createRange();
  range.setStartAfter(script);
  const written = range.createContextualFragment(port.html(html));
  for (const inner of written.querySelectorAll('script')) {
    inner.nonce ||= script.nonce;
    // One after another, as a parser would.
    inner.async = false;
  }
  script.placetWrote = true;
  port.run(script, () => script.after(written));
};

// A modal widget: the page behind it is out of reach, does not scroll, nor jumps where its scroll bar
// goes.
const held = new WeakSet();
const hold = (dialog) => {
  const show = () => {
    if (!dialog.isConnected || dialog.matches(':modal')) return;
    const root = dialog.getRootNode();
    const focused = root.activeElement || root.querySelector('h2');
    dialog.showModal();
    focused.focus({ preventScroll: true });
  };
  show();
  if (held.has(dialog)) return;
  held.add(dialog);
  // Closed by the browser itself it opens again: it asks, and only an answer ends that.
  dialog.addEventListener('close', show);
  const { style, clientWidth } = document.documentElement;
  const still = { overflow: 'hidden' };
  if (innerWidth > clientWidth) still.scrollbarGutter = 'stable';
  const before = {};
  for (const name in still) before[name] = style[name];
  const look = () => {
    if (dialog.isConnected) return;
    watch.disconnect();
    Object.assign(style, before);
  };
  const watch = new MutationObserver(look);
  watch.observe(dialog.parentNode, { childList: true });
  Object.assign(style, still);
};

// The end of a countdown does what its element says, as a click would; none runs out unseen.
const away = () => port.root.host.toggleAttribute('data-away', document.hidden);
const count = (countdown) => {
  countdown.addEventListener('animationend', () => countdown.click());
  document.addEventListener('visibilitychange', away);
  // A page that is opened behind another one has never been seen, and no event says so.
  away();
};

// A choice that is not kept comes up again, and `odd.js` says why. The lists beside it are for servers, and nobody would see
// that one is missing or is not its own.
const checkNames = (named) => {
  const allowed = named.authorizedVendorsCookieName || 'placet_authorized_vendors';
  const all = named.allVendorsCookieName || 'placet_all_vendors';
  for (const name of [allowed, all])
    if (/[\s;,=]/.test(name) || name == (named.jsonCookieName || CHOICE) || allowed == all)
      mistake(port, 'the list “' + name + '” is not kept: no cookie has that name, or two have it.');
};

// Tells screen readers that the answer is stored. They read out what is put into a status that is there already.
const confirm = async () => {
  const status = document.createElement('div');
  status.role = 'status';
  status.lang = facts(port).language;
  status.style.cssText = 'position:fixed;opacity:0;pointer-events:none';
  document.body.append(status);
  const { saved = '' } = await later();
  status.textContent = saved;
  setTimeout(() => status.remove(), 2500);
};

// A notice takes no focus, so nobody who cannot see it would know of it. One that has the focus is read out already,
// and the text goes again, so that nobody meets it twice.
const announce = () => {
  const { root } = port;
  const status = root.querySelector('.j > [role=status]');
  if (!status) return;
  setTimeout(() => {
    if (root.activeElement) return;
    status.textContent = [...root.querySelectorAll('#t,#m')].map((text) => text.textContent).join('. ');
    setTimeout(() => (status.textContent = ''), 3000);
  }, 100);
};

const take = (job) => {
  if (!job) {
    document.querySelectorAll(':is(img,link)' + ALL).forEach(load);
    update();
  } else if (job == 'consent:saved') {
    checkNames(sdk.settings);
    confirm();
  } else if (job.html) whenLoaded(() => write(job));
  else if (job.localName == 'dialog') job.isConnected && hold(job);
  else {
    // The mark of an entrance.
    if (port.root.querySelector('.w > .ti')) port.farewell ||= port.load(FAREWELL);
    if (job.matches('.ti')) {
      announce();
      if (job.dataset.a) count(job);
      return;
    }
    // The way back from a layer with services, or what tells more of one.
    if (job.part == 'more') details(port, later, job);
    // Services that fold have a script of their own.
    else if (job.closest('.p').querySelector('.fs')) port.fold ? port.fold(port, job) : port.load(FOLD, { control: job });
    answered(port, later, job);
  }
};
jobs.push = take;
jobs.forEach(take);
// Astro's router puts the next page's scripts in place of this one's. As with its own, an equal one never runs again
// unless the page says so.
const ran = new Set();
const same = ({ src, text }) => src || text;
document.addEventListener('astro:before-swap', ({ newDocument }) => {
  for (const script of document.scripts) if (script.placetGate) ran.add(same(script));
  for (const script of newDocument.querySelectorAll('script' + ALL + ':not([data-astro-rerun])'))
    if (ran.has(same(script))) script.placetGate = 'started';
});
