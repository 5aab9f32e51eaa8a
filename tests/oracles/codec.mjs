// Reads and writes TC strings with the codec of the browser SDK. With two arguments the codec is wrong: the second one
// stands in the place of a piece of its text, the first.
// In: `{read}`, strings to read, or `{rewrite}`, strings to read and write again.
// Out: `{ready}` first. Then `{read: [fields]}` with the names of IAB's library, or `{rewritten: [text]}`; `null` for what is
// no TC string.
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const source = new URL('../../sdk-wasm/js/codec.js', import.meta.url);
const [piece, wrong] = process.argv.slice(2);
const spoilt = async () => {
  const right = await readFile(source, 'utf8');
  if (right.split(piece).length !== 2) throw new Error(`not once in the codec: ${piece}`);
  return `data:text/javascript,${encodeURIComponent(right.replace(piece, () => wrong))}`;
};
const { decode, encode, letters } = await import(piece ? await spoilt() : source);

const spread = ([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

const orNull = (task) => {
  try {
    return task();
  } catch {
    return null;
  }
};

const read = (text) => {
  const model = orNull(() => decode(text));
  if (!model) return null;
  const { cmp, cmpVersion, created, updated, screen, language, list, policy, own, custom, features } = model;
  const { purposes, interests, hidden, country, consents, claims, rules, disclosed } = model;
  return {
    created, lastUpdated: updated, cmpId: cmp, cmpVersion, consentScreen: screen, consentLanguage: letters(language), vendorListVersion: list,
    policyVersion: policy, isServiceSpecific: !!own, useNonStandardTexts: !!custom, specialFeatureOptins: features,
    purposeConsents: purposes, purposeLegitimateInterests: interests, purposeOneTreatment: !!hidden,
    publisherCountryCode: letters(country), vendorConsents: consents, vendorLegitimateInterests: claims,
    publisherRestrictions: rules
      .map(([purposeId, restrictionType, ranges]) => ({ purposeId, restrictionType, vendors: ranges.flatMap(spread) }))
      .sort((a, b) => a.purposeId - b.purposeId || a.restrictionType - b.restrictionType),
    disclosedVendors: disclosed,
  };
};

process.stdout.write('{"ready": true}\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { read: texts, rewrite } = JSON.parse(line);
  const answer = texts ? { read: texts.map(read) } : { rewritten: rewrite.map((text) => orNull(() => encode(decode(text)))) };
  process.stdout.write(JSON.stringify(answer) + '\n');
}
