// Verifies a webhook with the npm library: a line {secret, headers, body} in, a line {verified} or {error}
// out. Signs one: {secret, body, sign: {id, timestamp}} in, {signature} out.
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';

createInterface({ input: process.stdin }).on('line', (line) => {
  const { secret, headers, body, sign } = JSON.parse(line);
  let answer;
  try {
    const webhook = new Webhook(secret);
    answer = sign
      ? { signature: webhook.sign(sign.id, new Date(sign.timestamp * 1000), body) }
      : { verified: webhook.verify(body, headers) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
});
