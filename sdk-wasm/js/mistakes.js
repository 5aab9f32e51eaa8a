// A mistake of the site: said once in the console, and kept for the panel of `?placet-debug`.
export const mistake = (port, text) => {
  const known = (port.mistakes ||= []);
  if (known.includes(text)) return;
  known.push(text);
  console.error('Placet: ' + text);
  port.redraw?.();
};

// True for what browsers take as the name of a cookie.
export const isCookieName = (name) => /^[^\s;,=()<>@:\\"/[\]?{}]+$/.test(name);
