// What the packages here expect of Node.js and its oldest version that tests run on lacks.
import { webcrypto } from 'node:crypto';

globalThis.crypto ??= webcrypto;
URL.parse ??= (address, base) => {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
};
URL.canParse ??= (address, base) => URL.parse(address, base) !== null;
