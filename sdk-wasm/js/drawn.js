// Frameworks take over what a server has drawn. Until they have, nothing may be in it that the server did not
// put there: they would count it as theirs, or draw everything anew. Each tells in its own way that it has.

import { isOfReact } from './react.js';

const some = (object, start) => Object.keys(object).find((key) => key.startsWith(start));

// React: a part that waits for its data or its code is taken over after what is around it.
const REACT = ['__next_f', '__NEXT_DATA__', '__reactRouterContext', '__remixContext'];
// A form's field may have that name.
const above = (node) => Reflect.get(Node.prototype, 'parentNode', node);
const react = (element) => {
  if (isOfReact(element)) return true;
  for (let node = above(element); node; node = above(node)) {
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
const drawn = (element, late) =>
  late ? !unseen(element) : !island(element) && !nuxt() && !svelte() && react(element);

// Frameworks take over while a page loads, or later.
export const whenLoaded = (task) => {
  if (document.readyState == 'complete') task();
  else addEventListener('load', () => setTimeout(task));
};

// A framework that has not taken over by then has failed, or leaves the element alone.
const PATIENCE = 10_000;

// Gives a function that asks for a look at the page. Then `look` is called, not before the page has loaded, and again
// while it meets elements that wait for their framework. The function that it is given tells if an element has been
// taken over.
export const patiently = (look) => {
  let asked;
  let since;
  let again;
  const run = () => {
    again = clearTimeout(again);
    const late = performance.now() - since > PATIENCE;
    look((element) => {
      const ready = drawn(element, late);
      if (!ready && !late) again ||= setTimeout(run, 100);
      return ready;
    });
  };
  const begin = () => {
    since = performance.now();
    run();
  };
  // Astro takes over parts when they are looked at, and other pages without a load.
  for (const event of ['astro:hydrate', 'astro:after-swap']) document.addEventListener(event, () => since && begin(), true);
  return () => {
    if (since) run();
    else if (!asked) whenLoaded(begin);
    asked = true;
  };
};
