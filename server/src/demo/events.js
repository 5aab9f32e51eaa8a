window.placetSettings = { clientId: "{{project}}", cookiesVersion: "shop-en" };
window._placet = window._placet || [];
window._placet.push(function (sdk) {
  function show(event, detail) {
    document.getElementById("events").textContent += event + (detail ? " " + JSON.stringify(detail) : "") + "\n";
  }
  sdk.on("ready", function () { show("ready"); });
  sdk.on("cookies:complete", function (choices) { show("cookies:complete", choices); });
  sdk.on("consent:saved", function () { show("consent:saved"); });
  document.getElementById("change").addEventListener("click", function () { sdk.openCookies(); });
});
