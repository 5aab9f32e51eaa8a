// A configuration in several languages: pages in one of them show it in that language. The payloads of the others
// are files of their own, which only such pages load.
import { inLanguage } from './facts.js';

// The page's language. Both written forms of Norwegian are one.
export const spoken = () => document.documentElement.lang.toLowerCase().split(/[-_]/)[0].replace(/^n[bn]$/, 'no');

// Calls `go` with the payload in the page's language. If there is none, or it cannot be loaded, calls it with `payload`,
// which is in the default language. `published` is the base address of published files.
export const speak = (payload, published, { useDocumentLang }, go) => {
  const file = useDocumentLang !== false && inLanguage(payload, spoken());
  if (!file) return go(payload);
  fetch(published + file)
    .then((answer) => (answer.ok ? answer.text() : payload))
    .catch(() => payload)
    .then(go);
};
