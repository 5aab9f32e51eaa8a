// The widget goes as it came, if it has an entrance: what the module has taken out of the page stands in it a moment
// longer, out of reach of clicks, keys and screen readers, and leaves. Nothing waits for it.
const LENGTH = 180;

// The place that an element comes from, in the style sheet of an entrance.
const from = (element) => getComputedStyle(element).getPropertyValue('--en') || 'none';

const see = ({ host, adoptedStyleSheets }, gone) => {
  if (!host.isConnected || matchMedia('(prefers-reduced-motion:reduce)').matches) return;
  const parts = gone.localName == 'dialog' ? [...gone.children] : [gone];
  const last = document.createElement('div');
  last.inert = true;
  last.setAttribute('aria-hidden', true);
  const root = last.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = adoptedStyleSheets;
  root.append(...parts);
  host.after(last);
  // Above the page, where it was.
  for (const part of parts) if (part.popover) part.showPopover?.();
  // Parts that are put in again would come again.
  for (const entrance of root.getAnimations?.() || []) entrance.finish();
  for (const part of parts) part.animate({ opacity: 0, transform: from(part) }, { duration: LENGTH, easing: 'ease-in', fill: 'forwards' });
  setTimeout(() => last.remove(), LENGTH);
};

// Watches a root whose widget has an entrance, once.
const watched = new WeakSet();
export const farewell = ({ root }) => {
  if (watched.has(root) || !root.querySelector('.w > .ti')) return;
  watched.add(root);
  const look = (changes) => {
    for (const { removedNodes } of changes) for (const node of removedNodes) if (node.matches?.('.w,dialog')) see(root, node);
  };
  new MutationObserver(look).observe(root, { childList: true });
};
