// The page around the layer that Chromium takes a picture of. It hears which layer the frame shows, has it told, and
// brings the text to the server, which only then ends the loading of this page.
const frame = document.querySelector('iframe');
addEventListener('message', ({ source, data }) => {
  if (source != frame.contentWindow || !data) return;
  const { placetPreview: shown, placetTold: told } = data;
  const layer = frame.dataset.layer ?? null;
  if (shown && shown.part == null && shown.step == layer) source.postMessage({ placetTell: true }, '*');
  if (typeof told == 'string') fetch('/told', { method: 'POST', body: told });
});
