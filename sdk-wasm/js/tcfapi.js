// `window.__tcfapi` of TCF: commands, listeners, and what calls waited in a stub.
import { letters } from './codec.js';
import { found, isAbove, safely, serve, unguessable } from './frames.js';

const NAME = '__tcfapi';
const PURPOSES = 11;

// To each of the ids, whether it is among `yes`. Each listener is given some for all vendors, so it is a plain loop.
const flags = (ids, yes) => {
  const found = {};
  yes = new Set(yes);
  for (const id of ids) found[id] = yes.has(id);
  return found;
};

// Restrictions by purpose and vendor. Ids and runs ascend, so that one walk finds all.
const restrictions = ({ rules, disclosed }) => {
  const found = {};
  for (const [purpose, type, runs] of rules) {
    let at = 0;
    for (const id of disclosed) {
      while (runs[at]?.[1] < id) at++;
      if (runs[at]?.[0] <= id) (found[purpose] ||= {})[id] = type;
    }
  }
  return found;
};

// True if somebody else's platform is there, or is in a page around this one.
export const isTaken = () => {
  let loaded;
  try {
    window[NAME]?.('ping', 2, (pong) => (loaded = pong?.cmpLoaded));
  } catch {}
  return loaded || isAbove(NAME);
};

// `state` is read whenever somebody asks: `{applies, status, display, event, model, extra}`.
export const install = (state, published) => {
  const listeners = new Map();
  // Those who ask before it is known whether the rules apply.
  const waiting = [];

  const facts = () => {
    const { cmp, cmpVersion, policy } = state.model;
    return { gdprApplies: state.applies, tcfPolicyVersion: policy, cmpId: cmp, cmpVersion };
  };
  const data = (listenerId) => {
    if (!state.applies) return listenerId ? { ...facts(), listenerId } : facts();
    const { model } = state;
    const purposes = Array.from({ length: PURPOSES }, (_, index) => index + 1);
    return {
      ...facts(),
      tcString: model.text, eventStatus: state.event, cmpStatus: state.status, listenerId,
      isServiceSpecific: true, useNonStandardTexts: false,
      publisherCC: letters(model.country), purposeOneTreatment: !!model.hidden,
      purpose: { consents: flags(purposes, model.purposes), legitimateInterests: flags(purposes, model.interests) },
      vendor: {
        consents: flags(model.disclosed, model.consents),
        legitimateInterests: flags(model.disclosed, model.claims),
        disclosedVendors: flags(model.disclosed, model.disclosed),
      },
      specialFeatureOptins: flags([1, 2], model.features),
      publisher: {
        consents: {}, legitimateInterests: {}, customPurpose: { consents: {}, legitimateInterests: {} },
        restrictions: restrictions(model),
      },
      ...state.extra(),
    };
  };
  // Before the first layer is drawn nothing was disclosed, and there is no event to tell of.
  const isEarly = () => state.applies == null || (state.applies && state.status != 'error' && !state.event);
  const whenKnown = (task) => (isEarly() ? waiting.push(task) : task());

  const commands = {
    ping: (answer) => answer({
      ...facts(), cmpLoaded: true, cmpStatus: state.status, displayStatus: state.display, apiVersion: '2',
      gvlVersion: state.model.list,
    }, true),
    getTCData: (answer) => whenKnown(() => answer(data(), true)),
    addEventListener: (answer) => {
      const id = unguessable();
      whenKnown(() => {
        listeners.set(id, answer);
        answer(data(id), true);
      });
    },
    removeEventListener: (answer, id) => answer(listeners.delete(id)),
    getVendorList: (answer, version) =>
      fetch(published + '/tcf/vendor-list-v' + (version > 0 ? version : state.model.list) + '.json')
        .then((found) => (found.ok ? found.json() : Promise.reject()))
        .then((list) => answer(list, true), () => answer(null, false)),
  };

  const call = (command, version, answer, parameter) => {
    if (typeof answer != 'function') return;
    if ((version && version != 2) || !Object.hasOwn(commands, command)) answer(null, false);
    else commands[command](answer, parameter);
  };
  const stub = found(NAME);
  let queue = [];
  try {
    queue = stub?.() || [];
  } catch {}
  window[NAME] = call;
  if (!stub) serve(NAME);
  return {
    // Tells all listeners, each of them an object of its own.
    tell: (event) => {
      state.event = event;
      for (const [id, answer] of [...listeners]) safely(() => answer(data(id), true));
    },
    // Calls that waited in the stub, first in first out, then callers who came too early.
    begin: () => {
      for (const one of queue.splice(0)) safely(() => call(...one));
      for (const one of waiting.splice(0)) safely(one);
    },
  };
};
