// Reads and writes TC strings with the codec of the browser SDK.
// In: `{read}`, strings to read, or `{rewrite}`, strings to read and write again.
// Out: `{ready}` first. Then `{read: [fields]}` with the names of IAB's library, `null` for what is no TC string, or
// `{rewritten: [text]}`.
import { createInterface } from 'node:readline';
import { decode, encode, letters } from '../../sdk-wasm/js/codec.js';

const spread = ([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

const read = (text) => {
  let model;
  try {
    model = decode(text);
  } catch {
    return null;
  }
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
  const answer = texts ? { read: texts.map(read) } : { rewritten: rewrite.map((text) => encode(decode(text))) };
  process.stdout.write(JSON.stringify(answer) + '\n');
}
