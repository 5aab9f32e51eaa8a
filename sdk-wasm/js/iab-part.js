// `iab.js` for `generic.js`, which learns from a payload that it needs it.
import { begin } from './iab.js';

const { done, ...placet } = document.currentScript.placet;
done((more) => begin({ ...placet, ...more }));
