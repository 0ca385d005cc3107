/** The opening of bank accounts: when it takes effect, what it closes, and what it leaves to be shown. */
import { expect, test } from 'vitest';
import { updateBankAccount } from '../../../src/reconciliation/accounts/change-bank-account.ts';
import { closeBeforeOpenings, closeItems } from '../../../src/reconciliation/openings/close-before.ts';
import { listItemsBefore } from '../../../src/reconciliation/openings/items-before-store.ts';
import { sweepOpenings } from '../../../src/reconciliation/openings/sweep-openings.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { keepReportOf } from '../../support/acquirer-reports.ts';
import { camt, type OperatorsBank } from '../../support/bank-statements.ts';
import { openBook } from '../../support/book.ts';
import { eachBank } from '../../support/each-bank.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { expectItems, matchesOf, openItemsOf, saidOf } from '../../support/matched-bank.ts';
import { sweeping } from '../../support/swept-jobs.ts';

let bank: OperatorsBank;
eachBank((opened) => {
  ({ bank } = opened);
});

const party = (name: string) => ({ party: name, accounts: [], names: [], settles: 'single' as const });
const RAIL = party('rail');
const ON = '2026-11-01';
const [BEFORE, BEHIND] = ['2026-10-31', '2026-11-01'];

const close = (committer = bank.book.committer) => closeBeforeOpenings({ pool: bank.pool, committer }, bank.book.id);
const effects = () =>
  bank.book.rows<{ resource: string; day: string }>(
    `SELECT resource, to_char(effective_at, 'YYYY-MM-DD') AS day FROM entries WHERE book_id = $1 ORDER BY sequence`,
  );

test('what stood on the account takes effect on its first day', async () => {
  await bank.account({ openingOn: ON, openingAmount: 100_000n });
  expect(await bank.balances()).toEqual({ bank: 100_000n, own_funds: 100_000n });
  expect(await effects()).toEqual([{ resource: 'bank_account', day: ON }]);
});

test('what was expected before is closed against own funds, and what is outstanding is shown by its line', async () => {
  const outstanding = newId();
  await expectItems(bank.taker, [
    { amount: -25_000n, endToEndId: 'E1', expectedOn: BEFORE },
    { amount: -7_000n, endToEndId: 'E2', expectedOn: BEFORE, resourceId: outstanding },
    { amount: -9_000n, endToEndId: 'E3', expectedOn: BEFORE },
    { amount: 4_000n, endToEndId: 'E4', expectedOn: BEFORE },
    { amount: -1_000n, endToEndId: 'E5', expectedOn: BEHIND },
    { amount: -2_000n, endToEndId: 'E6', expectedOn: BEFORE, party: 'other' },
  ]);
  await bank.account({
    ...{ openingOn: ON, openingAmount: 100_000n, parties: [RAIL] },
    outstanding: [publicId('payout', outstanding), 'E3'],
  });
  expect(await close()).toBe(2);
  expect(await saidOf(bank)).toEqual([
    'opening: nothing ↔ -25000 (25000 to own_funds)',
    'opening: nothing ↔ 4000 (-4000 to own_funds)',
  ]);
  // clearing → own funds for what left, own funds → clearing for what came.
  expect(await bank.balances()).toEqual({ bank: 100_000n, own_funds: 121_000n, rail_clearing: -21_000n });
  expect(await openItemsOf(bank)).toEqual([7_000n, 9_000n, 1_000n, 2_000n]);
  expect((await effects()).map(({ day }) => day)).toEqual([ON, ON, ON]);
  const lines = [
    { amount: -7_000, endToEndId: 'E2' },
    { amount: -9_000, endToEndId: 'E3' },
    { amount: -1_000, endToEndId: 'E5' },
  ];
  await bank.take(camt([{ opening: 100_000, entries: lines }]));
  expect((await bank.lines()).map(({ status }) => status)).toEqual(['matched', 'matched', 'matched']);
  expect(await openItemsOf(bank)).toEqual([2_000n]);
  const closed = await bank.book.rows<{ count: bigint }>(
    'SELECT count(*) AS count FROM expected_items WHERE book_id = $1 AND opening_entry_id IS NOT NULL AND bank_account_id IS NOT NULL',
  );
  expect(closed[0]!.count).toBe(2n);
  expect((await matchesOf(bank))[0]).toMatchObject({ status: 'confirmed', rule: 'opening', proposedBy: null });
});

test('a report of before is closed net; customers who paid in before are no party', async () => {
  const day = 86_400_000;
  const acme = { ...party('acme'), settles: 'sequence' as const };
  await keepReportOf(
    { pool: bank.pool, bookId: bank.book.id },
    { totals: [{ gross: 100_000n, cost: 2_500n }], at: Date.now() - 30 * day },
  );
  const on = new Date(Date.now() - 20 * day).toISOString().slice(0, 10);
  await bank.account({ openingOn: on, parties: [acme] });
  await bank.take(camt([{ on: new Date().toISOString().slice(0, 10), opening: 0, entries: [] }]));
  expect(await saidOf(bank)).toEqual(['opening: nothing ↔ 97500 (-97500 to own_funds)']);
  expect(await bank.balances()).toEqual({ acquirer_suspense: 100_000n, acquiring_costs: 2_500n, own_funds: -97_500n });
});

test('a second bank account closes nothing again', async () => {
  await bank.account({ openingOn: ON, parties: [RAIL] });
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1', expectedOn: '2026-11-10' }]);
  await bank.account({ identifiers: ['JO71SECOND'], openingOn: '2026-11-20', parties: [RAIL, party('acme')] });
  expect(await close()).toBe(0);
  expect(await openItemsOf(bank)).toEqual([25_000n]);
  await expectItems(bank.taker, [
    { amount: -3_000n, endToEndId: 'E2', expectedOn: BEFORE },
    { amount: -4_000n, endToEndId: 'E3', expectedOn: '2026-11-10', party: 'acme' },
  ]);
  expect(await close()).toBe(2);
  expect(await openItemsOf(bank)).toEqual([25_000n]);
});

test('a party that is named later is cut over then', async () => {
  const id = await bank.account({ openingOn: ON });
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1', expectedOn: BEFORE }]);
  expect(await close()).toBe(0);
  const known = { currency: 'JOD', holds: 'customer_money' } as const;
  const change = { parties: [RAIL] };
  await bank.book.submit(updateBankAccount({ bankAccountId: id, requestId: newId(), actor: 'test', change, known }));
  expect(await close()).toBe(1);
});

test('what the mirror makes later is closed by the sweeper; two processes close each once, however many', async () => {
  const id = await bank.account({ openingOn: ON, parties: [RAIL] });
  const sweep = sweeping(sweepOpenings, { pool: bank.pool });
  expect(await sweep()).toEqual([]);
  await expectItems(
    bank.taker,
    Array.from({ length: 300 }, (_, index) => ({ amount: -10n, endToEndId: `E${index}`, expectedOn: BEFORE })),
  );
  expect(await sweep()).toEqual([{ job: 'opening.close', bookId: bank.book.id, ids: [id] }]);
  const found = await listItemsBefore(bank.pool, bank.book.id, { bankAccountIds: undefined, limit: 5 });
  const account = { id, name: 'Current account', currency: 'JOD', openingOn: ON };
  const items = found.map(({ item }) => item);
  const other = await openBook({ database: bank.pool, bookId: bank.book.id, forms: LATEST_FORMS });
  const both = [bank.book, other].map((book) => book.submit(closeItems(bank.book.id, { account, items })));
  expect((await Promise.all(both)).toSorted()).toEqual([0, 5]);
  await other.close();
  expect(await close()).toBe(295);
  expect(await close()).toBe(0);
  expect(await sweep()).toEqual([]);
  expect(await bank.balances()).toEqual({ own_funds: 3_000n, rail_clearing: -3_000n });
});

test('a statement that ends before the account begins is refused', async () => {
  await bank.account({ openingOn: ON });
  await bank.take(camt([{ on: BEFORE, opening: 0, entries: [{ amount: 5 }] }]));
  expect((await bank.statements()).map(({ status, findings }) => [status, findings[0]?.code])).toEqual([
    ['rejected', 'statement_invalid'],
  ]);
  expect(await bank.balances()).toEqual({});
});
