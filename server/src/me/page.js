// The visitor's own answers. The token stands in the fragment of the address, which browsers send to no server, or the
// visitor pastes it. The pasted text may be the answer to a consent as well, which has the salt of that one consent.
const { project, words: texts } = document.body.dataset;
const words = JSON.parse(texts);
const { lang } = document.documentElement;
const part = Object.fromEntries(['intro', 'form', 'secret', 'status', 'list', 'older', 'limits', 'erasure', 'language'].map((id) => [id, document.getElementById(id)]));
const WITHDRAW = '#placet-withdraw=';
// Checkpoints come each minute at least; a proof that is later does not come by waiting.
const MOST_TRIES = 15;

const make = (name, style, ...content) => {
  const element = document.createElement(name);
  if (style) element.className = style;
  element.append(...content.filter(Boolean));
  return element;
};

const ask = (path, body) =>
  fetch('/v1/app/' + path, { method: 'POST', credentials: 'omit', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

// The text for an answer that is none of success.
const refusal = (status) => ({ 400: words.wrong, 403: words.guessable, 404: words.wrong, 409: words.unproven, 410: words.gone, 413: words.wrong })[status] || words.failed;

const say = (...content) => part.status.replaceChildren(...content);

const dates = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' });
const when = (text) => {
  const time = make('time', '', dates.format(new Date(text)));
  time.dateTime = text;
  return time;
};

const country = (code) => {
  try {
    return new Intl.DisplayNames(lang, { type: 'region' }).of(code);
  } catch {
    return code;
  }
};

// The text of HTML that a site has published. A document of its own runs no scripts and loads nothing.
const text = (html) => new DOMParser().parseFromString(html || '', 'text/html').body.textContent.trim();

// The text that a visitor was shown, in the words and the language of the publication: a widget's as it was drawn, which a
// bundle does not have, else as its owner wrote it.
const told = ({ manifest, screens }) => {
  const { configuration, document: box } = manifest;
  const steps = configuration?.steps || (box ? [box] : []);
  const quote = (name, content) => {
    const element = make(name, '', content);
    element.lang = (configuration || box).language || '';
    element.dir = 'auto';
    return element;
  };
  if (screens) {
    return screens.flatMap(({ title, lines }) => [...(title ? [quote('h3', title)] : []), ...lines.map((line) => quote('p', line))]);
  }
  return steps.flatMap((step) => {
    const title = step.title || step.topTitle;
    const services = (step.vendors || []).map((vendor) => vendor.title || vendor.name).join(', ');
    const lines = [step.subTitle, text(step.message), step.purpose, services].filter(Boolean);
    return [...(title ? [quote('h3', title)] : []), ...lines.map((line) => quote('p', line))];
  });
};

const titles = (manifest) => {
  const vendors = (manifest.configuration?.steps || []).flatMap((step) => step.vendors || []);
  return Object.fromEntries(vendors.map((vendor) => [vendor.name, vendor.title || vendor.name]));
};

const fold = (title, ...content) => make('details', '', make('summary', '', title), ...content);

// Waits until the proof is there, and gives it to the visitor as a file.
const download = async (consent, secret, note) => {
  const path = 'proofs/' + project + '/' + consent.consentId;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const answer = await ask(path, secret);
    if (answer.status != 202) {
      if (!answer.ok) return note(refusal(answer.status));
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await answer.blob());
      link.download = consent.consentId + '.placet-proof.json';
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      return note('');
    }
    note(words.soon);
    await new Promise((done) => setTimeout(done, 1_000 * (answer.headers.get('retry-after') || 10)));
  }
  note(words.failed);
};

// An ordinary consent that allows nothing. One id for all attempts, so that a second press stores nothing twice.
const withdraw = (consent) => {
  const { vendors = {}, config } = consent.preferences;
  const refused = Object.fromEntries(Object.keys(vendors).map((name) => [name, false]));
  consent.withdrawal ||= crypto.randomUUID?.();
  return ask('consents/' + [project, consent.collection, consent.identifier].join('/'), {
    accept: false, token: consent.token, preferences: { vendors: refused, config }, consentId: consent.withdrawal,
  });
};

// The site takes the choice back in this browser: no other origin can. The end of the token, which nobody can
// guess, shows the SDK that the link comes from its visitor.
const site = (consents) => consents.map(({ pageHost }) => pageHost).find((host) => host && host != location.hostname);
const follow = (consent, host) => {
  if (!host) return [];
  const link = make('a', 'button', words.site);
  link.href = 'https://' + host + '/' + (consent.collection == 'cookies' ? WITHDRAW + encodeURIComponent(consent.token.slice(-16)) : '');
  return [' ' + words.follow + ' ', link];
};

const busy = (button, work) => async () => {
  if (button.ariaDisabled == 'true') return;
  button.ariaDisabled = 'true';
  await work().catch(() => say(words.failed));
  button.ariaDisabled = 'false';
};

// Asks before something is done. `run` gives the reason if it was not.
const question = (text, name, run, actions, note) => {
  const before = [...actions.children];
  const yes = make('button', 'main', name);
  const no = make('button', '', words.no);
  const back = (why) => {
    note(why);
    actions.replaceChildren(...before);
    before.at(-1).focus();
  };
  no.onclick = () => yes.ariaDisabled == 'true' || back('');
  yes.onclick = busy(yes, async () => {
    const why = await run().catch(() => words.failed);
    if (why) back(why);
  });
  note(text);
  actions.replaceChildren(yes, no);
  yes.focus();
};

const tell = (...content) => {
  say(...content);
  part.status.tabIndex = -1;
  part.status.focus();
};

const withdrawal = (consent, host, again) => async () => {
  const answer = await withdraw(consent);
  if (!answer.ok) return words.failed;
  await again();
  tell(words.done, ...follow(consent, host));
};

// A withdrawal answers for the newest consent of each configuration or box alone.
const newest = (consents) => {
  const seen = new Set();
  for (const consent of consents) {
    consent.isLatest = !seen.has(consent.identifier);
    seen.add(consent.identifier);
  }
};

const isGiven = ({ isLatest, outcome }) => isLatest && outcome != 'refused';

const isPassing = ({ status }) => status == 429 || status >= 500;

// Programs of the site follow a choice that nobody took back, so whatever is allowed is withdrawn first. A withdrawal that
// the site does not take any more keeps nobody from erasing. Long histories are read and erased in parts.
const erasure = (consents, token, host) => async () => {
  const given = consents.filter(isGiven);
  for (let left = consents, parts = 0; left[0]; parts++) {
    if (parts == MOST_TRIES) return words.failed;
    newest(left);
    for (const consent of left.filter(isGiven)) {
      if (isPassing(await withdraw(consent))) return words.failed;
    }
    if (!(await ask('erasures/' + project, { token })).ok) return words.failed;
    const rest = await ask('history/' + project, { token });
    if (!rest.ok) return words.failed;
    left = (await rest.json()).consents;
  }
  list([], [], null, false);
  const first = given.find(({ collection }) => collection == 'cookies') || given[0];
  tell(words.erased, ...(first ? follow(first, host) : []));
};

// The button below the list; nothing where the site erases by request alone.
const offerErasure = (consents, secret, host, mayErase) => {
  if (!mayErase || !consents[0]) return part.erasure.replaceChildren();
  const status = make('p');
  status.role = 'status';
  const erase = make('button', '', words.erase);
  const actions = make('div', 'actions', erase);
  const note = (content) => status.replaceChildren(content);
  erase.onclick = () => question(words.askErasure, words.erase, erasure(consents, secret.token, host), actions, note);
  part.erasure.replaceChildren(status, actions);
};

// Nothing about what was not asked.
const answer = (allowed, name) =>
  allowed != null && make('b', allowed ? 'on' : 'off', name ? name + ': ' : '', allowed ? words.on : words.off);

// The answers to things of one kind, by their names.
const group = ([title, answers]) => {
  const items = answers.map(({ id, name, consent, interest }) =>
    make('li', '', make('bdi', '', name || String(id)), make('span', '', answer(consent), answer(interest, words.interest))));
  return items[0] ? [make('h3', '', title), make('ul', 'services', ...items)] : [];
};

// The answers of a TC string. A list may have a thousand partners, so it comes when somebody opens it.
const answersByTcf = ({ consentId }, secret) => {
  const status = make('p');
  status.role = 'status';
  const opened = fold(words.purposes + ', ' + words.partners, status);
  let asked = false;
  const load = async () => {
    const found = await ask('answers/' + project + '/' + consentId, secret);
    asked = found.ok;
    if (!found.ok) return status.replaceChildren(found.status == 404 ? words.unshown : refusal(found.status));
    const { purposes, specialFeatures, vendors, providers } = await found.json();
    const groups = [[words.purposes, purposes], [words.features, specialFeatures], [words.partners, [...vendors, ...providers]]];
    status.replaceChildren();
    opened.append(...groups.flatMap(group));
  };
  opened.ontoggle = () => {
    if (!opened.open || asked) return;
    asked = true;
    load().catch(() => {
      asked = false;
      status.replaceChildren(words.failed);
    });
  };
  return opened;
};

const draw = (consent, shown, names, secret, host, again) => {
  const { outcome, preferences, pageHost, ip, userAgent, token } = consent;
  const services = Object.entries(preferences.vendors || {}).map(([name, allowed]) =>
    make('li', '', make('bdi', '', names[name] || name), make('b', allowed ? 'on' : 'off', allowed ? words.on : words.off)));
  const facts = [[words.page, pageHost], [words.ip, ip], [words.country, consent.country && country(consent.country)], [words.browser, userAgent], [words.token, token]];
  const kept = make('dl', '', ...facts.filter(([, fact]) => fact).flatMap(([name, fact]) => [make('dt', '', name), make('dd', '', make('bdi', '', fact))]));
  const version = consent.publication && make('p', '', make('code', '', consent.publication));
  const seen = shown ? [shown.publishedAt && make('p', 'time', when(shown.publishedAt)), version, ...told(shown)] : [make('p', '', words.unshown), version];
  const status = make('p');
  status.role = 'status';
  const note = (content) => status.replaceChildren(content);
  const proof = make('button', '', words.download);
  proof.onclick = busy(proof, () => download(consent, secret, note));
  const actions = make('div', 'actions', proof);
  if (isGiven(consent)) {
    const take = make('button', '', words.withdraw);
    take.onclick = () => question(words.ask, words.withdraw, withdrawal(consent, host, again), actions, note);
    actions.append(take);
  }
  const heading = make('h2', '', when(consent.decidedAt));
  heading.id = 'answer-' + consent.consentId;
  const box = shown?.manifest.document?.title;
  const article = make('article', '', heading, box && make('p', '', box),
    make('p', 'outcome ' + outcome, { accepted: words.accepted, refused: words.refused }[outcome] || words.partial),
    services[0] && make('ul', 'services', ...services),
    preferences.tcString && answersByTcf(consent, secret),
    fold(words.shown, ...seen), fold(words.kept, kept), status, actions);
  article.setAttribute('aria-labelledby', heading.id);
  return make('li', '', article);
};

const list = (consents, publications, secret, more, again, mayErase, projectName) => {
  const host = site(consents);
  part.intro.textContent = words.intro.replace('{site}', () => projectName || host || location.hostname);
  newest(consents);
  const shown = (consent) => publications.find(({ publication }) => publication == consent.publication);
  // A withdrawal on this page names no publication, but the same services.
  const names = Object.assign({}, ...publications.map(({ manifest }) => titles(manifest)));
  part.list.replaceChildren(...consents.map((consent) => draw(consent, shown(consent), names, secret, host, again)));
  const some = Boolean(consents[0]);
  part.intro.hidden = part.limits.hidden = !some;
  part.older.hidden = !more;
  part.form.hidden = some;
  offerErasure(consents, secret, host, mayErase);
  say(some ? '' : words.none);
};

const none = (why) => {
  list([], [], null, false);
  say(why);
};

const byToken = async (token) => {
  const answer = await ask('history/' + project, { token });
  if (!answer.ok) return none(refusal(answer.status));
  const { consents, publications, more, mayErase, projectName } = await answer.json();
  list(consents, publications, { token }, more, () => byToken(token), mayErase, projectName);
};

// The consent of a proof, in the form of a history.
const consentOf = ({ record }) => {
  const group = (name) => JSON.parse(record[name].json || '{}');
  const { preferences = '{}' } = group('choice');
  return { ...group('core'), ...group('person'), ...group('circumstances'), preferences: JSON.parse(preferences) };
};

const bySalt = async (consent, salt) => {
  const answer = await ask('proofs/' + project + '/' + encodeURIComponent(consent), { salt });
  if (answer.status == 202) return none(words.soon);
  if (!answer.ok) return none(refusal(answer.status));
  const bundle = await answer.json();
  const found = consentOf(bundle);
  const { manifest } = bundle.publication || {};
  const shown = manifest ? [{ publication: found.publication, publishedAt: null, manifest: JSON.parse(manifest) }] : [];
  list([found], shown, { salt }, false, () => bySalt(consent, salt));
};

const open = (secret) => {
  let receipt;
  try {
    receipt = JSON.parse(secret);
  } catch {}
  const salt = receipt?.receipt?.salt;
  const shows = salt ? bySalt(receipt.consentId, salt) : byToken(secret);
  return shows.catch(() => none(words.failed));
};

const read = () => {
  let secret = '';
  try {
    secret = decodeURIComponent(location.hash.slice(1));
  } catch {}
  if (secret) open(secret);
  else part.form.hidden = false;
};

part.form.onsubmit = (event) => {
  event.preventDefault();
  open(part.secret.value.trim());
};
// The fragment stays.
part.language.onchange = () => (location.search = '?lang=' + part.language.value);
addEventListener('hashchange', read);
read();
