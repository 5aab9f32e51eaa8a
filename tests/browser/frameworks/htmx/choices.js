window._placet = window._placet || [];
_placet.push((sdk) => {
  const draw = () => {
    for (const part of document.querySelectorAll("[data-if]")) part.hidden = !sdk.hasAcceptedVendor(part.dataset.if);
    for (const part of document.querySelectorAll("[data-ask]")) part.hidden = sdk.hasAcceptedVendor(part.dataset.ask);
  };
  draw();
  for (const event of ["cookies:complete", "clear"]) sdk.on(event, draw);
  for (const event of ["htmx:load", "htmx:historyRestore", "turbo:render"]) document.addEventListener(event, draw);
  document.addEventListener("click", ({ target }) => {
    if (target.dataset.ask) sdk.requestConsent(target.dataset.ask);
  });
});
