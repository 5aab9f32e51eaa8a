// React makes scripts by `innerHTML`, and browsers run none of those. A copy waits in front of such a script and starts
// as all others do; React keeps its own element.
export const copy = (port, script) => {
  // The text must not end its element. An escaped letter means the same in names, strings, templates and expressions.
  const text = script.text.replace(/(<\/?)(s)(?=cript)/gi, (_, open, s) => open + '\\u00' + s.charCodeAt().toString(16));
  const html = script.cloneNode().outerHTML.replace(/<\/script>$/, () => text + '</script>');
  const made = document.createRange().createContextualFragment(port.html(html)).firstChild;
  // Browsers hide it in markup.
  made.nonce = script.nonce;
  for (const event of ['load', 'error']) made.addEventListener(event, () => script.dispatchEvent(new Event(event)));
  // A copy of the page that a framework keeps has one that waits, too, and not two.
  script.removeAttribute('data-requires-vendor-consent');
  // React, while it takes over a page, has gone past what stands before, and would count what stands behind.
  script.before(made);
};
