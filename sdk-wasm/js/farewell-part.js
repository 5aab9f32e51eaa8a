// `farewell.js` for pages, where `more.js` loads it when a widget with an entrance is shown.
import { farewell } from './farewell.js';

farewell(document.currentScript.placet.port);
