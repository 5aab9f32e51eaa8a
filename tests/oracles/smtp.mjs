// A mail server (smtp-server) that prints each letter as a line of JSON. It refuses addresses that begin with
// `bounce` for good (550), and those with `defer` until a line arrives on standard input.
import { createInterface } from 'node:readline';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

const say = (event) => process.stdout.write(JSON.stringify(event) + '\n');
let deferring = true;
createInterface({ input: process.stdin }).on('line', () => {
  deferring = false;
  say({ event: 'recovered' });
});

const refuse = (code, text) => Object.assign(new Error(text), { responseCode: code });
const server = new SMTPServer({
  authOptional: true,
  allowInsecureAuth: true,
  disabledCommands: ['STARTTLS'],
  onAuth(auth, _session, done) {
    if (auth.username === 'placet' && auth.password === 'p@ss word') done(null, { user: 'placet' });
    else done(refuse(535, 'wrong password'));
  },
  onRcptTo({ address }, _session, done) {
    if (address.startsWith('bounce')) {
      say({ event: 'bounced', to: address });
      return done(refuse(550, 'no such mailbox'));
    }
    if (address.startsWith('defer') && deferring) {
      say({ event: 'deferred', to: address });
      return done(refuse(451, 'greylisted'));
    }
    done();
  },
  onData(stream, session, done) {
    const parts = [];
    stream.on('data', (part) => parts.push(part));
    stream.on('end', async () => {
      const mail = await PostalMime.parse(Buffer.concat(parts));
      say({
        event: 'letter',
        to: session.envelope.rcptTo[0].address,
        from: mail.from,
        subject: mail.subject,
        text: mail.text,
        user: session.user ?? null,
        headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])),
      });
      done();
    });
  },
});
server.on('error', () => {});
server.listen(0, '127.0.0.1', () => say({ event: 'listening', port: server.server.address().port }));
