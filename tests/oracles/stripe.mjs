// Signs an event like Stripe (npm library): a line {payload, secret, timestamp} in, a line {header} out.
import { createInterface } from 'node:readline';
import Stripe from 'stripe';

const stripe = new Stripe('sk_test_x');
createInterface({ input: process.stdin }).on('line', (line) => {
  const header = stripe.webhooks.generateTestHeaderString(JSON.parse(line));
  process.stdout.write(JSON.stringify({ header }) + '\n');
});
