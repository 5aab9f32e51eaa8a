// An OpenID Connect provider (oidc-provider). Lines of JSON on standard input configure it: `{"redirect":
// "<base>"}` (once) and `{"user": {"sub", "email", "email_verified", "name"}}`.
import './older-node.mjs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import Provider from 'oidc-provider';

// Standard output has our lines only.
console.info = console.warn = console.log = console.error;
const say = (event) => process.stdout.write(JSON.stringify(event) + '\n');
let handle = (_request, response) => response.writeHead(503).end();
const server = createServer((request, response) => handle(request, response));
// By default Node closes a connection that was idle for five seconds, perhaps when a request is on its way.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  say({ issuer });

  let user = null;
  const start = (redirect) => {
    const provider = new Provider(issuer, {
      clients: [{
        client_id: 'placet',
        client_secret: 'a secret that nobody guesses',
        redirect_uris: [`${redirect}/v1/auth/oidc/company/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
      cookies: { keys: ['of this run'] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ ...user, sub }) }),
      // The test is not about consent at the provider: every user who signs in has given it.
      loadExistingGrant: async (ctx) => {
        const grant = new provider.Grant({
          clientId: ctx.oidc.client.clientId,
          accountId: ctx.oidc.session.accountId,
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    const callback = provider.callback();
    handle = async (request, response) => {
      if (!request.url.startsWith('/interaction/')) return callback(request, response);
      if (!user) {
        return provider.interactionFinished(request, response, { error: 'access_denied' });
      }
      await provider.interactionFinished(request, response, { login: { accountId: user.sub } });
    };
    say({ event: 'ready' });
  };

  createInterface({ input: process.stdin }).on('line', (line) => {
    const told = JSON.parse(line);
    if (told.redirect) start(told.redirect);
    if ('user' in told) {
      user = told.user;
      say({ event: 'user' });
    }
  });
});
