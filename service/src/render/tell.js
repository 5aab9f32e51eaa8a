// Tells the text of a preview to its parent, when asked: the visible text and labels, a block a line, with the state of
// switches. Categories that visitors find folded are unfolded, and stay so for the picture. It stands before the script
// that draws the preview.
(() => {
  let lines;
  let line = '';
  const folded = new Set();
  const end = () => {
    line = line.replace(/\s+/g, ' ').trim();
    if (line) lines.push(line);
    line = '';
  };
  const walk = (node) => {
    if (node.nodeType == Node.TEXT_NODE) line += node.data;
    if (node.nodeType != Node.ELEMENT_NODE || /^(script|style|template)$/.test(node.localName)) return;
    const { display } = getComputedStyle(node);
    // An element without a box of its own, as a slot is, counts as one that nobody sees.
    if (node.ariaHidden == 'true' || (display != 'contents' && !node.checkVisibility({ visibilityProperty: true }))) return;
    const isBlock = !/^(inline|contents)/.test(display);
    if (isBlock) end();
    const label = node.ariaLabel || node.getAttribute('alt');
    if (label) line += ' ' + label + ' ';
    const children = node.localName == 'slot' ? node.assignedNodes() : (node.shadowRoot || node).childNodes;
    if (!label || !/^(a|button|input)$/.test(node.localName)) for (const child of children) walk(child);
    const state = node.ariaChecked ?? node.ariaPressed ?? (node.type == 'checkbox' ? String(node.checked) : null);
    if (state) line += { true: ' [on] ', mixed: ' [some] ' }[state] || ' [off] ';
    if (node.localName == 'summary' && folded.has(node.parentNode)) line += ' [folded] ';
    if (isBlock) end();
  };
  const within = (node) => [node, ...[...node.querySelectorAll('*')].flatMap((one) => (one.shadowRoot ? within(one.shadowRoot) : []))];
  // Animations that run, and end by themselves.
  const moving = () => {
    const all = within(document).flatMap((root) => root.getAnimations());
    return all.filter((one) => one.playState == 'running' && one.effect.getComputedTiming().endTime < Infinity);
  };
  addEventListener('message', async ({ source, data }) => {
    if (source != parent || !data || !data.placetTell) return;
    const all = (selector) => within(document).flatMap((root) => [...root.querySelectorAll(selector)]);
    for (const box of all('[part=group] > details:not([open])')) {
      box.open = true;
      folded.add(box);
    }
    const pictures = all('img');
    for (const picture of pictures) picture.loading = 'eager';
    // A picture that does not come leaves its place.
    await Promise.all(pictures.map((picture) => picture.decode().catch(() => {})));
    // In the middle of its entrance, the layer would be in the picture half drawn.
    do {
      for (const one of moving()) one.finish();
      // Drawn twice, all of it is on the screen.
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    } while (moving().length);
    lines = [];
    walk(document.body);
    end();
    parent.postMessage({ placetTold: lines.join('\n') }, '*');
  });
})();
