// A provider that lies, with tokens made by jose. The `code` chooses the lie, as base64url JSON: `{lie,
// nonce, sub, email, email_verified}`; an `email_verified` of null is left out.
import './older-node.mjs';
import { createServer } from 'node:http';
import * as jose from 'jose';

const rsa = await jose.generateKeyPair('RS256', { extractable: true });
const other = await jose.generateKeyPair('RS256');
const jwk = { ...(await jose.exportJWK(rsa.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
const pem = await jose.exportSPKI(rsa.publicKey);
const secret = 'a secret that nobody guesses';
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

const idToken = async (issuer, { lie, nonce, sub, email, email_verified = true }) => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: 'placet', sub, email, email_verified, nonce, iat: now, exp: now + 300 };
  if (email_verified === null) delete claims.email_verified;
  if (lie === 'nonce') claims.nonce = 'another';
  if (lie === 'no nonce') delete claims.nonce;
  if (lie === 'issuer') claims.iss = `${issuer}/elsewhere`;
  if (lie === 'audience') claims.aud = 'somebody else';
  if (lie === 'audience of others') Object.assign(claims, { aud: ['placet', 'somebody else'], azp: 'placet' });
  if (lie === 'authorized party') claims.azp = 'somebody else';
  if (lie === 'from the future') Object.assign(claims, { iat: now + 3600, exp: now + 7200 });
  if (lie === 'expired') Object.assign(claims, { iat: now - 7200, exp: now - 3600 });
  const sign = (key, header) => new jose.SignJWT(claims).setProtectedHeader(header).sign(key);
  const bytes = (text) => new TextEncoder().encode(text);
  switch (lie) {
    case 'none':
      return `${part({ alg: 'none', kid: 'k1' })}.${part(claims)}.`;
    // HMAC with the public key as its secret, and with the client secret.
    case 'confusion':
      return sign(bytes(pem), { alg: 'HS256', kid: 'k1' });
    case 'confusion without kid':
      return sign(bytes(pem), { alg: 'HS256' });
    case 'client secret':
      return sign(bytes(secret), { alg: 'HS256' });
    case 'other key':
      return sign(other.privateKey, { alg: 'RS256', kid: 'k1' });
    case 'own key in header':
      return sign(other.privateKey, {
        alg: 'RS256', jwk: await jose.exportJWK(other.publicKey),
      });
    case 'tampered': {
      const [header, , signature] = (await sign(rsa.privateKey, { alg: 'RS256', kid: 'k1' })).split('.');
      return `${header}.${part({ ...claims, sub: 'somebody else' })}.${signature}`;
    }
    default:
      return sign(rsa.privateKey, { alg: 'RS256', kid: 'k1' });
  }
};

const server = createServer(async (request, response) => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const answer = (value) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  switch (request.url) {
    case '/.well-known/openid-configuration':
      return answer({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        // It announces algorithms that it should not.
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      });
    case '/jwks':
      return answer({ keys: [jwk] });
    case '/token': {
      let body = '';
      for await (const chunk of request) body += chunk;
      const code = JSON.parse(Buffer.from(new URLSearchParams(body).get('code'), 'base64url'));
      return answer({
        access_token: 'opaque', token_type: 'Bearer', expires_in: 300,
        id_token: await idToken(issuer, code),
      });
    }
    default:
      response.writeHead(404).end();
  }
});
// By default Node closes a connection that was idle for five seconds, perhaps when a request is on its way.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(JSON.stringify({ issuer: `http://127.0.0.1:${server.address().port}` }) + '\n');
});
