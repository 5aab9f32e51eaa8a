// `fold.js` for pages, where `more.js` loads it when such a list is shown.
import { fold } from './fold.js';

const { port, control } = document.currentScript.placet;
port.fold = fold;
fold(port, control);
