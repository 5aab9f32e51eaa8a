// TC strings, read and written: `domain::tcf` for scripts, without the segments that Placet does not write.
// Vendors, purposes and special features are sorted lists of ids; restrictions are `[purpose, type, ranges]`.

export const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
// The server takes no longer one, and each id of a short text takes little room.
const MOST = 8192;

// Fields of the core segment in their order, with their widths: of a number, of a set with a bit each (negative).
const FIELDS = {
  version: 6, created: 36, updated: 36, cmp: 12, cmpVersion: 12, screen: 6, language: 12, list: 12, policy: 6,
  own: 1, custom: 1, features: -12, purposes: -24, interests: -24, hidden: 1, country: 12,
};

const binary = (number, width) => number.toString(2).padStart(width, 0);
const spread = (ids, width) => {
  const bits = Array(width).fill(0);
  for (const id of ids) bits[id - 1] = 1;
  return bits.join('');
};

// First and last id of each run.
export const ranges = (ids) => {
  const runs = [];
  for (const id of ids) {
    const run = runs.at(-1);
    if (run?.[1] == id - 1) run[1] = id;
    else runs.push([id, id]);
  }
  return runs;
};
const entries = (runs) =>
  binary(runs.length, 12) +
  runs.map(([first, last]) => (first < last ? 1 : 0) + binary(first, 16) + (first < last ? binary(last, 16) : '')).join('');
const section = (ids) => {
  const most = ids.at(-1) || 0;
  const runs = entries(ranges(ids));
  return binary(most, 16) + (runs.length < most ? 1 + runs : 0 + spread(ids, most));
};
// Whole bytes and whole digits, as IAB's library pads.
const digits = (bits) => bits.padEnd(Math.ceil(bits.length / 24) * 24, 0).replace(/.{6}/g, (six) => DIGITS[parseInt(six, 2)]);

export const encode = (model) => {
  let bits = '';
  for (const field in FIELDS) {
    const width = FIELDS[field];
    bits += width < 0 ? spread(model[field], -width) : binary(model[field], width);
  }
  const rules = model.rules.map(([purpose, type, runs]) => binary(purpose, 6) + binary(type, 2) + entries(runs));
  return (
    digits(bits + section(model.consents) + section(model.claims) + binary(rules.length, 12) + rules.join('')) +
    '.' + digits('001' + section(model.disclosed))
  );
};

// Throws where a text is none, or holds less than it says.
export const decode = (text) => {
  if (text.length > MOST) throw text;
  let bits;
  let at;
  const open = (segment) => {
    if (/[^\w-]/.test(segment)) throw text;
    at = 0;
    bits = segment.replace(/./g, (digit) => binary(DIGITS.indexOf(digit), 6));
  };
  const read = (width) => {
    const taken = bits.slice(at, (at += width));
    if (at > bits.length) throw text;
    return taken;
  };
  const number = (width) => parseInt(read(width), 2);
  const set = (width) => {
    const ids = [];
    read(width).replace(/1/g, (_, at) => ids.push(at + 1));
    return ids;
  };
  const runs = () => Array.from({ length: number(12) }, () => {
    const wide = number(1);
    const first = number(16);
    return [first, wide ? number(16) : first];
  });
  const vendors = () => {
    const most = number(16);
    if (!number(1)) return set(most);
    const ids = [];
    for (let [first, last] of runs()) {
      // Ranges that overlap could name all vendors a thousand times.
      if (first <= (ids.at(-1) || 0) || last > most) throw text;
      while (first <= last) ids.push(first++);
    }
    return ids;
  };
  const [core, ...others] = text.split('.');
  open(core);
  const model = {};
  for (const field in FIELDS) model[field] = FIELDS[field] < 0 ? set(-FIELDS[field]) : number(FIELDS[field]);
  if (model.version != 2) throw text;
  model.consents = vendors();
  model.claims = vendors();
  model.rules = Array.from({ length: number(12) }, () => [number(6), number(2), runs()]);
  for (const segment of others) {
    open(segment);
    if (number(3) == 1) model.disclosed = vendors();
  }
  return model;
};

// A number of two letters, and back.
export const letters = (number) => String.fromCharCode(65 + (number >> 6), 65 + (number & 63));
