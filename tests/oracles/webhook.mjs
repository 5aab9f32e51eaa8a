// Verifies a webhook as a receiver with the npm library would: a line {secret, headers, body} in,
// a line {verified} or {error} out.
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';

createInterface({ input: process.stdin }).on('line', (line) => {
  const { secret, headers, body } = JSON.parse(line);
  let answer;
  try {
    answer = { verified: new Webhook(secret).verify(body, headers) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
});
