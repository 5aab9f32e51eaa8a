// The browser as the SDK sees it: numbers that stand for values, and a dozen operations on them.
// A number is good until the call into the module ends that it was made for: the table is then
// cut back, so nothing in the module ever has to be released. Nothing (undefined, null, false, 0,
// '') is number 0, and so is what is asked of it. A thing that the page or the browser refuses (storage in
// a sandboxed frame, a blocked sink) gives 0, never an exception.

const port = {};
// Constants, and the names that the module speaks of (`src/names.rs`): outside of any call that cuts back.
const table = [undefined, globalThis, port, document, true, false, ...NAMES.split('\n')];

export { port, table };
export const give = (value) => (value ? table.push(value) - 1 : 0);
export const say = (text) => table.push(text) - 1;
export const say_number = say;

// Asked first where nothing is likely: an exception that is caught costs half a millisecond.
const read = (object, key) => {
  try {
    return table[object]?.[table[key]];
  } catch {}
};
export const get = (object, key) => give(read(object, key));
export const number = (object, key) => +read(object, key);
// A text comes over in two steps: how long it is (less than nothing: no text), then its bytes.
let bytes;
export const text_length = (value) => {
  value = table[value];
  if (typeof value != 'string') return -1;
  bytes = new TextEncoder().encode(value);
  return bytes.length;
};
export const text_bytes = (into) => into.set(bytes);
export const set = (object, key, value) => {
  try {
    if (object) table[object][table[key]] = table[value];
  } catch {}
};
export const call = (object, method, a, b) => {
  try {
    const on = table[object];
    method = table[method];
    return give(b ? on?.[method](table[a], table[b]) : a ? on?.[method](table[a]) : on?.[method]());
  } catch {}
};
export const make = (name) => {
  try {
    return give(new globalThis[table[name]]());
  } catch {}
};
export const same = (a, b) => table[a] === table[b];

// The site's own callbacks: their errors belong to the site's console, not to us.
export const guard = (callback, a, b) => {
  try {
    callback(a, b);
  } catch (error) {
    setTimeout(() => { throw error; });
  }
};
