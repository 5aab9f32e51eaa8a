// IAB's frameworks around the SDK: a TC string beside each choice, `__tcfapi` and `__gpp`, and the first layer's
// buttons. It stands between the page and the module (`port`, see `core.js`), which knows nothing of it. Only
// configurations with flag `t` or `u` have it, in their bundle or from `generic.js`.
import { decode, encode, letters } from './codec.js';
import { act, CHOICE, flag, frameworks, hosts, STRING, vendors } from './facts.js';
import * as gppApi from './gpp.js';
import { isObject } from './page.js';
import * as tcfApi from './tcfapi.js';

const GOOGLE = 755;
// Browsers drop a larger cookie.
const MOST = 3800;
// Google takes no older string.
const MOST_DAYS = 390;
const DAY = 864e5;

// `provided` are Google's providers, which a string of its own names.
const NOTHING = { features: [], purposes: [], interests: [], consents: [], claims: [], provided: [] };
// Screen of a string for the button of a placeholder. The first layer is 1, and the layers behind it say their own.
const AT_PLACEHOLDER = 5;

// Those of some that are not among others. Lists of vendors are long.
const without = (ids, others) => {
  others = new Set(others);
  return ids.filter((id) => !others.has(id));
};

// The fields of a TC string by the names of GPP.
const fieldsOf = (model) => {
  const bits = (count, ids) => Array.from({ length: count }, (_, index) => ids.includes(index + 1));
  const time = (tenths) => new Date(tenths * 100);
  return [
    {
      Version: 2, Created: time(model.created), LastUpdated: time(model.updated), CmpId: model.cmp, CmpVersion: model.cmpVersion,
      ConsentScreen: model.screen, ConsentLanguage: letters(model.language), VendorListVersion: model.list,
      PolicyVersion: model.policy, IsServiceSpecific: true, UseNonStandardStacks: false,
      SpecialFeatureOptins: bits(12, model.features), PurposeConsents: bits(24, model.purposes),
      PurposeLegitimateInterests: bits(24, model.interests), PurposeOneTreatment: !!model.hidden,
      PublisherCountryCode: letters(model.country), VendorConsents: model.consents, VendorLegitimateInterests: model.claims,
      PublisherRestrictions: model.rules.map(([purpose, type, ranges]) => ({ purposeId: purpose, restrictionType: type, ranges })),
    },
    { SegmentType: 1, VendorsDisclosed: model.disclosed },
  ];
};

// Takes over a page whose payload has the flag. `go` is given the payload as the module knows it, when the module may
// start; never beside another platform. `load` loads a part of the SDK.
export const begin = ({ port, published, fail, load, text: payload, go }) => {
  const { settings } = port;
  const lines = payload.split('\n');
  const only = hosts(lines);
  // The module says so itself.
  if (isObject(window.placetSDK) || (only && !RegExp(only).test(location.hostname))) return go(payload);
  const about = frameworks(lines);
  const { flags, days, round, own, identifier, string } = about;
  const extra = 'addtl_consent-' + identifier;
  const hasTcf = flags.includes(flag.TCF);
  if (hasTcf && tcfApi.isTaken()) return console.info('Placet: another consent platform: nothing is shown.');
  const text = lines.pop();
  lines.pop();

  const cookie = (name) => {
    try {
      return port.cookie(name) || localStorage.getItem(name);
    } catch {}
  };
  const choices = () => window.placetSDK?.getChoices() || {};
  const gpc = () => !!navigator.globalPrivacyControl;
  const objects = () => settings.privacySignal || (flags.includes(flag.GPC) && gpc());

  const isLong = (text) => text.length > MOST;
  const life = () => Math.min(settings.userCookiesDuration > 0 ? settings.userCookiesDuration : days, MOST_DAYS);
  const keep = (name, value) => {
    const inCookie = isLong(value) ? '' : value;
    try {
      port.put(name + '=' + inCookie, inCookie ? life() * 86400 : 0);
      // Some browsers take none.
      if (value && !port.cookie(name)) localStorage.setItem(name, value);
      else localStorage.removeItem(name);
    } catch {}
  };

  // The choice as it is stored.
  const known = () => {
    const name = settings.jsonCookieName || CHOICE;
    try {
      return port.stored(name) || JSON.parse(localStorage.getItem(name));
    } catch {}
  };

  // Everything that a visitor may allow, and what is in force.
  let all;
  let now;
  let answered = false;
  let changed = false;
  let draft;
  let layers;

  const state = {
    applies: about.applies == 's' ? settings.gdprApplies : true,
    // Without TCF no interface tells what is shown.
    status: 'loading', display: hasTcf ? 'hidden' : null, cmp: 1, ready: false,
    get model() { return now; },
    get tc() { return hasTcf && state.applies && (() => ({ text: now.text, fields: fieldsOf(now) })); },
    us: about.mspa && (() => {
      const decided = hasTcf ? answered : port.decided;
      // An acceptance under the signal beats it.
      const out = decided ? refusesAds() || (gpc() && !known()?.$$gpc) : gpc();
      return { out, gpc: gpc(), mspa: about.mspa };
    }),
    extra: () => ({
      ...((flags.includes(flag.CONSENT_MODE) || settings.googleConsentMode) && { enableAdvertiserConsentMode: true }),
      ...additional(),
    }),
  };

  const additional = () => about.additional[0] && {
    addtlConsent: '2~' + now.provided.join('.') + '~dv.' + without(about.additional, now.provided).join('.'),
  };

  const take = (choice, screen) => {
    const today = Math.floor(Date.now() / DAY) * (DAY / 100);
    now = { ...all, ...choice, screen, created: today, updated: today };
    now.text = encode(now);
  };
  // A partner that asks for no purpose has special ones alone, and nobody can object to those.
  const allows = (name) => {
    const [id, purposes, [list, kind]] = own[name];
    return !purposes[0] || (now[list].includes(id) && !without(purposes, now[kind])[0]);
  };
  // Bits in force of those that are asked: an old string may have more.
  const current = () => {
    const found = { services: Object.keys(choices()).filter((name) => choices()[name]) };
    for (const field in NOTHING) found[field] = without(now[field], without(now[field], all[field]));
    return found;
  };
  const isGranted = (...purposes) =>
    now.consents.includes(GOOGLE) && !without(purposes, now.purposes)[0] ? 'granted' : 'denied';
  const withGoogle = (signals) => Object.assign(signals, {
    ad_storage: isGranted(1), ad_user_data: isGranted(1, 7), ad_personalization: isGranted(3, 4),
  });

  // The stored answer of an earlier page, if it still counts. That to an earlier round is asked for again, and its
  // objections stay: to partners that it discloses, and to purposes that were asked.
  let objected = { interests: [], claims: [] };
  const restore = () => {
    const text = cookie(string);
    answered = false;
    try {
      const model = decode(text);
      const { $$tcf } = known();
      const age = Date.now() - model.updated * 100;
      if (model.disclosed && model.cmp == all.cmp && model.own && age > -DAY && age < MOST_DAYS * DAY) {
        const { asked, round: last } = $$tcf[identifier];
        objected = { interests: without(asked, model.interests), claims: asked[0] ? without(model.disclosed, model.claims) : [] };
        if ((answered = last == round)) {
          const ids = (cookie(extra) || '').split('~')[1]?.split('.');
          now = { ...model, text, provided: about.additional.filter((id) => ids?.includes(id + '')) };
        }
      }
    } catch {}
    return answered;
  };

  let tcf;
  let gpp;
  const start = () => {
    // Until it is shown another page may take an answer.
    if (document.prerendering) return document.addEventListener('prerenderingchange', start);
    if (hasTcf && state.applies) {
      const allowed = { ...NOTHING };
      const isStored = restore();
      if (!objects()) for (const field in objected) allowed[field] = without(all[field], objected[field]);
      if (!isStored) take(allowed, 1);
    }
    state.status = 'loaded';
    if (answered) state.event = 'tcloaded';
    const isKnown = !hasTcf || answered || !state.applies;
    if (isKnown) state.display &&= 'disabled';
    hook(isKnown);
    if (!state.applies) {
      // No button opens a layer, and no call.
      lines[0] = lines[0].replace(/^((?:.*?\t){6})/, '$1h');
    }
    const draw = () => {
      go(lines.join('\n'));
      gpp.begin();
    };
    // Those who have waited are told at once, unless the first layer is about to be. Compiling and drawing that takes a
    // slow phone long, and is a task of its own: `ping` is answered before it.
    if (isKnown) {
      tcf?.begin();
      draw();
    } else setTimeout(draw);
  };

  // Without services the line is empty.
  const ads = vendors(lines).filter(([, , purposes]) => purposes?.includes('a')).map(([name]) => name);
  // A partner that the string does not disclose was not refused. One that asks no consent is refused by an objection.
  const isRefused = () => {
    const left = [...without(all.consents, now.consents), ...without(all.claims, [...all.consents, ...now.claims])];
    return without(left, now.disclosed).length < left.length;
  };
  const refusesAds = () => (hasTcf && state.applies && isRefused()) || ads.some((name) => !choices()[name]);

  // Stands between the page and the module.
  const hook = (isKnown) => {
    const { handleEvent, emit, consent, stored, json } = port;
    const tells = () => {
      changed = false;
      state.display &&= 'hidden';
      tcf?.tell('useractioncomplete');
      gpp.change();
    };

    if (hasTcf) {
      port.stored = (name) => {
        const value = stored(name);
        // Nobody is asked where the rules do not apply, and there only buttons of placeholders allow anything.
        if (!state.applies)
          return value?.$$tcf === false ? value : {
            ...value, ...Object.fromEntries(vendors(lines).map(([name]) => [name, false])),
            $$completed: true, $$projectId: about.project, $$date: new Date().toISOString(), $$duration: 1,
          };
        if (value) {
          // The module may have taken back for a signal what the string still allows.
          for (const vendor in own) if (value[vendor]) value[vendor] = answered && allows(vendor);
          // Asked again: the visitor's name stays.
          value.$$completed &&= answered;
        }
        return value;
      };
      port.json = (value) => json(value?.$$cookiesVersion ? { ...value, $$tcf: state.applies && { ...value.$$tcf, [identifier]: { round, gvl: now.list, asked: all.interests } } } : value);
      port.consent = (signals) => consent(withGoogle(signals));
    }
    port.emit = (event, detail) => {
      if (hasTcf && state.applies) {
        if (event == 'consent:signals' && state.extra().enableAdvertiserConsentMode) withGoogle(detail);
        if (event == 'clear') {
          keep(string, '');
          keep(extra, '');
          answered = false;
          take(NOTHING, 1);
          changed = true;
        }
      }
      // When the module has told what is stored.
      if (event == 'ready') queueMicrotask(() => (state.ready ||= isKnown) && gpp.begin());
      const refuse = () => {};
      if (!state.applies && event == 'ready') Object.assign(window.placetSDK, { openCookies: refuse, requestConsent: refuse });
      emit(event, detail);
      if (!state.applies) return;
      if (/open|step:change/.test(event)) {
        const { root } = port;
        const reveal = (part) => root.querySelector('[part=' + part + ']')?.removeAttribute('hidden');
        // The section follows the signal, also where services do not.
        if (state.us && gpc()) reveal('gpc');
        if (hasTcf) {
          // Listeners of the same kind are one.
          for (const kind of ['pointerover', 'focusin']) root.addEventListener(kind, nears);
          if (answered) reveal('close');
        }
      }
      if (event == 'open' && hasTcf) {
        draft = current();
        state.display = 'visible';
        tcf.tell('cmpuishown');
        tcf.begin();
        isKnown = false;
        gpp.pause();
      }
      if (/complete|clear/.test(event)) port.decided = event != 'clear';
      // Answered, or closed as it was.
      if (/complete|clear/.test(event) ? changed || (!hasTcf && state.ready) : event == 'close' && state.display == 'visible') tells();
    };

    const press = (a, vendor) => handleEvent({ type: 'click', target: { closest: () => ({ dataset: { a, vendor } }) } });
    // Services follow: partners their bits, others the answer.
    const follow = ({ services }, before) => {
      const differing = () => {
        const known = choices();
        return Object.keys(known).filter((name) => (name in own ? allows(name) : services.includes(name)) != known[name]);
      };
      const save = () => {
        for (const name of differing()) press(act.TOGGLE, name);
        port.pending.length = before;
        press(act.SAVE);
      };
      save();
      // The module's switches stay where they were when a site clears the choice under an open widget.
      if (differing()[0]) save();
    };
    const decide = (choice, screen, action, event) => {
      take(choice, screen);
      answered = changed = true;
      keep(string, now.text);
      keep(STRING, '');
      if (about.additional[0]) keep(extra, additional().addtlConsent);
      const before = port.pending.length;
      if (event) handleEvent(event);
      else follow(choice, before);
      complete(before, screen, action);
    };
    // The module knows own services alone, so its post may call everything accepted.
    const complete = (before, screen, action, kept) => {
      const body = port.pending[before]?.body;
      if (!body) return;
      const { preferences } = body;
      body.accept &&= action == 'accept';
      if (preferences.googleConsentMode) withGoogle(preferences.googleConsentMode);
      Object.assign(preferences, {
        tcString: now.text, tcf: { screen, action, kept }, ...additional(),
        ...(about.mspa && { gppString: gpp.text() }),
      });
    };

    // Fetched when a visitor is about to open one.
    const need = () => (layers ||= new Promise((done, failed) => load(LAYERS, {
      about, all, life, isLong: () => isLong(now.text), done, failed, draft: () => draft, isAnswered: () => answered,
    })));
    const show = (layer) => need().then((it) => it.open(layer), (why) => {
      // The first one works without them, and the next click tries again.
      layers = 0;
      console.error('Placet: ' + why);
    });
    // Of a placeholder's button. Purposes count for all partners: where others have bits, the layer shows them first.
    const allow = (name, event) => {
      const [id, purposes, [list, kind]] = own[name];
      const isMore = now[list][0] && without(purposes, now[kind])[0];
      if (isMore) window.placetSDK.openCookies();
      else draft = current();
      const add = (field, ids) => (draft[field] = all[field].filter((one) => draft[field].includes(one) || ids.includes(one)));
      add(list, [id]);
      add(kind, purposes);
      if (isMore) show(kind);
      else decide(draft, AT_PLACEHOLDER, 'save', event);
    };
    const nears = ({ target }) => target.closest?.('[data-layer]') && need().catch(() => (layers = 0));

    port.handleEvent = (event) => {
      if (!hasTcf || !state.applies) return handleEvent(event);
      const target = event.target?.closest?.('[data-a]');
      const a = event.type == 'click' && +target?.dataset.a;
      // Another page may have stored an answer, which the module reads by its bits.
      const isNew = (a == act.ALLOW || /pageshow|storage/.test(event.type)) && cookie(string) != now.text && restore();
      const screen = +target?.dataset.screen || 1;
      const vendor = a == act.ALLOW && target.getRootNode().host.dataset.vendor;
      if (a == act.ACCEPT) {
        const services = without(Object.keys(choices()), objects() ? ads : []);
        decide({ services, interests: draft.interests, claims: draft.claims }, screen, 'accept');
      } else if (a == act.REFUSE) decide(NOTHING, screen, 'refuse', event);
      else if (a == act.SAVE) decide(draft, screen, 'save');
      else if (a == act.LAYER) show(target.dataset.layer);
      else if (vendor in own) allow(vendor, event);
      // There is no way out before an answer.
      else if (answered || (a != act.CLOSE && a != act.DISMISS)) {
        const before = port.pending.length;
        handleEvent(event);
        if (a == act.ALLOW) complete(before, AT_PLACEHOLDER, 'save', answered);
      }
      if (isNew) {
        if (state.extra().enableAdvertiserConsentMode) port.consent({});
        tells();
      }
    };
  };

  try {
    if (hasTcf) {
      all = { ...decode(text), provided: about.additional };
      now = { ...all, ...NOTHING };
    }
  } catch {
    state.status = 'error';
    state.applies ??= true;
    now = { ...NOTHING, cmp: 0, cmpVersion: 0, policy: 0, disclosed: [], rules: [] };
    tcfApi.install(state, published).begin();
    gppApi.install({ ...state, tc: 0, us: 0 }).begin();
    return fail('a damaged payload');
  }
  if (hasTcf) {
    state.cmp = all.cmp;
    tcf = tcfApi.install(state, published);
  }
  gpp = gppApi.install(state);
  if (!hasTcf || state.applies != null) return start();
  // The page says later whether the rules apply.
  Object.defineProperty(settings, 'gdprApplies', {
    get: () => state.applies,
    set: (applies) => {
      if (state.applies != null || applies == null) return;
      state.applies = !!applies;
      start();
    },
  });
};
