// `iab.js` for `generic.js`, which learns from a payload that it needs it.
import { begin } from './iab.js';

begin(document.currentScript.placet);
