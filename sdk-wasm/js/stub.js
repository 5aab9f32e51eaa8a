// Stands in the page before all tags: answers `ping`, keeps what else is asked for `iab.js`, and finds calls of frames.
import { found, isAbove, serve } from './frames.js';
import { API, SUPPORTED } from './gpp-names.js';

const put = (name, stub) => {
  if (found(name) || isAbove(name)) return;
  window[name] = stub;
  serve(name);
};

const queue = [];
put('__tcfapi', (...call) => {
  if (!call[0]) return queue;
  if (call[0] == 'ping') call[2]({ gdprApplies: window.placetSettings?.gdprApplies, cmpLoaded: false, cmpStatus: 'stub', apiVersion: '2' }, true);
  else queue.push(call);
});

const gpp = (command, callback, parameter) => {
  const pingData = {
    gppVersion: API, cmpStatus: 'stub', cmpDisplayStatus: 'hidden', signalStatus: 'not ready', supportedAPIs: SUPPORTED,
    cmpId: 0, sectionList: [], applicableSections: [], gppString: '', parsedSections: {},
  };
  if (command == 'ping') callback(pingData, true);
  else if (command == 'addEventListener') {
    gpp.lastId++;
    gpp.events.push({ id: gpp.lastId, callback, parameter });
    callback({ eventName: 'listenerRegistered', listenerId: gpp.lastId, data: true, pingData }, true);
  } else gpp.queue.push([command, callback, parameter]);
};
Object.assign(gpp, { queue: [], events: [], lastId: 0 });
put('__gpp', gpp);
