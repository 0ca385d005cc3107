/** Tests of the invariants themselves: each corruption of the database is reported. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Endpoint, until } from '../../scripts/harness/client.ts';
import { pathOf, type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

/** A rule, a statement that breaks it, and a statement that repairs it. */
const TAMPERINGS: [rule: string, broken: string, mended: string][] = [
  [
    'debits equal credits in each book and currency',
    `UPDATE accounts SET posted_credits = posted_credits + 1 WHERE code = 'customer'`,
    `UPDATE accounts SET posted_credits = posted_credits - 1 WHERE code = 'customer'`,
  ],
  [
    'an account is the sum of its postings, and its lines have no gap',
    'UPDATE postings SET debit_balance_after = debit_balance_after + 1 WHERE entry_sequence = 1',
    'UPDATE postings SET debit_balance_after = debit_balance_after - 1 WHERE entry_sequence = 1',
  ],
  [
    'held is the sum of open holds, and each hold that of its steps',
    `UPDATE accounts SET held_debits = 1 WHERE code = 'customer'`,
    `UPDATE accounts SET held_debits = 0 WHERE code = 'customer'`,
  ],
  [
    'no account is below its floor but by entries and holds that say so',
    `UPDATE accounts SET floor = posted_credits - posted_debits + 1 WHERE code = 'customer'`,
    `UPDATE accounts SET floor = 0 WHERE code = 'customer'`,
  ],
  [
    'entries and events are numbered without a gap',
    'UPDATE books SET event_sequence = event_sequence + 1 WHERE event_sequence > 0',
    'UPDATE books SET event_sequence = event_sequence - 1 WHERE event_sequence > 0',
  ],
  [
    'every payout has come to its end, and none is stuck',
    `UPDATE payouts SET due_at = now() WHERE status = 'paid'`,
    'UPDATE payouts SET due_at = NULL',
  ],
  [
    'each step of a payout is booked once, and exactly the steps of its status',
    `UPDATE payouts SET status = 'failed' WHERE status = 'paid'`,
    `UPDATE payouts SET status = 'paid' WHERE status = 'failed' AND failure_code IS NULL`,
  ],
  [
    'what left at the rail is what left in the ledger, payout by payout',
    `UPDATE sandbox_rail.instructions SET end_to_end_id = 'x' || end_to_end_id WHERE status = 'paid'`,
    `UPDATE sandbox_rail.instructions SET end_to_end_id = substr(end_to_end_id, 2) WHERE status = 'paid'`,
  ],
  [
    'what is left of the money at the bank is what came in, and what the acquirer paid, less what left at the rail and what the operator took',
    'UPDATE inbound_transfers SET amount = amount + 1',
    'UPDATE inbound_transfers SET amount = amount - 1',
  ],
  [
    'nothing stays in transit',
    `UPDATE accounts SET posted_credits = posted_credits + 1 WHERE code = 'payouts_in_transit'`,
    `UPDATE accounts SET posted_credits = posted_credits - 1 WHERE code = 'payouts_in_transit'`,
  ],
  [
    'every payout was accepted under one key',
    'UPDATE idempotency_keys SET status = 299 WHERE status = 202',
    'UPDATE idempotency_keys SET status = 202 WHERE status = 299',
  ],
  [
    'a notice of the rail is taken in once',
    'UPDATE sandbox_rail.notices SET acknowledged_at = NULL',
    'UPDATE sandbox_rail.notices SET acknowledged_at = now()',
  ],
  [
    'every event is there once for each endpoint that wants all of them',
    'UPDATE webhook_deliveries SET event_sequence = event_sequence + 1000 WHERE event_sequence = 3',
    'UPDATE webhook_deliveries SET event_sequence = event_sequence - 1000 WHERE event_sequence > 1000',
  ],
  [
    'each entry carries the hash of the one before',
    'UPDATE entries SET floor_overridden = true WHERE sequence = 2',
    'UPDATE entries SET floor_overridden = false WHERE sequence = 2',
  ],
  [
    '`npm run verify` finds nothing',
    'UPDATE entries SET floor_overridden = true WHERE sequence = 2',
    'UPDATE entries SET floor_overridden = false WHERE sequence = 2',
  ],
  [
    'balances can be rebuilt from events alone',
    `UPDATE events SET payload = replace(payload, '"journal_entries":[{', '"journal_entries":[],"before":[{')`,
    `UPDATE events SET payload = replace(payload, '"journal_entries":[],"before":[{', '"journal_entries":[{')`,
  ],
  [
    'received is what happened',
    `UPDATE webhook_deliveries SET status = 'failed' WHERE event_sequence = 2`,
    `UPDATE webhook_deliveries SET status = 'delivered' WHERE event_sequence = 2`,
  ],
  [
    'received is what happened',
    `UPDATE events SET payload = payload || ' ' WHERE sequence = 2`,
    'UPDATE events SET payload = trim(payload) WHERE sequence = 2',
  ],
];

describe('the invariants', () => {
  let product: Product;
  let receiver: Receiver;
  let client: Client;
  let endpoint: Endpoint;
  let superuser: pg.Client;

  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres' });
    receiver = await startReceiver();
    ({ client } = await product.organisation());
    endpoint = await receiver.subscribe(client);
    const account = await client.openAccount();
    for (const [alias, status] of [
      ['SHOP1', 'paid'],
      ['NOALIAS', 'failed'],
      ['RETURN', 'returned'],
    ] as const) {
      const { id } = await client.pay({ account: account.id, destination: { type: 'cliq', alias } });
      await client.payoutUntil(id, status);
      await receiver.event(pathOf(endpoint), `payout.${status}`, id);
    }
    await until(broken, (wrong) => Object.keys(wrong).length === 0);
    await product.stopPools();
    superuser = new pg.Client({ connectionString: product.database.superuserUrl });
    await superuser.connect();
    // Changes data as a superuser can: past triggers and foreign keys.
    await superuser.query(`SET session_replication_role = 'replica'`);
  });
  afterAll(async () => {
    await superuser?.end();
    await product?.close();
    await receiver?.close();
  });

  const broken = () => brokenInvariants({ database: product.database, receiver, endpoints: [endpoint] });

  test.each(TAMPERINGS)('%s: reported when broken, and only then', async (rule, tampering, mending) => {
    expect((await superuser.query(tampering)).rowCount).toBeGreaterThan(0);
    expect(Object.keys(await broken()).filter((one) => one.includes(rule))).toHaveLength(1);
    await superuser.query(mending);
    expect(await broken()).toEqual({});
  });
});
