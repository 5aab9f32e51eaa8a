// Verifies an access token of Placet with jose, and forges others from it.
// In: `{jwks, token, issuer}`. Out: `{claims, header, forged: {<how>: <token>}}`.
import './older-node.mjs';
import { createInterface } from 'node:readline';
import * as jose from 'jose';

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

for await (const line of createInterface({ input: process.stdin })) {
  const { jwks, token, issuer } = JSON.parse(line);
  const { payload, protectedHeader } = await jose.jwtVerify(token, jose.createLocalJWKSet(jwks), {
    issuer, audience: issuer, algorithms: ['EdDSA'],
  });
  const [header, , signature] = token.split('.');
  const kid = protectedHeader.kid;
  const [{ x }] = jwks.keys;
  const own = await jose.generateKeyPair('EdDSA', { extractable: true });
  const ownJwk = await jose.exportJWK(own.publicKey);
  const rsa = await jose.generateKeyPair('RS256');
  const pem = await jose.exportSPKI(await jose.importJWK({ ...jwks.keys[0] }, 'EdDSA', { extractable: true }));
  const hmac = (key) =>
    new jose.SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid }).sign(key);
  const signed = (claims, key, head) =>
    new jose.SignJWT(claims).setProtectedHeader(head).sign(key);
  const forged = {
    none: `${part({ alg: 'none', kid })}.${part(payload)}.`,
    'None in capitals': `${part({ alg: 'NONE', kid })}.${part(payload)}.`,
    'none, signed': `${part({ alg: 'none', kid })}.${part(payload)}.${signature}`,
    'HMAC with the public key': await hmac(Buffer.from(x, 'base64url')),
    'HMAC with the public key as it is written': await hmac(new TextEncoder().encode(x)),
    'HMAC with the public key as PEM': await hmac(new TextEncoder().encode(pem)),
    'a later end': `${header}.${part({ ...payload, exp: payload.exp + 9e6 })}.${signature}`,
    'another user': `${header}.${part({ ...payload, sub: '0190b6a0-0000-7000-8000-000000000000' })}.${signature}`,
    'no signature': token.slice(0, token.lastIndexOf('.') + 1),
    'own key under our name': await signed(payload, own.privateKey, { alg: 'EdDSA', kid }),
    'own key under its name': await signed(payload, own.privateKey, { alg: 'EdDSA', kid: 'AAAAAAAAAAAAAAAA' }),
    'own key in the header': await signed(payload, own.privateKey, { alg: 'EdDSA', kid, jwk: ownJwk }),
    'RSA under our name': await signed(payload, rsa.privateKey, { alg: 'RS256', kid }),
    'no name of a key': await signed(payload, own.privateKey, { alg: 'EdDSA' }),
  };
  process.stdout.write(JSON.stringify({ claims: payload, header: protectedHeader, forged }) + '\n');
}
