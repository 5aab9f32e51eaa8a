// `iab.js` for `generic.js`, which learns from a payload that it needs it.
import { begin } from './iab.js';

const { port, published, fail, load, text, go } = document.currentScript.placet;
begin({ port, published, fail, load }, text, go);
