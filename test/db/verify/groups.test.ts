/** Findings of `npm run verify` in the groups above the ledger: payouts, transfers, keys. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FilledDatabase, openFilledDatabase, rulesOf, type Scene } from '../../support/verify-scene.ts';

let filled: FilledDatabase;
let scene: Scene;

beforeAll(async () => {
  filled = await openFilledDatabase();
  scene = filled.scene;
});

afterAll(() => filled?.close());

const findingsAfter = (...statements: string[]) => filled.findingsAfter(...statements);

const PAYOUT = (name: keyof Scene['payouts']) => `id = '${scene.payouts[name].id}'`;
const OF_PAYOUT = (name: keyof Scene['payouts']) => `payout_id = '${scene.payouts[name].id}'`;
const TRANSFER = () => `id = '${scene.inboundTransferId}'`;

type Case = [what: string, rules: string[], statements: () => string[]];

test('a correct database has no findings', async () => {
  expect(await findingsAfter('SELECT 1')).toEqual([]);
});

describe('payouts', () => {
  test.each<Case>([
    [
      'failed is called canceled',
      ['payout.state', 'payout.steps'],
      () => [`UPDATE payouts SET status = 'canceled' WHERE ${PAYOUT('failed')}`],
    ],
    [
      'paid is called processing',
      ['account.equation', 'payout.due', 'payout.hold', 'payout.steps'],
      () => [`UPDATE payouts SET status = 'processing' WHERE ${PAYOUT('paid')}`],
    ],
    [
      'processing is called paid',
      ['account.equation', 'payout.due', 'payout.hold', 'payout.steps'],
      () => [`UPDATE payouts SET status = 'paid' WHERE ${PAYOUT('processing')}`],
    ],
    [
      'canceled is called pending',
      ['payout.due', 'payout.hold'],
      () => [`UPDATE payouts SET status = 'pending' WHERE ${PAYOUT('canceled')}`],
    ],
    [
      'paid is called returned',
      ['payout.state'],
      () => [`UPDATE payouts SET status = 'returned' WHERE ${PAYOUT('paid')}`],
    ],
    [
      'the amount is another',
      ['account.equation', 'payout.hold', 'payout.postings'],
      () => [`UPDATE payouts SET amount = amount + 1 WHERE ${PAYOUT('paid')}`],
    ],
    [
      'the fee is another',
      ['account.equation', 'payout.hold', 'payout.postings'],
      () => [`UPDATE payouts SET fee = fee + 1 WHERE ${PAYOUT('paid')}`],
    ],
    [
      'the payee is another',
      ['account.equation', 'payout.postings'],
      () => [`UPDATE payouts SET destination_account_id = '${scene.overdrawnAccountId}' WHERE ${PAYOUT('internal')}`],
    ],
    [
      'the account is another',
      ['account.equation', 'payout.hold', 'payout.postings'],
      () => [`UPDATE payouts SET account_id = '${scene.overdrawnAccountId}' WHERE ${PAYOUT('paid')}`],
    ],
    [
      'the sum of returns is another',
      ['payout.returns', 'payout.state'],
      () => [`UPDATE payouts SET amount_returned = amount_returned - 1 WHERE ${PAYOUT('returned')}`],
    ],
    [
      'the number of returns is another',
      ['payout.returns', 'payout.steps'],
      () => [`UPDATE payouts SET returns = 1 WHERE ${PAYOUT('returned')}`],
    ],
    [
      'a return is gone',
      ['account.equation', 'payout.postings', 'payout.returns'],
      () => [`DELETE FROM payout_returns WHERE amount = 1 AND ${OF_PAYOUT('returned')}`],
    ],
    [
      'a return has another amount',
      ['account.equation', 'payout.postings', 'payout.returns'],
      () => [`UPDATE payout_returns SET amount = 2 WHERE amount = 1 AND ${OF_PAYOUT('returned')}`],
    ],
    [
      'its list of entries is another',
      ['payout.entry_ids'],
      () => [`UPDATE payouts SET entry_ids = entry_ids - 0 WHERE ${PAYOUT('paid')}`],
    ],
    ['it has no due time', ['payout.due'], () => [`UPDATE payouts SET due_at = NULL WHERE ${PAYOUT('processing')}`]],
    [
      'it has no due time because it is stuck: nothing wrong',
      [],
      () => [`UPDATE payouts SET due_at = NULL, stuck_at = now() WHERE ${PAYOUT('processing')}`],
    ],
    [
      'it is final and has a due time',
      ['payout.due'],
      () => [`UPDATE payouts SET due_at = now() WHERE ${PAYOUT('paid')}`],
    ],
    [
      'an outcome is unknown that is known',
      ['payout.state'],
      () => [`UPDATE payouts SET outcome = 'unknown' WHERE ${PAYOUT('paid')}`],
    ],
    [
      'a failure has no reason',
      ['payout.state'],
      () => [`UPDATE payouts SET failure_code = NULL WHERE ${PAYOUT('failed')}`],
    ],
    [
      'it was never sent, and booked',
      ['payout.state', 'payout.steps'],
      () => [`UPDATE payouts SET sent_at = NULL WHERE ${PAYOUT('failed')}`],
    ],
    [
      'it is gone',
      ['hold.resource', 'idempotency.resource', 'journal.resource'],
      () => [`DELETE FROM payouts WHERE ${PAYOUT('paid')}`],
    ],
  ])('%s', async (_, rules, statements) => {
    expect(rulesOf(await findingsAfter(...statements()))).toEqual(rules);
  });
});

describe('returns', () => {
  const PARTS = () => `payout_id = '${scene.inParts.id}'`;
  const PART = (amount: number) => `amount = ${amount} AND ${PARTS()}`;
  const ENTRY_OF = (amount: number) => `id = (SELECT entry_id FROM payout_returns WHERE ${PART(amount)})`;

  test.each<Case>([
    [
      'one of before the contract is gone',
      ['account.equation', 'payout.postings', 'payout.returns'],
      () => [`DELETE FROM payout_returns WHERE ${PART(300)}`],
    ],
    [
      'one of after the contract is gone',
      ['journal.resource', 'payout.returns'],
      () => [`DELETE FROM payout_returns WHERE ${PART(500)}`],
    ],
    [
      'the amount is another',
      ['account.equation', 'payout.returns', 'payout_return.entry'],
      () => [`UPDATE payout_returns SET amount = 501 WHERE ${PART(500)}`],
    ],
    [
      'the currency is another',
      ['account.equation', 'payout_return.entry'],
      () => [`UPDATE payout_returns SET currency = 'JOD' WHERE ${PART(500)}`],
    ],
    [
      'one of before the contract names the entry of another',
      ['account.equation', 'payout.postings', 'payout.returns', 'payout_return.entry'],
      () => [
        `UPDATE payout_returns SET entry_id = (SELECT entry_id FROM payout_returns WHERE ${PART(200)}) WHERE ${PART(300)}`,
      ],
    ],
    [
      'one of after the contract names the entry of another',
      ['account.equation', 'payout.returns', 'payout_return.entry'],
      () => [
        `UPDATE payout_returns SET entry_id = (SELECT entry_id FROM payout_returns WHERE ${PART(300)}) WHERE ${PART(500)}`,
      ],
    ],
    [
      'the payout is another',
      ['payout.returns'],
      () => [`UPDATE payout_returns SET payout_id = '${scene.payouts.pending.id}' WHERE ${PART(500)}`],
    ],
    [
      'there is no such payout',
      ['account.equation', 'payout.returns', 'payout_return.entry'],
      () => [`UPDATE payout_returns SET payout_id = gen_random_uuid() WHERE ${PART(500)}`],
    ],
    [
      'its entry is that of its payout',
      ['journal.chain', 'payout.entry_ids', 'payout.returns', 'payout.steps'],
      () => [
        `UPDATE entries SET resource = 'payout', resource_id = '${scene.inParts.id}', step = 'returned_2' WHERE ${ENTRY_OF(500)}`,
      ],
    ],
    [
      'the payout counts it as a step',
      ['payout.returns', 'payout.steps'],
      () => [`UPDATE payouts SET returns = 2 WHERE id = '${scene.inParts.id}'`],
    ],
    [
      'the payout lists its entry',
      ['payout.entry_ids'],
      () => [
        `UPDATE payouts SET entry_ids = entry_ids || (SELECT jsonb_agg(entry_id) FROM payout_returns WHERE ${PART(500)}) WHERE id = '${scene.inParts.id}'`,
      ],
    ],
  ])('%s', async (_, rules, statements) => {
    expect(rulesOf(await findingsAfter(...statements()))).toEqual(rules);
  });
});

describe('inbound transfers', () => {
  test.each<Case>([
    [
      'the amount is another',
      ['account.equation', 'inbound_transfer.entry'],
      () => [`UPDATE inbound_transfers SET amount = amount + 1 WHERE ${TRANSFER()}`],
    ],
    [
      'the account is another',
      ['account.equation', 'inbound_transfer.entry'],
      () => [`UPDATE inbound_transfers SET account_id = '${scene.overdrawnAccountId}' WHERE ${TRANSFER()}`],
    ],
    [
      'it is gone',
      ['idempotency.resource', 'journal.resource'],
      () => [`DELETE FROM inbound_transfers WHERE ${TRANSFER()}`],
    ],
    [
      'nothing was booked',
      ['account.equation', 'inbound_transfer.entry'],
      () => [
        `INSERT INTO inbound_transfers SELECT book_id, gen_random_uuid(), account_id, amount, currency, description, created_at FROM inbound_transfers WHERE ${TRANSFER()}`,
      ],
    ],
  ])('%s', async (_, rules, statements) => {
    expect(rulesOf(await findingsAfter(...statements()))).toEqual(rules);
  });
});

describe('idempotency keys', () => {
  const ONE = (resource: string) => `resource = '${resource}'`;
  const KEPT_400 = (body: string | null) =>
    `INSERT INTO idempotency_keys (book_id, key, fingerprint, status, body, request_id, created_at)
     SELECT book_id, gen_random_uuid()::text, fingerprint, 400, ${body === null ? 'NULL' : `'${body}'`}, request_id, created_at
     FROM idempotency_keys WHERE ${ONE('payout')} LIMIT 1`;

  test.each<Case>([
    [
      'an account is gone that was answered with 201',
      ['idempotency.resource'],
      () => [`DELETE FROM account_profiles WHERE account_id = '${scene.quietAccountId}'`],
    ],
    [
      'a status is kept that never is',
      ['idempotency.answer'],
      () => [`UPDATE idempotency_keys SET status = 503 WHERE ${ONE('payout')}`],
    ],
    [
      'no status is kept',
      ['idempotency.answer'],
      () => [`UPDATE idempotency_keys SET status = NULL WHERE ${ONE('payout')}`],
    ],
    [
      'the body is no JSON',
      ['idempotency.answer'],
      () => [`UPDATE idempotency_keys SET body = 'oops' WHERE ${ONE('payout')}`],
    ],
    [
      'something was made, and nobody knows what',
      ['idempotency.answer'],
      () => [`UPDATE idempotency_keys SET resource = NULL, resource_id = NULL WHERE ${ONE('payout')}`],
    ],
    [
      'a void key has an answer',
      ['idempotency.answer'],
      () => ['UPDATE idempotency_keys SET status = 202 WHERE voided_at IS NOT NULL'],
    ],
    [
      'a refusal is kept that is a request error',
      ['idempotency.answer'],
      () => [`UPDATE idempotency_keys SET status = 400 WHERE ${ONE('payout')}`],
    ],
    [
      'a request error was kept with its body',
      ['idempotency.answer'],
      () => [KEPT_400('{"status":400,"code":"currency_unsupported"}')],
    ],
    ['a request error was kept without a body', ['idempotency.answer'], () => [KEPT_400(null)]],
    ['bodies were dropped after their time: nothing wrong', [], () => ['UPDATE idempotency_keys SET body = NULL']],
  ])('%s', async (_, rules, statements) => {
    expect(rulesOf(await findingsAfter(...statements()))).toEqual(rules);
  });
});
