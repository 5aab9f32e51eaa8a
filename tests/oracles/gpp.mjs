// Writes and reads GPP strings with IAB's library.
// In: `{make, seed, layouts}`, a number of random strings to write from sections `{name, fields: [[name, count]]}`, or
// `{read}`, strings to read.
// Out: `{ready}` first. Then `{made: [{text, sections}]}` or `{read: [sections]}`: to the name of each section its
// fields, and `Gpc` where it has that.
import './older-node.mjs';
import { createInterface } from 'node:readline';
import { GppModel } from '@iabgpp/cmpapi';
import { random } from './random.mjs';

/** The sections of a string, a TC string as text. */
const read = (text) => {
  const model = new GppModel(text);
  const texts = text.split('~').slice(1);
  const sections = {};
  for (const [index, id] of model.getSectionIds().entries()) {
    if (id === 2) sections.tcfeuv2 = texts[index];
  }
  for (const [name, parts] of Object.entries(model.toObject())) {
    if (name === 'tcfeuv2') continue;
    const [fields, gpc] = Array.isArray(parts) ? parts : [parts];
    const { Version, GpcSegmentType, GpcSegmentIncluded, ...own } = { ...fields, ...gpc };
    sections[name] = own;
  }
  return sections;
};

const make = (next, layouts) => {
  const below = (end) => Math.floor(next() * end);
  const model = new GppModel();
  const share = next();
  for (const { name, fields } of layouts) {
    if (next() > share) continue;
    for (const [field, count] of fields) {
      const value = () => (field === 'MspaCoveredTransaction' ? 1 + below(2) : below(3));
      const values = Array.from({ length: count }, value);
      model.setFieldValue(name, field, count === 1 ? values[0] : values);
    }
    if (model.hasField(name, 'Gpc')) model.setFieldValue(name, 'Gpc', next() < 0.5);
  }
  const text = model.encode();
  return { text, sections: read(text) };
};

process.stdout.write('{"ready": true}\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { make: count, seed, layouts, read: texts } = JSON.parse(line);
  const next = random(seed);
  const answer = texts
    ? { read: texts.map(read) }
    : { made: Array.from({ length: count }, () => make(next, layouts)) };
  process.stdout.write(JSON.stringify(answer) + '\n');
}
