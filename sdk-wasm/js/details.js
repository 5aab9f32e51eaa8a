// Details of a service in its row, behind "Read more": what the service is, who runs it, its cookies with their
// lives, and its privacy policy. `later` brings what publishing has written of all services of the configuration.
import { facts } from './facts.js';
import { spell } from './spans.js';

// Style that nothing needs before.
const style = '[aria-expanded=true]::after{transform:translateY(3px) rotate(225deg)}.e+*>*{margin-bottom:6px}.e+* a{display:inline-block;line-height:26px}ul ul{padding-inline-start:18px}';
let sheet;
const dress = (root) => {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
};

const draw = async (port, later, button, box) => {
  const row = button.closest('li');
  const { details } = await later();
  const html = details?.[row.querySelector('[data-vendor]').dataset.vendor];
  box.filled = html;
  if (!html) {
    box.role = 'status';
    box.textContent = row.getRootNode().querySelector('#n').textContent;
    return;
  }
  box.role = null;
  box.innerHTML = port.html(html);
  spell(facts(port).language, box);
};

export const details = (port, later, button) => {
  dress(button.getRootNode());
  let box = button.nextSibling;
  if (!box) {
    box = document.createElement('div');
    box.part = 'details';
    box.hidden = true;
    button.after(box);
  }
  box.hidden = !box.hidden;
  button.setAttribute('aria-expanded', !box.hidden);
  if (!box.hidden && !box.filled) draw(port, later, button, box);
};
