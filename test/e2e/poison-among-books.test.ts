/** A hundred small tenants at one API and one worker, and one payout that the database refuses to move. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { curePayouts, poisonPayout, readStuck, retryStuck } from '../../scripts/faults/postgres-store.ts';
import { type Payout, until } from '../../scripts/harness/client.ts';
import type { Pool } from '../../src/db/pool.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { expectInvariants } from '../support/invariants.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';

const BOOKS = 100;
let product: Product;
let behind: Pool;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [] });
  behind = lookInto(product.database);
});

afterAll(async () => {
  await behind?.end();
  await product?.close();
});

/** How many payouts have each status. */
async function statuses(): Promise<Record<string, number>> {
  const { rows } = await behind.query<{ status: string; count: number }>(
    'SELECT status, count(*)::integer AS count FROM payouts GROUP BY 1',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

test('a payout that the database refuses stops no other book, is shown, and passes once it is cured', async () => {
  const clients = await Promise.all(
    Array.from({ length: BOOKS }, async () => {
      const { client } = await product.organisation();
      return { client, account: await client.openAccount() };
    }),
  );
  const paid: Payout[] = await Promise.all(clients.map(({ client, account }) => client.pay({ account: account.id })));
  const poisoned = parsePublicId('payout', paid[0]!.id)!;
  await poisonPayout(behind, poisoned);
  await product.startPools(['ledger', 'rails', 'webhooks', 'sweeper']);
  await until(statuses, ({ paid: arrived }) => arrived === BOOKS - 1);
  await until(
    () => readStuck(behind),
    (stuck) => stuck.length > 0,
  );
  // The book of the poisoned payout goes on with its other payouts, and so do all others.
  await Promise.all(clients.map(({ client, account }) => client.pay({ account: account.id })));
  await until(statuses, ({ paid: arrived }) => arrived === 2 * BOOKS - 1);
  expect((await readStuck(behind)).map(({ id }) => id)).toEqual([poisoned]);
  await curePayouts(behind);
  await retryStuck(behind);
  await until(statuses, ({ paid: arrived }) => arrived === 2 * BOOKS);
  await expectInvariants({ database: product.database });
});
