// A mistake of the site: said once in the console, and kept for the panel of `?placet-debug`.
export const mistake = (port, text) => {
  const known = (port.mistakes ||= []);
  if (known.includes(text)) return;
  known.push(text);
  console.error('Placet: ' + text);
  port.redraw?.();
};
