/** A credit is one, by bank account and the bank's reference, whichever file reports it first: a notification of a rail's inbox or a statement. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { updateBankAccount } from '../../../src/reconciliation/accounts/change-bank-account.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { keepReportOf } from '../../support/acquirer-reports.ts';
import { ArrivingMoney } from '../../support/arriving-money.ts';
import { type CamtEntry, IBAN } from '../../support/bank-statements.ts';
import { openItemsOf, saidOf } from '../../support/matched-bank.ts';

/** The account by the bank's own number. */
const NUMBER = '0131000302';
const PARTIES = [{ party: 'acme', accounts: [], names: ['ACME PAY'], settles: 'sequence' as const }];

let money: ArrivingMoney;
beforeEach(async () => {
  money = await ArrivingMoney.open();
});
afterEach(async () => {
  expect(await money.close()).toEqual([]);
});

const arrived = (change: Partial<CamtEntry> = {}): CamtEntry => ({
  ...{ amount: 40_000, reference: 'S7', text: 'From Salma' },
  ...change,
});
const exceptionOfLine = () =>
  money.bank.book.row<{ id: Uuid; kind: string; stage: string; resource: string }>(
    `SELECT e.id, e.kind, e.stage, e.resource FROM bank_lines l JOIN exceptions e ON e.book_id = l.book_id AND e.id = l.exception_id
     WHERE l.book_id = $1`,
  );
const ONE_APPROVED = [{ kind: 'inbound_unallocated', stage: 'approved' }];
const AT_REST = { bank: 40_000n, pool_owed: 40_000n };

test.each([
  ['given to a book', false],
  ['given to a book and moved by two persons', true],
])('a credit that was %s before its line: the line is that, and no second exception', async (_, isMoved) => {
  await money.bank.account();
  await money.notify('From Salma');
  await money.allocate();
  if (isMoved) await money.moveGiven();
  await expect(money.take(money.statement([arrived()]), money.dying('bank_line.meet'))).rejects.toThrow('killed');
  await money.take(money.statement([]));
  expect(await money.bank.exceptions()).toEqual(ONE_APPROVED);
  expect(await exceptionOfLine()).toMatchObject({ resource: 'inbound_credit', stage: 'approved' });
  const of = { bookId: money.merchant.id, transferId: null };
  const [line] = await money.lines();
  expect(line!.allocation).toEqual({ ...of, accountId: isMoved ? money.account : null });
  expect(await money.bank.balances()).toEqual(isMoved ? AT_REST : { bank: 40_000n, unallocated: 40_000n });
  if (!isMoved) await money.moveGiven();
  await money.take(money.statement([]));
  expect(await saidOf(money.bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  expect((await money.lines())[0]!.allocation).toEqual({ ...of, accountId: money.account });
  expect(await money.balance()).toBe(40_000n);
  expect(await money.bank.exceptions()).toEqual(ONE_APPROVED);
  expect(await money.bank.balances()).toEqual(AT_REST);
});

test.each(['the notification', 'the line'])(
  'what an acquirer pays is no credit of nobody, with %s first',
  async (first) => {
    const { pool, book } = money.bank;
    await money.bank.account({ parties: PARTIES });
    const report = { name: 'ACME-PAY-1001.csv', totals: [{ gross: 42_500n, cost: 2_500n }] };
    await keepReportOf({ pool, bookId: book.id }, report);
    const text = 'Payment ACME-PAY-1001 of today';
    const line = money.statement([arrived({ text })]);
    if (first === 'the line') await money.take(line);
    await money.notify(text);
    const told = first === 'the line' ? [] : [{ kind: 'inbound_unallocated', stage: 'open' }];
    expect(await money.bank.exceptions()).toEqual(told);
    if (first !== 'the line') await money.take(line);
    expect(await saidOf(money.bank)).toEqual(['reference_in_text: 40000 ↔ 40000']);
    expect(await money.bank.exceptions()).toEqual(first === 'the line' ? [] : ONE_APPROVED);
    expect((await money.lines())[0]!.allocation).toBeUndefined();
    expect(await money.bank.balances()).toMatchObject({ bank: 40_000n, acquiring_costs: 2_500n });
  },
);

test.each([
  ['the IBAN', IBAN, NUMBER],
  ['the number', NUMBER, IBAN],
])('a notification under %s and a line under the other name are one credit', async (_, ofNotice, first) => {
  await money.bank.account({ identifiers: [first, ofNotice] });
  await money.notify(money.reference, { bankAccount: ofNotice });
  await money.take(money.statement([arrived({ text: money.reference })]));
  expect(await money.transfers()).toEqual([{ status: 'received', amount: 40_000n, bank_reference: 'S7' }]);
  expect(await money.bank.exceptions()).toEqual([]);
  expect(await money.bank.balances()).toEqual(AT_REST);
});

test('a bank account is made after a notification under its number: the line is that credit', async () => {
  await money.notify('From Salma', { bankAccount: NUMBER });
  await money.bank.account({ identifiers: [IBAN, NUMBER] });
  await money.take(money.statement([arrived()]));
  await money.notify('From Salma', { bankAccount: NUMBER });
  expect(await money.bank.exceptions()).toEqual([{ kind: 'inbound_unallocated', stage: 'open' }]);
  expect(await exceptionOfLine()).toMatchObject({ resource: 'inbound_credit', stage: 'open' });
});

test('an account that allocates by statements: a notification credits nobody, its line does, once', async () => {
  const bankAccountId = await money.bank.account({ allocateOn: 'statement' });
  await money.notify(money.reference);
  expect(await money.transfers()).toEqual([]);
  expect(await money.bank.exceptions()).toEqual([]);
  await money.take(money.statement([arrived({ text: money.reference })]));
  await money.notify(money.reference);
  expect(await money.transfers()).toEqual([{ status: 'received', amount: 40_000n, bank_reference: 'S7' }]);
  expect(await saidOf(money.bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  const [line] = await money.lines();
  expect(line!.allocation).toMatchObject({ bookId: money.merchant.id, accountId: money.account });
  expect(line!.allocation!.transferId).not.toBeNull();
  expect(await money.bank.balances()).toEqual(AT_REST);
  const by = { requestId: newId(), actor: 'test', bankAccountId, known: undefined };
  await money.bank.book.submit(updateBankAccount({ ...by, change: { allocateOn: 'notification' } }));
  await money.notify(money.reference, { bankReference: 'S8', amount: 5_000n });
  expect(await money.balance()).toBe(45_000n);
  await money.mirror();
  expect(await openItemsOf(money.bank)).toEqual([5_000n]);
  expect(await money.bank.balances()).toEqual({ bank: 40_000n, unallocated: -5_000n, pool_owed: 45_000n });
});

test('recalled after it was given by persons of two books before its line: the line is before people', async () => {
  await money.bank.account();
  await money.notify('From Salma');
  await money.allocate();
  await money.moveGiven();
  await money.take(money.statement([arrived()]));
  await money.take(money.statement([arrived({ amount: -40_000, text: 'Recall' })]));
  expect(await money.balance()).toBe(40_000n);
  expect(await money.bank.exceptions()).toEqual([...ONE_APPROVED, { kind: 'bank_line_unmatched', stage: 'open' }]);
  expect(await money.bank.balances()).toEqual({ suspense: 40_000n, pool_owed: 40_000n });
});

test('notified, with a reference, and recalled: below zero by the line that takes it, and flagged', async () => {
  await money.bank.account({ identifiers: [NUMBER, IBAN] });
  await money.notify(money.reference);
  const { merchant, account } = money;
  const payout = await merchant.reserve(
    await merchant.accept({ accountId: account, amount: 30_000n, currency: 'JOD', fee: 0n }),
  );
  await merchant.settle(payout, { status: 'paid', railReference: 'R1' });
  await money.take(money.statement([arrived({ text: money.reference }), arrived({ amount: -40_000 })]));
  expect(await money.transfers()).toMatchObject([{ status: 'returned' }]);
  expect(await money.balance()).toBe(-30_000n);
  expect(
    await merchant.rows('SELECT floor_overridden FROM entries WHERE book_id = $1 AND floor_overridden'),
  ).toHaveLength(1);
  expect(await saidOf(money.bank)).toEqual(['bank_reference: 40000 ↔ 40000', 'reversal: -40000 ↔ -40000']);
  expect(await openItemsOf(money.bank)).toEqual([30_000n]);
  expect(await money.bank.exceptions()).toEqual([]);
  expect(await money.bank.balances()).toEqual({ pool_owed: -30_000n, rail_clearing: 30_000n });
});
