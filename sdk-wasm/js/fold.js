// Services that fold by their categories: their counts, the switch for all of a category, and a search. Publishing has
// drawn them, and without this script they fold and every service has its switch.

const word = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);
const isOn = (control) => control.getAttribute('aria-checked') == 'true';

const group = (port, box, allowedOf) => {
  const [all, count] = ['group-toggle', 'count'].map((part) => box.querySelector(`[part=${part}]`));
  const switches = [...box.querySelectorAll('[data-vendor]')];
  // Services that need no consent have no switches.
  if (!all) return;
  const draw = () => {
    const allowed = switches.filter(isOn).length;
    all.setAttribute('aria-checked', allowed && allowed < switches.length ? 'mixed' : !!allowed);
    count.textContent = word(allowedOf, { allowed, count: switches.length });
  };
  all.onclick = () => {
    // A search shows some of them, and a visitor means what is seen.
    const seen = switches.filter((one) => !one.closest('.v').hidden);
    const on = !seen.every(isOn);
    for (const one of seen) if (isOn(one) != on) port.handleEvent({ type: 'click', target: one });
  };
  const watch = new MutationObserver(draw);
  for (const one of switches) watch.observe(one, { attributeFilter: ['aria-checked'] });
  draw();
  all.hidden = false;
};

const search = (list, boxes) => {
  const input = list.querySelector('[part=search]');
  if (!input) return;
  const status = list.querySelector('[role=status]');
  const rows = [...list.querySelectorAll('.v')].map((row) => [row, row.textContent.toLowerCase()]);
  // As they were before the search.
  let before;
  input.oninput = () => {
    const query = input.value.trim().toLowerCase();
    before ||= boxes.map((box) => box.querySelector('details').open);
    for (const [row, text] of rows) row.hidden = !text.includes(query);
    boxes.forEach((box, at) => {
      box.hidden = !box.querySelector('.v:not([hidden])');
      box.querySelector('details').open = query ? true : before[at];
    });
    if (!query) before = 0;
    status.textContent = query && word(list.dataset.found, { count: rows.filter(([row]) => !row.hidden).length });
  };
  input.hidden = false;
};

// Brings the list of services of a control's page to life, if they fold there.
export const fold = (port, control) => {
  const list = control.closest('.p').querySelector('.fs');
  if (!list) return;
  const boxes = [...list.querySelectorAll('.fo')];
  for (const box of boxes) group(port, box, list.dataset.allowed);
  search(list, boxes);
};
