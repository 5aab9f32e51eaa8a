// Defines globals that these packages expect and the oldest supported Node.js lacks.
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
