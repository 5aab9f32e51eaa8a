// Places of the facts in a payload: `domain/src/payload.rs` for scripts. Only this file counts lines
// and fields.

// Of a payload's lines.
export const hosts = (lines) => lines[1].split('\t')[2];
export const vendors = (lines) => lines[2].split('\t').map((vendor) => vendor.split('|'));

// Of a payload: its file in another language, if it has one.
export const inLanguage = (payload, language) => {
  const [head, source] = payload.split('\n', 2);
  const [, project, , name] = head.split('\t');
  const one = source.split('\t')[3]?.split(' ').find((one) => one.startsWith(language + '.'));
  return one && '/' + project + '/' + encodeURIComponent(name + '.' + one) + '.payload';
};

// The number of lines with facts, and the places of the lines that follow.
export const FACTS = 4;
export const STYLE = 0;
export const PLACEHOLDER = 3;

// Of the facts that the loader's object keeps.
const linesOf = (port) => port.payload.split('\n');
export const facts = (port) => {
  const [, project, identifier, name, language, days, flags] = linesOf(port)[0].split('\t');
  // Files of a widget that was translated (flag `l`) have the language in their names. The preview of a box has none.
  const file = /l/.test(flags) ? `${name}.${language}` : name;
  return { project, identifier, name, language, days, flags, file };
};
export const source = (port) => {
  const [publication, api] = linesOf(port)[1].split('\t');
  return { publication, api };
};
// Display names of the vendors as HTML, by their names.
export const titles = (port) => Object.fromEntries(vendors(linesOf(port)).map(([name, , , ...title]) => [name, title.join('|')]));

// Flags, and acts of buttons, that scripts know.
export const flag = { TCF: 't', GPP: 'u', GPC: 'g', CONSENT_MODE: 'm' };
export const act = { ACCEPT: 1, REFUSE: 2, SAVE: 5, CLOSE: 6, TOGGLE: 7, ALLOW: 10, DISMISS: 11, LAYER: 13 };

// True if the flags of a payload have `t` or `u`.
export const isFramework = (payload) => /^(.*?\t){6}\w*[tu]/.test(payload);

// The cookie with the choice, unless the site names it.
export const CHOICE = 'placet_cookies';

// The cookie with a TC string. A configuration has one of its own, by its identifier: another one, of this project or of
// another, asks other questions. One without is of another platform.
export const STRING = 'euconsent-v2';

const ids = (text) => (text ? text.split('.').map(Number) : []);

// The last line but one of a payload with flag `t` or `u`; the last one is the TC string that allows everything.
export const frameworks = (lines) => {
  const [, project, identifier, , , days, flags] = lines[0].split('\t');
  const [round, applies, partners, texts, mspa, additional, ...own] = lines.at(-2).split('\t');
  return {
    project, identifier, string: STRING + '-' + identifier, days, flags, round: +round, applies, partners, texts, mspa,
    additional: ids(additional),
    // To the name of each own vendor that is in the framework its id there, the purposes that it needs, and the fields of
    // a string with its bit and those of the purposes.
    own: Object.fromEntries(own.map((one) => {
      const [name, id, purposes, interest] = one.split('|');
      const fields = interest ? ['claims', 'interests'] : ['consents', 'purposes'];
      return [name, [+id, ids(purposes), fields]];
    })),
  };
};
