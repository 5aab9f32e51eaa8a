// The site's own picture behind the words of a placeholder, for pages where `data-placeholder` names one. `more.js` loads it
// for each.
const { element, box } = document.currentScript.placet;
const link = document.createElement('a');
link.href = element.dataset.placeholder;

if (/^http/.test(link.protocol)) {
  // The words keep the ground that their colour was made for.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('.q::before{display:none}.q p{padding:12px 16px;border-radius:var(--rb);background:var(--bg)}');
  const root = box.getRootNode();
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  // As JSON, an address ends no string of style.
  box.style.background = 'var(--bg) center/cover url(' + JSON.stringify(link.href) + ')';
}
