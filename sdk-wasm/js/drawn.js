// Frameworks take over what a server has drawn. Until they have, nothing may be in it that the server did not
// put there: they would count it as theirs, or draw everything anew. Each tells in its own way that it has.

const some = (object, start) => Object.keys(object).find((key) => key.startsWith(start));

// React: what it has taken over has a key of it. What stands in markup that the site gave it as text never
// gets one. A part that waits for its data or its code is taken over after what is around it.
const REACT = ['__next_f', '__NEXT_DATA__', '__reactRouterContext', '__remixContext'];
const react = (element) => {
  if (some(element, '__reactFiber$')) return true;
  for (let node = element.parentNode; node; node = node.parentNode) {
    const given = some(node, '__reactProps$');
    if (given) return !!node[given].dangerouslySetInnerHTML;
    if (some(node, '__reactContainer$')) return false;
  }
  return !REACT.some((name) => window[name]);
};

// Nuxt and SvelteKit take over the whole page at once.
const nuxt = () => window.__NUXT__ && ![...document.body.children].some((root) => root.__vue_app__?.$nuxt?.isHydrating === false);
const svelte = () => some(window, '__sveltekit_') && !document.querySelector('#svelte-announcer');

// A part of a page of Astro that waits to be looked at, and so waits long.
const island = (element) => element.closest('astro-island[ssr]');
const unseen = (element) => island(element)?.getAttribute('client') == 'visible';

// True if the frameworks of the page have taken over an element, or nobody waits for them any longer.
export const drawn = (element, late) =>
  late ? !unseen(element) : !island(element) && !nuxt() && !svelte() && react(element);
