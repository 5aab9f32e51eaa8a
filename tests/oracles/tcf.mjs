// Writes and reads TC strings with IAB's reference library.
// In: `{make, seed}`, a number of random strings to write, or `{read}`, strings to read.
// Out: `{ready}` first. Then `{made: [{text, fields, allowed, listed}]}`, where `allowed` has the restrictions as they
// were given and `listed` the ids of the vendor list, or `{read: [fields]}`, `null` for what the library cannot read.
import './older-node.mjs';
import { createInterface } from 'node:readline';
import { GVL, PurposeRestriction, TCModel, TCString } from '@iabtechlabtcf/core';
import { random } from './random.mjs';

const PURPOSES = Array.from({ length: 11 }, (_, index) => index + 1);
const FEATURES = [1, 2];

/** A vendor list with ids up to `last`, of which a share is missing. */
const vendorList = (next, last, missing, version) => {
  const vendors = {};
  for (let id = 1; id <= last; id++) {
    if (id !== last && next() < missing) continue;
    const consents = PURPOSES.filter(() => next() < 0.6);
    const interests = PURPOSES.filter((id) => ![1, 3, 4, 5, 6].includes(id) && !consents.includes(id));
    vendors[id] = {
      id, name: `Vendor ${id}`, purposes: consents, legIntPurposes: interests, specialPurposes: [], features: [],
      flexiblePurposes: [...consents, ...interests].filter((id) => id > 1 && next() < 0.7),
      specialFeatures: FEATURES.filter(() => next() < 0.3), policyUrl: 'https://vendor.example/',
    };
  }
  const named = (ids) => Object.fromEntries(ids.map((id) => [id, { id, name: `${id}`, description: '' }]));
  return new GVL({
    gvlSpecificationVersion: 3, vendorListVersion: version, tcfPolicyVersion: 5, lastUpdated: '2026-11-05T16:00:00Z',
    purposes: named(PURPOSES), specialPurposes: {}, features: {}, specialFeatures: named(FEATURES), stacks: {},
    dataCategories: {}, vendors,
  });
};

const ids = (vector) => {
  const found = [];
  for (const [id, is] of vector) if (is) found.push(id);
  return found;
};

const rules = (vector) =>
  vector.getRestrictions()
    .map((rule) => ({
      purposeId: rule.purposeId, restrictionType: rule.restrictionType, vendors: vector.getVendors(rule),
    }))
    .filter((rule) => rule.vendors.length > 0)
    .sort((a, b) => a.purposeId - b.purposeId || a.restrictionType - b.restrictionType);

const read = (text) => {
  const model = TCString.decode(text);
  const fields = {};
  for (const name of ['cmpId', 'cmpVersion', 'consentScreen', 'consentLanguage', 'vendorListVersion', 'policyVersion',
    'isServiceSpecific', 'useNonStandardTexts', 'purposeOneTreatment', 'publisherCountryCode']) {
    fields[name] = model[name];
  }
  for (const name of ['specialFeatureOptins', 'purposeConsents', 'purposeLegitimateInterests', 'vendorConsents',
    'vendorLegitimateInterests']) {
    fields[name] = ids(model[name]);
  }
  fields.publisherRestrictions = rules(model.publisherRestrictions);
  if (text.includes('.')) fields.disclosedVendors = ids(model.vendorsDisclosed);
  return { ...fields, created: model.created.getTime() / 100, lastUpdated: model.lastUpdated.getTime() / 100 };
};

const readOrNull = (text) => {
  try {
    return read(text);
  } catch {
    return null;
  }
};

const make = (next, list) => {
  const below = (end) => Math.floor(next() * end);
  const letters = () => String.fromCharCode(65 + below(26), 65 + below(26));
  // None, few, half or all of them, in runs.
  const some = (from) => {
    const turns = [0, 0.02, 0.2, 0.5, 1][below(5)];
    let isIn = next() < 0.5;
    return turns === 0 ? (isIn ? from : []) : from.filter(() => ((isIn = next() < turns ? !isIn : isIn), isIn));
  };
  const listed = [...list.vendorIds];
  const model = new TCModel(list);
  model.cmpId = 2 + below(4094);
  model.cmpVersion = below(4096);
  model.consentScreen = below(64);
  model.publisherCountryCode = letters();
  model.isServiceSpecific = true;
  model.useNonStandardTexts = next() < 0.5;
  model.purposeOneTreatment = next() < 0.5;
  model.created = model.lastUpdated = new Date(below(40_000) * 864e5);
  model.specialFeatureOptins.set(some(FEATURES));
  model.purposeConsents.set(some(PURPOSES));
  model.purposeLegitimateInterests.set(some(PURPOSES));
  model.vendorConsents.set(some(listed));
  model.vendorLegitimateInterests.set(some(listed));
  model.vendorsDisclosed.set(some(listed));
  model.publisherConsents.set(some(PURPOSES));
  model.numCustomPurposes = below(4);
  model.publisherCustomConsents.set(some([1, 2, 3].slice(0, model.numCustomPurposes)));
  model.publisherRestrictions.gvl = list;
  while (next() < 0.3) {
    const rule = new PurposeRestriction(2 + below(10), below(3));
    if (next() < 0.3) model.publisherRestrictions.restrictPurposeToLegalBasis(rule);
    else for (const id of some(listed)) model.publisherRestrictions.add(id, rule);
  }
  const text = TCString.encode(model);
  return { text, fields: read(text), allowed: rules(model.publisherRestrictions), listed };
};

process.stdout.write('{"ready": true}\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { make: count, seed, read: texts } = JSON.parse(line);
  if (texts) {
    process.stdout.write(JSON.stringify({ read: texts.map(readOrNull) }) + '\n');
    continue;
  }
  const next = random(seed);
  const small = [8, 40, 60, 90].map((last, index) => vendorList(next, last, index * 0.2, 100 + index));
  const large = [vendorList(next, 400, 0.5, 110), vendorList(next, 1600, 0.1, 111)];
  const made = [];
  for (let number = 0; number < count; number++) {
    // Long ones are rare, because the library takes milliseconds for each.
    const from = number % 40 === 0 ? large : small;
    made.push(make(next, from[Math.floor(next() * from.length)]));
  }
  process.stdout.write(JSON.stringify({ made }) + '\n');
}
