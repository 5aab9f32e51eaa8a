// `window.__gpp` of the Global Privacy Platform: section 2 (the TC string as it is) and section 7 (usnat).
import { DIGITS } from './codec.js';
import { found, isAbove, safely, serve, unguessable } from './frames.js';
import { API, SUPPORTED } from './gpp-names.js';

const NAME = '__gpp';
// Headers by the sections behind them, as `domain::gpp` writes them.
const HEADERS = { '': 'DBAA', 2: 'DBABMA', 7: 'DBABLA', '2,7': 'DBACMMA' };

// Version 2 of usnat: notices were given, `out` of sale, sharing and targeted advertising. `mspa` is the end of the
// section as publishing has written it.
const usnat = ({ out, gpc, mspa }) => 'CVQ' + (out ? 'V' : 'q') + 'AAAAAA' + mspa + (gpc ? '.YA' : '.QA');
const parsed = ({ out, gpc, mspa }) => {
  const optOut = out ? 1 : 2;
  const zeros = (count) => Array(count).fill(0);
  const [covered, modes] = [...mspa].map((digit) => DIGITS.indexOf(digit));
  return [
    {
      Version: 2, SharingNotice: 1, SaleOptOutNotice: 1, SharingOptOutNotice: 1, TargetedAdvertisingOptOutNotice: 1,
      SensitiveDataProcessingOptOutNotice: 0, SensitiveDataLimitUseNotice: 0, SaleOptOut: optOut, SharingOptOut: optOut,
      TargetedAdvertisingOptOut: optOut, SensitiveDataProcessing: zeros(16), KnownChildSensitiveDataConsents: zeros(3),
      PersonalDataConsents: 0, MspaCoveredTransaction: covered, MspaOptOutOptionMode: modes >> 4, MspaServiceProviderMode: (modes >> 2) & 3,
    },
    { SubsectionType: 1, Gpc: gpc },
  ];
};

// `state` is read whenever somebody asks: `{tc, us, status, display, ready}`; `tc` gives the TC string and its fields.
export const install = (state) => {
  let stub = found(NAME);
  let isLoaded = isAbove(NAME);
  try {
    stub?.('ping', (pong) => (isLoaded ||= pong?.cmpStatus != 'stub'));
  } catch {}
  // On this page, or around it. Its callers go on asking it: what follows serves the proofs of choices alone.
  if (isLoaded) {
    stub = 0;
    console.info('Placet: another consent platform: __gpp stays.');
  }
  const listeners = new Map((stub?.events || []).map(({ id, callback }) => [id, callback]));

  const sections = () => [state.tc && 2, state.us && 7].filter(Boolean);
  const content = () => ({
    ...(state.tc && { tcfeuv2: state.tc().fields }),
    ...(state.us && { usnat: parsed(state.us()) }),
  });
  const text = () => {
    const list = sections();
    return [HEADERS[list], ...list.map((id) => (id == 2 ? state.tc().text : usnat(state.us())))].join('~');
  };
  const ping = () => ({
    gppVersion: API, cmpStatus: state.status, cmpDisplayStatus: state.display, signalStatus: state.ready ? 'ready' : 'not ready',
    supportedAPIs: SUPPORTED, cmpId: state.cmp, sectionList: sections(), applicableSections: sections()[0] ? sections() : [-1],
    gppString: text(), parsedSections: content(),
  });
  const event = (eventName, data, listenerId) => ({ eventName, listenerId, data, pingData: ping() });
  const commands = {
    ping: (answer) => answer(ping(), true),
    addEventListener: (answer) => {
      const id = unguessable();
      listeners.set(id, answer);
      answer(event('listenerRegistered', true, id), true);
    },
    removeEventListener: (answer, id) => {
      const known = listeners.delete(id);
      answer(event('listenerRemoved', known, id), known);
    },
    hasSection: (answer, name) => answer(name in content(), true),
    getSection: (answer, name) => answer(content()[name] || null, true),
    getField: (answer, path) => {
      const [name, field] = String(path).split('.');
      answer(content()[name]?.find((part) => field in part)?.[field] ?? null, true);
    },
  };
  const call = (command, answer, parameter) => {
    if (typeof answer != 'function') return;
    if (Object.hasOwn(commands, command)) commands[command](answer, parameter);
    else answer(null, false);
  };
  if (!isLoaded) {
    window[NAME] = call;
    if (!stub) serve(NAME);
  }
  const tell = (name, data) => {
    for (const [id, answer] of [...listeners]) safely(() => answer(event(name, data, id), true));
  };
  return {
    text,
    begin: () => {
      for (const one of stub?.queue?.splice(0) || []) safely(() => call(...one));
      if (state.ready) tell('signalStatus', 'ready');
    },
    // A layer is open: nobody may take what there is for an answer.
    pause: () => {
      state.ready = false;
      tell('cmpDisplayStatus', state.display);
      tell('signalStatus', 'not ready');
    },
    // Something may have changed.
    change: () => {
      if (state.ready) {
        state.ready = false;
        tell('signalStatus', 'not ready');
      } else tell('cmpDisplayStatus', state.display);
      for (const name in content()) tell('sectionChange', name);
      state.ready = true;
      tell('signalStatus', 'ready');
    },
  };
};
