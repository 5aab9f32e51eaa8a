// The live preview of a box in the admin UI: stands in for the SDK, so that the script that follows
// draws a draft in place of what is published, and stores and posts nothing. It runs in a sandboxed
// frame and tells its parent what is shown and clicked.
(() => {
  const drawn = __PLACET_BOXES__;
  let answers = 0;
  const port = {
    pending: [],
    payload: '1\tpreview\n',
    html: (html) => html,
    json: (value) => JSON.stringify(value),
    random: () => String((answers += 1)).padStart(32, '0'),
  };
  const kept = [];
  window.fetch = (url) =>
    url.endsWith('/boxes.json') ? Promise.resolve(new Response(drawn)) : Promise.reject(new Error('This is a preview.'));
  document.currentScript.placet = {
    sdk: {
      settings: { token: 'preview', apiUrl: 'preview:' },
      on: (event, callback) => event == 'consent:saved' && kept.push(callback),
    },
    port,
    published: 'preview:',
    done: () => {},
    // Posts that would be sent count as stored.
    flush: () => {
      for (const { body } of port.pending.splice(0)) for (const tell of kept) tell(body);
    },
  };

  const tell = (part) => parent.postMessage({ placetPreview: { step: null, part } }, '*');
  // It is drawn when it has its checkbox.
  new MutationObserver((_, observer) => {
    observer.disconnect();
    tell(null);
  }).observe(document.querySelector('form > div'), { childList: true });
  addEventListener('click', (event) => {
    const path = event.composedPath();
    const at = path.find((node) => node.part && node.part.length);
    if (at) tell(at.part.value);
    // A frame like this one opens nothing.
    if (path.some((node) => node.localName == 'a')) event.preventDefault();
  });
  // The frame is drawn anew while somebody types beside it: it takes no focus.
  HTMLElement.prototype.focus = () => {};

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    'html{color-scheme:light;background:#eef0f4;--b:#dfe3ea}html[data-scheme=dark]{color-scheme:dark;background:#0d0f13;--b:#1b1f27}' +
      'body{margin:0;padding:24px}form{display:grid;gap:10px;max-width:600px;margin:auto}i,b,u{display:block;border-radius:6px;background:var(--b)}' +
      'i{width:30%;height:12px}b{height:40px;margin-bottom:6px}div{margin:6px 0}u{width:140px;height:40px}',
  );
  document.adoptedStyleSheets = [sheet];
})();
