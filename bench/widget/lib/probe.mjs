// Runs in the page before any of its scripts (addInitScript), so it must be
// self-contained. Selectors may cross open shadow roots with " >>> ".
//
// It does not poll while nothing happens. A DOM mutation, a loaded stylesheet or the start of an animation
// schedules checks in animation frames, which stop after `idleFrames` frames without change. Otherwise the
// harness's own frames would count against slow banners.
export function probe(cfg, storedExpr) {
  if (window.top !== window || window.__wb) return;
  const now = () => performance.now();
  const W = (window.__wb = {
    t: { click: null, first: null, settled: null, stored: null, gone: null, eager: null, load: null },
    long: [], shifts: [], events: [], csp: [], wasm: [], errors: [], writes: [], eagerTries: 0,
  });

  // --- selectors ------------------------------------------------------------
  const find = (selector, root = document) => {
    if (!selector) return null;
    const cut = selector.indexOf('>>>');
    if (cut < 0) return root.querySelector(selector);
    const rest = selector.slice(cut + 3).trim();
    for (const host of root.querySelectorAll(selector.slice(0, cut).trim())) {
      if (!host.shadowRoot) continue;
      watch(host.shadowRoot);
      const hit = find(rest, host.shadowRoot);
      if (hit) return hit;
    }
    return null;
  };
  const parent = (n) => n.assignedSlot || n.parentElement || (n.getRootNode() instanceof ShadowRoot ? n.getRootNode().host : null);
  const rectOf = (el) => {
    const r = el.getBoundingClientRect();
    return { x: r.x, y: r.y, w: r.width, h: r.height };
  };
  // 0 if it is not displayed in the viewport, otherwise the effective opacity.
  const shown = (el) => {
    if (!el || !el.isConnected) return 0;
    const r = el.getBoundingClientRect();
    if (r.width < 1 || r.height < 1) return 0;
    if (r.bottom <= 0 || r.right <= 0 || r.top >= innerHeight || r.left >= innerWidth) return 0;
    if (!el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return 0;
    let opacity = 1;
    for (let n = el; n; n = parent(n)) opacity *= Number(getComputedStyle(n).opacity);
    return opacity;
  };
  const deepActive = () => {
    let a = document.activeElement;
    while (a && a.shadowRoot && a.shadowRoot.activeElement) a = a.shadowRoot.activeElement;
    return a;
  };
  const inside = (el, box) => {
    for (let n = el; n; n = parent(n)) if (n === box) return true;
    return false;
  };
  const centre = (selector) => {
    const el = find(selector);
    if (!el) return null;
    const r = el.getBoundingClientRect();
    return { x: r.x + r.width / 2, y: r.y + r.height / 2 };
  };
  Object.assign(W, { find, centre, shown, rectOf, deepActive, inside, parent });

  // --- passive observers -------------------------------------------------------
  const observe = (type, fn, more = {}) => {
    try { new PerformanceObserver((l) => l.getEntries().forEach(fn)).observe({ type, buffered: true, ...more }); } catch {}
  };
  observe('longtask', (e) => W.long.push([e.startTime, e.duration]));
  observe('layout-shift', (e) => W.shifts.push([e.startTime, e.value, e.hadRecentInput]));
  observe('event', (e) => W.events.push([e.name, e.startTime, e.duration, e.processingStart, e.processingEnd]), { durationThreshold: 16 });
  addEventListener('securitypolicyviolation', (e) =>
    W.csp.push({ directive: e.effectiveDirective, blocked: e.blockedURI, source: e.sourceFile, sample: e.sample, line: e.lineNumber }), true);
  addEventListener('error', (e) => W.errors.push(String(e.message || e.target?.src || e.target?.href || 'error')), true);
  addEventListener('unhandledrejection', (e) => W.errors.push('unhandled: ' + String(e.reason)));

  // --- WebAssembly: linear memory is not in the JS heap figure -------------------
  if (window.WebAssembly) {
    const memories = new Set();
    W.wasmBytes = () => [...memories].reduce((n, m) => n + m.buffer.byteLength, 0);
    const note = (out) => {
      const exports = (out.instance || out).exports;
      if (exports) for (const v of Object.values(exports)) if (v instanceof WebAssembly.Memory) memories.add(v);
    };
    for (const name of ['instantiate', 'instantiateStreaming', 'compile', 'compileStreaming']) {
      const real = WebAssembly[name];
      if (!real) continue;
      WebAssembly[name] = function (...args) {
        const start = now();
        const done = real.apply(this, args);
        done.then((out) => { W.wasm.push([name, start, now()]); note(out); }, (e) => W.errors.push('wasm: ' + e));
        return done;
      };
    }
    const Instance = WebAssembly.Instance;
    WebAssembly.Instance = new Proxy(Instance, { construct(t, a, n) { const made = Reflect.construct(t, a, n); note(made); return made; } });
    const Memory = WebAssembly.Memory;
    WebAssembly.Memory = new Proxy(Memory, { construct(t, a, n) { const m = Reflect.construct(t, a, n); memories.add(m); return m; } });
  } else W.wasmBytes = () => 0;

  // --- storage ------------------------------------------------------------------
  const nativeCookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  const isStored = () => {
    const s = cfg.stored;
    if (!s) return null;
    try {
      if (storedExpr) return Boolean(storedExpr());
      let value = null;
      if (s.cookie) {
        const hit = nativeCookie.get.call(document).split('; ').find((c) => c.startsWith(s.cookie + '='));
        if (hit) value = decodeURIComponent(hit.slice(s.cookie.length + 1));
      } else if (s.localStorage) value = localStorage.getItem(s.localStorage);
      else if (s.sessionStorage) value = sessionStorage.getItem(s.sessionStorage);
      return value !== null && new RegExp(s.match ?? '.').test(value);
    } catch { return false; }
  };
  W.isStored = isStored;
  W.cookies = () => nativeCookie.get.call(document);
  const wrote = (kind, key) => {
    const at = now();
    if (W.writes.length < 200) W.writes.push([kind, key, at]);
    if ((W.t.click !== null || W.eagerOn) && W.t.stored === null && isStored()) W.t.stored = at;
  };
  Object.defineProperty(Document.prototype, 'cookie', {
    ...nativeCookie,
    set(v) { nativeCookie.set.call(this, v); wrote('cookie', String(v).split('=')[0]); },
  });
  const after = (proto, method, kind) => {
    const real = proto?.[method];
    if (!real) return;
    proto[method] = function (...args) {
      const out = real.apply(this, args);
      if (out && typeof out.then === 'function') out.then(() => wrote(kind, String(args[0])), () => {});
      else wrote(kind, String(args[0]));
      return out;
    };
  };
  after(Storage.prototype, 'setItem', 'storage');
  after(window.CookieStore?.prototype, 'set', 'cookieStore');
  after(window.IDBObjectStore?.prototype, 'put', 'idb');
  after(window.IDBObjectStore?.prototype, 'add', 'idb');

  // --- banner visible --------------------------------------------------------------
  const idleFrames = 90;
  let frames = 0, scheduled = false, last = null, still = 0, stillSince = null;
  const news = () => { frames = idleFrames; kick(); };
  const kick = () => { if (!scheduled && W.t.settled === null) { scheduled = true; requestAnimationFrame(check); } };
  let settledDone;
  W.settled = new Promise((r) => (settledDone = r));
  function check() {
    scheduled = false;
    if (W.t.settled !== null) return;
    const at = now();
    const el = find(cfg.accept);
    const opacity = shown(el);
    if (opacity > 0.01) {
      const r = rectOf(el);
      if (W.t.first === null) {
        W.t.first = at;
        const ch = new MessageChannel();
        ch.port1.onmessage = () => { W.t.firstPainted = now(); };
        ch.port2.postMessage(0);
        if (cfg.eager) startEager();
      }
      const same = last && Math.abs(r.x - last.x) < 0.5 && Math.abs(r.y - last.y) < 0.5 && Math.abs(r.w - last.w) < 0.5 && Math.abs(r.h - last.h) < 0.5;
      if (opacity > 0.99 && same) {
        if (stillSince === null) stillSince = at;
        if (++still >= 3) { W.t.settled = stillSince; stop(); settledDone(); return; }
      } else { still = 0; stillSince = null; }
      last = r;
      frames = idleFrames;
    }
    if (frames-- > 0) kick();
  }
  const options = { childList: true, subtree: true, attributes: true, attributeFilter: ['class', 'style', 'hidden', 'open', 'aria-hidden'] };
  const watched = new WeakSet();
  const observers = [];
  function watch(root) {
    if (watched.has(root) || W.t.settled !== null) return;
    watched.add(root);
    const m = new MutationObserver(news);
    m.observe(root, options);
    observers.push(m);
    for (const type of ['load', 'animationstart', 'transitionrun', 'toggle']) root.addEventListener(type, news, true);
  }
  function stop() { for (const m of observers) m.disconnect(); }
  watch(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    const root = attach.call(this, init);
    if (init.mode === 'open') { watch(root); news(); }
    return root;
  };
  addEventListener('load', () => { W.t.load = now(); news(); });
  if (!cfg.accept) {
    // The page without a widget counts as settled two frames after it has loaded.
    addEventListener('load', () => requestAnimationFrame(() => requestAnimationFrame(() => { W.t.settled = now(); settledDone(); })));
  } else news();

  // --- accept: from the click to "gone and stored" ------------------------------------
  let goneDone;
  W.gone = new Promise((r) => (goneDone = r));
  const pollGone = () => {
    if (W.t.gone === null && shown(find(cfg.accept)) <= 0.01) W.t.gone = now();
    if (W.t.stored === null && cfg.stored && isStored()) W.t.stored = now();
    if (W.t.gone !== null && (W.t.stored !== null || !cfg.stored)) return goneDone();
    requestAnimationFrame(pollGone);
  };
  W.arm = () => {
    addEventListener('click', (e) => {
      if (!e.isTrusted || W.t.click !== null) return;
      W.t.click = e.timeStamp;
      requestAnimationFrame(pollGone);
    }, { capture: true, once: true });
  };

  // --- eager: the first click on the visible button that has an effect ------------------
  function startEager() {
    W.eagerOn = true;
    const turn = () => {
      const el = find(cfg.accept);
      if (W.t.stored !== null || isStored()) { W.t.eager = W.t.stored ?? now(); W.eagerOn = false; return goneDone(); }
      if (el) { W.eagerTries++; W.eagerLast = now(); el.click(); }
      setTimeout(turn, 8);
    };
    turn();
  }
}
