/** The text that `npm start` prints once everything runs: addresses, and commands that work as printed. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CREDENTIALS_FILE } from './environment.ts';
import { SANDBOX_CURRENCY } from './sandbox.ts';

export interface Greeting {
  baseUrl: string;
  testKey: string;
  /** The funded account; undefined if it could not be opened. */
  account: string | undefined;
  directory: string;
  queues: 'Postgres' | 'Redis';
  /** The path of the cluster. Undefined when DATABASE_URL names another database. */
  cluster: string | undefined;
}

export function greet({ baseUrl, testKey, account, directory, queues, cluster }: Greeting): string {
  const get = (path: string) => `  curl -sS '${baseUrl}${path}' -H 'Authorization: Bearer ${testKey}'`;
  const post = (path: string, body: unknown) =>
    [
      `  curl -sS ${baseUrl}${path} -H 'Authorization: Bearer ${testKey}' \\`,
      `    -H 'Content-Type: application/json' -H 'Idempotency-Key: ${randomUUID()}' \\`,
      `    -d '${JSON.stringify(body)}'`,
    ].join('\n');
  const payout = {
    amount: 5124,
    currency: SANDBOX_CURRENCY,
    destination: { type: 'cliq', alias: 'ACME' },
  };
  return `
Countinghouse is running.

  API        ${baseUrl}
  Reference  ${baseUrl}/docs
  Guides     ${baseUrl}/docs/guides
  Test key   ${testKey}   (kept in ${join(directory, CREDENTIALS_FILE)})
  Queues     ${queues}
  Data       ${cluster ? `${directory}, Postgres in ${cluster}` : `${directory}, and the database of DATABASE_URL`}

Make a payout of ${SANDBOX_CURRENCY} 5.124 (sent again as it stands, it gives the first answer and moves nothing):

${post('/v1/payouts', payout)}

See it paid, then the account's lines:

${get('/v1/payouts?limit=1')}
${get(account ? `/v1/accounts/${account}/entries` : '/v1/accounts')}

Open another account, and put money into one:

${post('/v1/accounts', { currency: SANDBOX_CURRENCY, name: 'My account' })}

${post('/v1/simulations/inbound_transfers', { account: account ?? 'acct_…', amount: 1_000_000, currency: SANDBOX_CURRENCY })}

Ctrl-C stops everything; the data stay.
`;
}
