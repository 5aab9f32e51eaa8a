// The layers behind the first one by TCF: purposes, legitimate interests, partners. `iab.js` loads this when a layer is
// about to open, and gives it what it works with.
import { act, facts, source, titles } from './facts.js';
import { span as spanIn, spell } from './spans.js';

const { port, sdk, published, about, all, draft, life: days, isLong, isAnswered, done, failed } = document.currentScript.placet;
const { language, file, project } = facts(port);

// Milliseconds of work on a long list before the browser may draw: more would hold up a phone.
const PIECE = 8;
const TABS = ['purposes', 'interests', 'partners'];

const bits = (mask) => {
  const ids = [];
  for (let rest = parseInt(mask || 0, 16), id = 1; rest; rest >>>= 1, id++) if (rest & 1) ids.push(id);
  return ids;
};

// The files of `domain::tcf::files`.
const readPartners = (text) => {
  const [ids, names, consents, claims, special, features, specialFeatures, categories, policies, explained, kept, storage, ...provided] =
    text.split('\n').map((line) => line.split('\t'));
  // Masks are read when somebody looks at them: those of all partners take a phone long.
  const masks = { consents, claims, special, features, specialFeatures, categories };
  let id = 0;
  const partners = ids[0] ? ids.map((delta, at) => ({
    of: (field) => bits(masks[field][at]), id: (id += +delta), name: names[at], policy: policies[at],
    claim: explained[at] == '=' ? policies[at] : explained[at], kept: kept[at], storage: storage[at],
  })) : [];
  const [providerIds = [], providers = [], providerPolicies = []] = provided;
  id = 0;
  return { partners, providers: providers[0] ? providers.map((name, at) => ({ id: (id += +providerIds[at]), name, policy: providerPolicies[at] })) : [] };
};
const readTexts = (text) => {
  const texts = {};
  for (const line of text.split('\n')) {
    const [key, name, description, ...examples] = line.split('\t');
    texts[key] = { name, description, examples };
  }
  return texts;
};

const fetched = async (key) => {
  const answer = await fetch(published + '/' + key);
  if (!answer.ok) throw Error(answer.url + ' answered ' + answer.status);
  return answer.text();
};

// An element with its part, content and attributes.
const make = (name, part, content = [], attributes) => {
  const element = document.createElement(name);
  if (part) element.part = part;
  element.append(...[content].flat().filter(Boolean));
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  return element;
};

// Takes steps until there is none more, in tasks of some milliseconds, while an element is in the page and not hidden.
const inPieces = (element, step) => {
  const end = performance.now() + PIECE;
  while (step())
    if (performance.now() > end) return setTimeout(() => element.isConnected && !element.hidden && inPieces(element, step));
};

const span = (number, unit) => spanIn(language, number, unit);
// Seconds in the largest unit that leaves no fraction, else in days.
const life = (seconds) => {
  for (const [unit, size] of [['day', 86400], ['hour', 3600], ['minute', 60]])
    if (seconds >= size) return span(Math.round(seconds / size), unit);
  return span(seconds, 'second');
};

const style = new CSSStyleSheet();
style.replaceSync(`.tl{display:flex;gap:4px;margin:12px var(--x) 0;border-bottom:1px solid var(--li)}
.tl button{flex:1;padding:10px 6px;min-height:44px;font:600 .9em/1.3 var(--ft);color:var(--mu);border-bottom:2px solid transparent}
.tl [aria-selected=true]{color:var(--lk);border-color:var(--lk)}
.tp>h3{font:650 1.07em/1.3 var(--fh);color:var(--ti);margin:20px var(--x) 0}
.tp>p{margin:8px var(--x) 0;color:var(--mu);font-size:.9em}
.tp .v{grid-template-columns:1fr auto}
.tp .v0,.tp .v1,.tp .v2{content-visibility:auto;contain-intrinsic-size:auto 58px}
.tp .v1{contain-intrinsic-size:auto 70px}
.tp .v2{contain-intrinsic-size:auto 112px}
.tp .v>strong,.tp .v>button:first-child{align-self:center;font-weight:600;color:var(--ti);text-align:start;overflow-wrap:anywhere}
.tp .v>button:first-child{min-height:28px}
.tp .v>button:first-child::after{content:"";display:inline-block;margin:0 8px 2px;padding:3px;border:solid;border-width:0 1.5px 1.5px 0;transform:rotate(45deg)}
.tp .v>button[aria-expanded=true]::after{transform:translateY(3px) rotate(225deg)}
.tp .v>div{grid-column:1/3;padding-top:4px}
.tp .v>div>*+*{margin-top:6px}
.tp .v>div button,.tp .v summary{color:var(--lk);text-decoration:underline;text-underline-offset:2px;min-height:24px;font:inherit;cursor:pointer}
.tp .v>.sw{grid-column:1/3;display:flex;justify-content:space-between;align-items:center;gap:12px;padding-top:8px}
.tp ul ul{padding-inline-start:18px}
.tp a{display:inline-block;line-height:26px}
.tp input{display:block;width:calc(100% - 2*var(--x));margin:12px var(--x) 0;padding:10px 12px;font:inherit;color:var(--fg);background:var(--bg);border:1px solid var(--mu);border-radius:var(--rb)}`);

const layers = async () => {
  const [partnersText, textsText, laterText] = await Promise.all([
    fetched(about.partners), fetched(about.texts), fetched(project + '/' + encodeURIComponent(file) + '.later.json'),
  ]);
  const { partners, providers } = readPartners(partnersText);
  const texts = readTexts(textsText);
  const { tcf: words, details } = JSON.parse(laterText);
  // Reading and drawing are tasks of their own.
  await new Promise((next) => setTimeout(next));

  const kinds = { purpose: 'purposes', interest: 'interests', feature: 'features', tcfVendor: 'consents', tcfInterest: 'claims', provider: 'provided', vendor: 'services' };

  const isOn = (kind, id) => draft()[kinds[kind]].includes(id);
  // Thousands of copies take less time than elements that are made.
  const blank = make('button', 'toggle', [], { role: 'switch', type: 'button' });
  const toggle = (kind, id, label) => {
    const button = blank.cloneNode();
    button.dataset[kind] = id;
    button.setAttribute('aria-checked', isOn(kind, id));
    button.setAttribute('aria-label', label);
    return button;
  };
  const flip = (button) => {
    for (const kind in kinds) {
      if (!(kind in button.dataset)) continue;
      const id = kind == 'vendor' ? button.dataset.vendor : +button.dataset[kind];
      const list = draft()[kinds[kind]];
      const on = !list.includes(id);
      draft()[kinds[kind]] = on ? [...list, id].sort((a, b) => a - b) : list.filter((one) => one != id);
      button.setAttribute('aria-checked', on);
    }
  };
  const link = (href, text, label) =>
    /^https?:/.test(href) && make('a', '', text, { href, target: '_blank', rel: 'noopener noreferrer', 'aria-label': text + ': ' + label + ' (' + words.newTab + ')' });
  const text = (key) => texts[key] || { name: key, description: '', examples: [] };
  const list = (rows) => make('ul', 'rows', rows, { class: 'l' });
  const title = (word) => make('h3', '', word);

  // One of the texts by its letter, with the number of partners that declare it.
  const entry = (letter, field, id, control) => {
    const { name, description, examples } = text(letter + id);
    return make('li', 'row', [
      make('strong', '', name), control,
      make('div', '', [
        make('p', '', description),
        examples[0] && make('details', '', [make('summary', '', words.examples), make('ul', '', examples.map((one) => make('li', '', one)))]),
        make('button', 'count', words.count.replace('{count}', countsOf(field)[id] || 0), { type: 'button', 'data-filter': field + ':' + id }),
      ]),
    ], { class: 'v v0' });
  };
  // Numbers of partners by the ids that they declare, counted once.
  const counts = {};
  const countsOf = (field) => counts[field] ||= partners.reduce((found, one) => {
    for (const id of one.of(field)) found[id] = (found[id] || 0) + 1;
    return found;
  }, {});
  // Declarations of partners that nobody chooses; nothing where there are none.
  const fixed = (word, field, letter, about) => {
    // Integers are the keys of an object in their order.
    const ids = Object.keys(countsOf(field));
    return ids[0] ? [title(word), about, list(ids.map((id) => entry(letter, field, id)))] : [];
  };
  // Their basis is a legitimate interest, and nobody can object to it.
  const specialPurposes = () => fixed(words.specialPurposes, 'special', 's', make('p', 'fixed', words.fixed));

  const purposes = () => [
    list(all.purposes.map((id) => entry('p', 'consents', id, toggle('purpose', id, text('p' + id).name)))),
    ...(all.features[0] ? [
      title(words.specialFeatures),
      list(all.features.map((id) => entry('x', 'specialFeatures', id, toggle('feature', id, text('x' + id).name)))),
    ] : []),
    ...specialPurposes(),
    ...fixed(words.features, 'features', 'f', make('p', '', texts.tfeatures?.name || words.featuresText)),
    ...fixed(words.categories, 'categories', 'c'),
  ];

  const interests = () => [
    make('p', '', words.data + ' ' + words.interest + ' ' + words.scope),
    make('p', 'stored', words[isLong() ? 'storedLocally' : 'stored'].replace('{cookie}', about.string).replace('{days}', span(days(), 'day'))),
    list(all.interests.map((id) => entry('p', 'claims', id, toggle('interest', id, words.claim + ': ' + text('p' + id).name)))),
    ...specialPurposes(),
    title(words.partners),
    rows(partners.filter((one) => one.of('claims')[0]), (one) => partnerRow(one, claim(one), make('div', '', link(one.claim, words.object, one.name)))),
  ];

  // Puts rows in, then calls `last`.
  const rows = (items, row, last) => {
    const ul = list([]);
    let at = 0;
    inPieces(ul, () => {
      if (items[at]) ul.append(row(items[at++]));
      return items[at] || last?.();
    });
    return ul;
  };

  const detailsOf = (one) => {
    const [standard, ...others] = (one.kept || '').split(',');
    const days = Object.fromEntries(others.map((other) => other.split(':')));
    const kept = (key) => {
      const number = days[key] ?? standard;
      return number ? ' – ' + span(number, 'day') : '';
    };
    const group = (word, ids, letter, mark) =>
      ids[0] && [make('p', '', word + (mark == null ? '' : ' (' + words.retention + ')') + ':'), make('ul', '', ids.map((id) => make('li', '', text(letter + id).name + (mark == null ? '' : kept(mark + id)))))];
    const [, seconds, signs] = /^(-|\d*)(.*)$/.exec(one.storage || '');
    const storage = [
      seconds == '-' ? words.unknownLife : seconds === '0' ? words.sessionLife : seconds && life(+seconds),
      signs.includes('r') && words.refreshed, signs.includes('n') && words.noCookies,
    ].filter(Boolean);
    return [
      link(one.policy, words.policy, one.name),
      ...[
        group(words.consent, one.of('consents'), 'p', ''),
        group(words.claim, one.of('claims'), 'p', ''),
        group(words.specialPurposes, one.of('special'), 's', 's'),
        group(words.features, one.of('features'), 'f'), group(words.specialFeatures, one.of('specialFeatures'), 'x'),
        group(words.categories, one.of('categories'), 'c'),
      ].flat(),
      link(one.claim, words.object, one.name),
      storage[0] && make('p', 'storage', words.storage + ': ' + storage.join(', ')),
      signs.includes('d') && described(one),
    ];
  };
  // A partner's own description of its storage. This site's server asks for it, so that no browser calls a partner.
  const described = (one) => {
    const box = make('details', 'described', make('summary', '', words.storage + ' (' + words.details + ')'));
    const found = make('div', '', [], { role: 'status' });
    const names = (letter, ids) => ids.map((id) => text(letter + id).name);
    const entry = ({ purposes, specialPurposes }, name, facts, about) => make('li', '', [
      make('strong', '', name), [...facts, ...names('p', purposes), ...names('s', specialPurposes)].filter(Boolean).map((fact) => ' · ' + fact),
      about && make('p', '', about, { dir: 'auto' }),
    ].flat());
    const stored = (item) => entry(item, item.identifier, [
      item.type, item.maxAgeSeconds == null ? '' : item.maxAgeSeconds ? life(item.maxAgeSeconds) : words.sessionLife,
      item.cookieRefresh && words.refreshed, ...item.domains,
    ], item.description);
    box.append(found);
    box.ontoggle = async () => {
      if (!box.open || found.firstElementChild) return;
      found.textContent = '…';
      try {
        const answer = await fetch((sdk.settings.apiUrl || source(port).api) + '/v1/app/tcf/vendors/' + one.id + '/storage', { credentials: 'omit' });
        const { disclosures, domains } = await answer.json();
        found.replaceChildren(make('ul', 'described-items', [
          ...disclosures.map(stored), ...domains.map((domain) => entry(domain, domain.domain, [], domain.use)),
        ]));
      } catch {
        // Opened again, it asks again.
        found.textContent = words.noDetails;
      }
    };
    return box;
  };
  const control = (one, kind, word) =>
    make('div', '', [make('span', '', word, { 'aria-hidden': true }), toggle(kind, one.id, word + ': ' + one.name)], { class: 'sw' });
  const consent = (one) => one.of('consents')[0] && control(one, 'tcfVendor', words.consent);
  const claim = (one) => one.of('claims')[0] && control(one, 'tcfInterest', words.claim);
  // A row whose name opens what `fill` puts below it.
  const opening = (part, label, fill, choices, style) => {
    const box = make('div', 'details', [], { hidden: '' });
    const name = make('button', part, label, { type: 'button', 'aria-expanded': false });
    name.onclick = () => {
      if (!box.firstChild) fill(box);
      box.hidden = !box.hidden;
      name.setAttribute('aria-expanded', !box.hidden);
    };
    return make('li', 'row', [name, ...choices, box], { class: 'v' + style });
  };
  // Rows that nobody sees yet are as high as the number of lines below the name suggests.
  const partnerRow = (one, ...choices) =>
    opening('more', one.name, (box) => box.append(...detailsOf(one).filter(Boolean)), choices, ' v' + choices.filter(Boolean).length);

  const providerRow = (one) => make('li', 'row', [
    make('strong', '', one.name), toggle('provider', one.id, words.consent + ': ' + one.name),
    make('div', '', [link(one.policy, words.policy, one.name)]),
  ], { class: 'v v0' });

  let filter = '';
  const partnersTab = () => {
    const input = make('input', 'search', [], { type: 'search', 'aria-label': words.search, placeholder: words.search });
    const found = make('p', 'found', [], { role: 'status' });
    const box = make('div');
    const elsewhere = make('div');
    const [field, wanted] = filter.split(':');
    const show = () => {
      const query = input.value.trim().toLowerCase();
      const fits = ({ name }) => name.toLowerCase().includes(query);
      const matching = partners.filter((one) => (!wanted || one.of(field).includes(+wanted)) && fits(one));
      found.textContent = words.found.replace('{count}', matching.length);
      // Until the rows above are there it would move away from whoever presses something in it.
      elsewhere.hidden = true;
      const before = box.firstChild;
      if (before) {
        // Gone at once for visitors, and its many elements in pieces.
        before.hidden = true;
        inPieces(box, () => {
          (before.lastChild || before).remove();
          return before.isConnected;
        });
      }
      box.prepend(rows(matching, (one) => partnerRow(one, consent(one), claim(one)), () => (elsewhere.hidden = false)));
      // Those outside of the framework declare no purposes.
      const outside = wanted ? [] : [...others, ...providers].filter(fits);
      elsewhere.replaceChildren(...(outside[0] ? [title(words.others), rows(outside, (one) => one.row || providerRow(one))] : []));
    };
    input.oninput = show;
    const names = titles(port);
    const others = Object.keys(names).filter((name) => !(name in about.own)).map((name) => {
      const html = make('strong', '');
      html.innerHTML = port.html(names[name]);
      const about = (box) => {
        box.innerHTML = port.html(details[name]);
        spell(language, box);
      };
      const title = html.textContent;
      const choice = toggle('vendor', name, words.consent + ': ' + title);
      // Of some services a site tells nothing.
      return { name: title, row: details[name] ? opening('own', html, about, [choice], '') : make('li', 'row', [html, choice], { class: 'v' }) };
    });
    show();
    return [input, found, box, elsewhere];
  };

  const bodies = { purposes, interests, partners: partnersTab };
  const open = (tab) => {
    const root = port.root;
    if (!root.adoptedStyleSheets.includes(style)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, style];
    const screen = TABS.indexOf(tab) + 2;
    const button = (part, a, word, look) => make('button', part, word, { class: look, 'data-a': a, 'data-screen': screen, type: 'button' });
    const tabs = TABS.map((one) => make('button', 'tab-' + one, words.tabs[one], {
      role: 'tab', type: 'button', id: 'tab-' + one, 'aria-selected': one == tab, 'aria-controls': 'panel', tabindex: one == tab ? 0 : -1,
    }));
    const panel = make('div', 'panel', bodies[tab]().filter(Boolean), { role: 'tabpanel', id: 'panel', 'aria-labelledby': 'tab-' + tab, class: 'tp' });
    const close = make('button', 'close', [], { class: 'x', type: 'button', 'data-a': act.CLOSE, 'aria-label': words.close });
    close.hidden = !isAnswered();
    const back = make('button', 'back', words.back, { class: 'b t', type: 'button' });
    back.onclick = () => sdk.openCookies();
    const page = make('div', '', [
      make('div', '', [close, make('h2', 'title', words.tabs[tab], { id: 't', tabindex: -1 })], { class: 'h' }),
      make('div', 'tabs', tabs, { role: 'tablist', class: 'tl', 'aria-label': words.title }),
      panel,
      make('div', 'actions', [
        make('div', '', [button('refuse', act.REFUSE, words.refuse, 'b'), button('accept', act.ACCEPT, words.accept, 'b')], { class: 'y' }),
        make('div', '', [back, button('save', act.SAVE, words.save, 'b')], { class: 'y' }),
      ], { class: 'f' }),
    ], { class: 'p c', tabindex: -1 });
    page.addEventListener('click', ({ target }) => {
      const pressed = target.closest('button');
      if (!pressed) return;
      if (pressed.role == 'tab') turn(pressed.id.slice(4));
      else if (pressed.dataset.filter) turn('partners', pressed.dataset.filter);
      else if (pressed.role == 'switch') flip(pressed);
    });
    page.addEventListener('keydown', (event) => {
      if (event.key == 'Escape') {
        event.preventDefault();
        event.stopPropagation();
        sdk.openCookies();
      }
      const at = TABS.indexOf(tab);
      const right = getComputedStyle(page).direction == 'rtl' ? 2 : 1;
      const steps = { ArrowRight: at + right, ArrowLeft: at - right + 3, Home: 0, End: 2 };
      if (event.target.role != 'tab' || !(event.key in steps)) return;
      event.preventDefault();
      turn(TABS[steps[event.key] % 3], '', true);
    });
    const turn = (to, by = '', byKey) => {
      filter = by;
      open(to);
      focus(byKey ? 'tab-' + to : 't');
    };
    root.querySelector('.s').replaceChildren(page);
    root.querySelector('.w').scrollTop = 0;
  };
  const focus = (id) => port.root.getElementById(id).focus({ preventScroll: true });
  return {
    open: (tab) => {
      filter = '';
      open(tab);
      focus('t');
    },
  };
};

layers().then(done, failed);
// The first number format takes long: it is made while the files come.
setTimeout(span, 0, 1, 'day');
