// Places of the facts in a payload: `domain/src/payload.rs` for scripts. Only this file counts lines
// and fields.

// Of a payload's lines.
export const hosts = (lines) => lines[1].split('\t')[2];
export const vendors = (lines) => lines[2].split('\t').map((vendor) => vendor.split('|'));

// The number of lines with facts, and the places of the lines that follow.
export const FACTS = 4;
export const STYLE = 0;
export const PLACEHOLDER = 3;

// Of the facts that the loader's object keeps.
const linesOf = (port) => port.payload.split('\n');
export const facts = (port) => {
  const [, project, identifier, name, language, days, flags] = linesOf(port)[0].split('\t');
  return { project, identifier, name, language, days, flags };
};
export const source = (port) => {
  const [publication, api] = linesOf(port)[1].split('\t');
  return { publication, api };
};
// Display names of the vendors as HTML, by their names.
export const titles = (port) => Object.fromEntries(vendors(linesOf(port)).map(([name, , , ...title]) => [name, title.join('|')]));
