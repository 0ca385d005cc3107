/** Tests of the rules of payments themselves: each corruption, on our side or the acquirer's, is reported. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenPayments } from '../../scripts/faults/payment-rules-store.ts';
import { succeeded, until } from '../../scripts/harness/client.ts';
import { type Product, startProduct } from '../support/product.ts';

/** A rule, a statement that breaks it, and a statement that repairs it. */
const TAMPERINGS: [rule: string, broken: string, mended: string][] = [
  [
    'every payment has come to its end, and none is stuck',
    `UPDATE payments SET due_at = now() WHERE status = 'failed'`,
    `UPDATE payments SET due_at = NULL WHERE status = 'failed'`,
  ],
  [
    'what succeeded is what the acquirer carried out, of the same amount, and what failed is not',
    `UPDATE sandbox_acquirer.instructions SET status = 'succeeded' WHERE status = 'declined'`,
    `UPDATE sandbox_acquirer.instructions SET status = 'declined' WHERE code IS NOT NULL`,
  ],
  [
    'what succeeded is what the acquirer carried out, of the same amount, and what failed is not',
    `UPDATE sandbox_acquirer.instructions SET amount = amount + 1 WHERE kind = 'capture'`,
    `UPDATE sandbox_acquirer.instructions SET amount = amount - 1 WHERE kind = 'capture'`,
  ],
  [
    'the acquirer knows of no instruction that is not ours',
    `INSERT INTO sandbox_acquirer.instructions (originator, reference, kind, amount, currency, status, acquirer_reference, submissions, received_at)
     VALUES ('a book', 'invented', 'authorize', 1, 'JOD', 'succeeded', 'x', 1, now())`,
    `DELETE FROM sandbox_acquirer.instructions WHERE reference = 'invented'`,
  ],
  [
    'the acquirer has charged and given back each payment once: what its operations and its totals say',
    `UPDATE payments SET amount_refunded = amount_refunded + 1 WHERE amount_refunded > 0`,
    `UPDATE payments SET amount_refunded = amount_refunded - 1 WHERE amount_refunded > 0`,
  ],
  [
    'each step of a capture and of a refund is booked once, and exactly the steps of its status',
    `UPDATE entries SET step = 'captured_again' WHERE step = 'captured'`,
    `UPDATE entries SET step = 'captured' WHERE step = 'captured_again'`,
  ],
  [
    'the journal says of the acquirer what its own records say',
    `UPDATE entries SET resource = 'nobody' WHERE resource = 'refund'`,
    `UPDATE entries SET resource = 'refund' WHERE resource = 'nobody'`,
  ],
  [
    'merchant_pending is the sum of open shares, and a share that of its lines and releases',
    'UPDATE payment_shares SET amount = amount + 1',
    'UPDATE payment_shares SET amount = amount - 1',
  ],
  [
    'no refund stays in transit',
    `UPDATE accounts SET posted_credits = posted_credits + 1 WHERE code = 'refunds_in_transit'`,
    `UPDATE accounts SET posted_credits = posted_credits - 1 WHERE code = 'refunds_in_transit'`,
  ],
  [
    'every payment was accepted under one key',
    `UPDATE idempotency_keys SET status = 201 WHERE resource = 'payment' AND status = 202`,
    `UPDATE idempotency_keys SET status = 202 WHERE resource = 'payment' AND status = 201`,
  ],
];

describe('rules of payments', () => {
  let product: Product;
  let superuser: pg.Client;

  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres' });
    const { client } = await product.organisation();
    const { id: account } = await client.openAccount({ funds: 0 });
    const post = async (path: string, body: object) => succeeded(await client.post<{ id: string }>(path, body));
    const pay = (number: string, capture: 'automatic' | 'manual') => {
      const source = { type: 'card', number, exp_month: 12, exp_year: 2034, cvc: '123' };
      return post('/v1/payments', { account, amount: 20_000, currency: 'JOD', capture, source });
    };
    await pay('4000000000009995', 'automatic');
    const { id: automatic } = await pay('4242424242424242', 'automatic');
    await post(`/v1/payments/${automatic}/refunds`, { amount: 5_000 });
    const { id: manual } = await pay('4242424242424242', 'manual');
    await post(`/v1/payments/${manual}/capture`, { amount: 15_000, final: true });
    superuser = new pg.Client({ connectionString: product.database.superuserUrl });
    await superuser.connect();
    await until(broken, (wrong) => Object.keys(wrong).length === 0);
    await product.stopPools();
    // Changes data as a superuser can: past triggers and foreign keys.
    await superuser.query(`SET session_replication_role = 'replica'`);
  });
  afterAll(async () => {
    await superuser?.end();
    await product?.close();
  });

  const broken = () => brokenPayments(product.runtime.pool);

  test.each(TAMPERINGS)('%s: reported when broken, and only then', async (rule, tampering, mending) => {
    expect((await superuser.query(tampering)).rowCount).toBeGreaterThan(0);
    expect(Object.keys(await broken())).toContain(rule);
    await superuser.query(mending);
    expect(await broken()).toEqual({});
  });
});
