/** Reports of acquirers in the operator's book: what each books, what a bank shows of it, and that each is posted once. Numbers are golden scenarios. */
import { expect, test } from 'vitest';
import { GROUPS } from '../../../src/groups.ts';
import { endToEndId } from '../../../src/outside/instructions/end-to-end-id.ts';
import { findExceptionLine } from '../../../src/payments/settlements/exception-line-store.ts';
import { readLines } from '../../../src/payments/settlements/next-lines.ts';
import { settleAgain } from '../../../src/payments/settlements/settle-again.ts';
import { mirrorAllBooks } from '../../../src/reconciliation/mirror/mirror-books.ts';
import { postAllReports, postReports, sweepReports } from '../../../src/reconciliation/reports/post-received.ts';
import { documentReferenceOf } from '../../../src/reconciliation/reports/post-report.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { type KeptReport, keepReportOf } from '../../support/acquirer-reports.ts';
import { camt, type OperatorsBank } from '../../support/bank-statements.ts';
import { openBook } from '../../support/book.ts';
import { eachBank } from '../../support/each-bank.ts';
import { findingsOf } from '../../support/findings.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { matchByHand, openItemsOf, saidOf } from '../../support/matched-bank.ts';
import { acceptOne, say } from '../../support/payments.ts';
import { Reports } from '../../support/reports.ts';
import { sweeping } from '../../support/swept-jobs.ts';

let bank: OperatorsBank;
eachBank(
  (opened) => {
    ({ bank } = opened);
  },
  { equal: 'statements' },
);

const ACME = { party: 'acme', accounts: ['JO71ACME'], names: [], settles: 'sequence' } as const;
/** On a statement of a day on which it is expected. */
const today = () => new Date().toISOString().slice(0, 10);

const keep = (report: KeptReport) => keepReportOf({ pool: bank.pool, bookId: bank.book.id }, report);
const post = (...ids: readonly Uuid[]) =>
  postReports({ pool: bank.pool, committer: bank.book.committer }, bank.book.id, ids);
const take = (amount: number, { text, charge }: { text?: string; charge?: number } = {}) =>
  bank.take(
    camt([
      {
        ...{ on: today(), opening: 0 },
        entries: [{ amount, account: 'JO71ACME', ...(text && { text }), ...(charge && { charge }) }],
      },
    ]),
  );

test('21: net to clearing, cost to costs, gross to suspense; the line that names it takes the net', async () => {
  await bank.account({ parties: [ACME] });
  const id = await keep({ name: 'ACME-REPORT-20261103.csv', totals: [{ gross: 100_000n, cost: 2_500n }] });
  expect(await post(id)).toBe(1);
  expect(await bank.balances()).toEqual({
    acquirer_clearing: 97_500n,
    acquiring_costs: 2_500n,
    acquirer_suspense: 100_000n,
  });
  expect(
    await bank.book.rows(
      `SELECT party, clearing, direction, amount, currency, resource, resource_id, document_reference, status
       FROM expected_items WHERE book_id = $1`,
    ),
  ).toEqual([
    {
      ...{ party: 'acme', clearing: 'acquirer_clearing', direction: 'in', amount: 97_500n, currency: 'JOD' },
      ...{ resource: 'acquirer_report', resource_id: id, document_reference: 'ACME-REPORT-20261103', status: 'open' },
    },
  ]);
  await take(97_500, { text: 'Payment ACME-REPORT-20261103' });
  expect(await saidOf(bank)).toEqual(['reference_in_text: 97500 ↔ 97500']);
  expect(await bank.balances()).toEqual({ bank: 97_500n, acquiring_costs: 2_500n, acquirer_suspense: 100_000n });
  expect(await bank.exceptions()).toEqual([]);
});

test('a report with a number like that of a card is found in the text of a line, which keeps no card number', async () => {
  await bank.account({ parties: [ACME] });
  await post(await keep({ name: '4242424242424242.csv', totals: [{ gross: 100_000n, cost: 2_500n }] }));
  await take(97_500, { text: 'Payment 4242 4242 4242 4242' });
  expect(await saidOf(bank)).toEqual(['reference_in_text: 97500 ↔ 97500']);
  const texts = await bank.book.rows('SELECT text FROM bank_lines WHERE book_id = $1');
  expect(texts).toEqual([{ text: expect.stringContaining('4242 42** **** 4242') }]);
});

test('22: what books take of a report leaves suspense, and a line that is an exception stays until it is settled again', async () => {
  await bank.account({ currency: 'EUR', parties: [{ ...ACME, party: 'sandbox_acquirer' }] });
  const merchant = await openBook({ database: bank.pool, forms: LATEST_FORMS });
  const reports = new Reports(merchant);
  const accountId = await merchant.account();
  const { authorization } = await reports.captured(accountId, 96_000n);
  await reports.settle([
    reports.lineOf(authorization, { gross: 96_000n, cost: 2_500n }),
    // Of a payment that a restored book has no more: its client repeats the request under its key.
    reports.lineOf({ reference: endToEndId(merchant.id, 'late') }, { gross: 4_000n, cost: 0n }),
  ]);
  const atBank = GROUPS.flatMap(({ atBank: words = [] }) => words);
  const mirror = () => mirrorAllBooks({ pool: bank.pool, committer: bank.book.committer, atBank }, bank.book.id);
  await postAllReports({ pool: bank.pool, committer: bank.book.committer }, bank.book.id);
  await mirror();
  expect(await bank.balances()).toEqual({
    ...{ acquirer_clearing: 97_500n, acquiring_costs: 2_500n, acquirer_suspense: 4_000n, pool_owed: 96_000n },
  });
  const entries = [{ amount: 97_500, account: 'JO71ACME' }];
  await bank.take(camt([{ currency: 'EUR', on: today(), opening: 0, entries }]));
  expect(await saidOf(bank)).toEqual(['sequence: 97500 ↔ 97500']);
  expect(await bank.balances()).toEqual({
    ...{ bank: 97_500n, acquiring_costs: 2_500n, acquirer_suspense: 4_000n, pool_owed: 96_000n },
  });
  expect(await reports.exceptionKinds()).toEqual(['settlement_reference_unknown']);
  // Its payment comes, and the line is settled after all.
  const late = await acceptOne(merchant, { accountId, amount: 4_000n, idempotencyKey: 'late' });
  await say(merchant, late, {});
  const [exception] = await merchant.rows<{ id: Uuid }>('SELECT id FROM exceptions WHERE book_id = $1');
  const found = (await findExceptionLine(bank.pool, exception!.id))!;
  const read = await readLines(bank.pool, merchant.id, [found.line]);
  const again = settleAgain(merchant.id, { found, read: read.found[0]!, shares: read.shares, actor: 'operator:Amal' });
  expect((await merchant.submit(again)).result).toBe('booked');
  await mirror();
  expect(await bank.balances()).toEqual({ bank: 97_500n, acquiring_costs: 2_500n, pool_owed: 100_000n });
  expect(await findingsOf(merchant)).toEqual([]);
  await merchant.close();
});

test('23: two reports, one line without a reference', async () => {
  await bank.account({ parties: [ACME] });
  await keep({ totals: [{ gross: 100_000n, cost: 2_500n }], at: Date.now() - 86_400_000 });
  await keep({ totals: [{ gross: 50_000n, cost: 0n }] });
  await take(147_500);
  expect(await saidOf(bank)).toEqual(['sequence: 147500 ↔ 97500, 50000']);
  expect(await bank.balances()).toEqual({ bank: 147_500n, acquiring_costs: 2_500n, acquirer_suspense: 150_000n });
});

test('24: a report of which the acquirer takes', async () => {
  await bank.account({ parties: [ACME] });
  await keep({ totals: [{ gross: -2_800n, cost: 200n }] });
  await take(-3_000);
  expect(await saidOf(bank)).toEqual(['sequence: -3000 ↔ -3000']);
  expect(await bank.balances()).toEqual({ bank: -3_000n, acquiring_costs: 200n, acquirer_suspense: -2_800n });
});

test('25: a line that is short of its report is a proposal; two persons book what differs', async () => {
  await bank.account({ parties: [ACME] });
  await keep({ name: 'ACME-REPORT-20261103.csv', totals: [{ gross: 100_000n, cost: 2_500n }] });
  await take(96_000, { text: 'ACME-REPORT-20261103' });
  expect(await saidOf(bank)).toEqual([]);
  expect(await openItemsOf(bank)).toEqual([97_500n]);
  expect(await bank.exceptions()).toEqual([{ kind: 'bank_amount_differs', stage: 'open' }]);
  expect(await bank.balances()).toMatchObject({ unallocated: 96_000n, acquirer_clearing: 97_500n });
  const [line] = await bank.book.rows<{ id: Uuid }>('SELECT id FROM bank_lines WHERE book_id = $1');
  const [item] = await bank.book.rows<{ id: Uuid }>('SELECT id FROM expected_items WHERE book_id = $1');
  await matchByHand(bank, { lines: [line!.id], items: [item!.id], differenceTo: 'differences' });
  expect(await saidOf(bank)).toEqual(['manual: 96000 ↔ 97500 (-1500 to differences)']);
  expect(await bank.exceptions()).toEqual([{ kind: 'bank_amount_differs', stage: 'approved' }]);
  expect(await openItemsOf(bank)).toEqual([]);
  expect(await bank.balances()).toEqual({
    ...{ bank: 96_000n, differences: 1_500n, acquiring_costs: 2_500n, acquirer_suspense: 100_000n },
  });
});

test('27: charges of the bank that the line states beside what was ordered', async () => {
  await bank.account({ parties: [ACME] });
  await keep({ totals: [{ gross: 100_000n, cost: 2_500n }] });
  const instructed = { amount: 97_500, currency: 'JOD' };
  const entries = [{ amount: 97_400, account: 'JO71ACME', charge: 100, instructed }];
  await bank.take(camt([{ on: today(), opening: 0, entries }]));
  expect(await saidOf(bank)).toEqual(['charges: 97400 ↔ 97500 (-100 to bank_charges)']);
  expect(await bank.exceptions()).toEqual([]);
  expect(await bank.balances()).toEqual({
    ...{ bank: 97_400n, bank_charges: 100n, acquiring_costs: 2_500n, acquirer_suspense: 100_000n },
  });
});

test('each currency is an item; one of which nothing is paid has none', async () => {
  await bank.account();
  const id = await keep({
    totals: [
      { currency: 'USD', gross: 900n, cost: 9n },
      { currency: 'JOD', gross: 500n, cost: 500n },
      { currency: 'EUR', gross: 0n, cost: 0n },
      { currency: 'USD', gross: 100n, cost: 1n },
    ],
  });
  await post(id);
  expect(
    await bank.book.rows('SELECT currency, amount FROM expected_items WHERE book_id = $1 ORDER BY currency'),
  ).toEqual([{ currency: 'USD', amount: 990n }]);
  const { totals } = await bank.book.row<{ totals: object[] }>(
    'SELECT totals FROM acquirer_reports WHERE book_id = $1',
  );
  expect(totals).toMatchObject([
    { currency: 'EUR', gross: '0', cost: '0', itemId: null },
    { currency: 'JOD', gross: '500', cost: '500', itemId: null },
    { currency: 'USD', gross: '1000', cost: '10' },
  ]);
});

test('earlier reports are posted from the first bank account on, on their own day, each once by two processes', async () => {
  const day = 86_400_000;
  const early = await keep({ totals: [{ gross: 70n, cost: 0n }], at: Date.now() - 9 * day });
  const sweep = sweeping(sweepReports, { pool: bank.pool });
  expect(await sweep()).toEqual([]);
  await bank.account();
  expect(await sweep()).toEqual([{ job: 'acquirer_report.post', bookId: bank.book.id, ids: [early] }]);
  const other = await openBook({ database: bank.pool, bookId: bank.book.id, forms: LATEST_FORMS });
  const both = [bank.book, other].map(({ committer }) =>
    postReports({ pool: bank.pool, committer }, bank.book.id, [early]),
  );
  expect((await Promise.all(both)).reduce((sum, one) => sum + one, 0)).toBe(1);
  await other.close();
  expect(await sweep()).toEqual([]);
  const entries = await bank.book.rows<{ effective_at: number; posted_at: number }>(
    "SELECT effective_at, posted_at FROM entries WHERE book_id = $1 AND resource = 'acquirer_report'",
  );
  expect(entries).toHaveLength(1);
  expect(entries[0]!.posted_at - entries[0]!.effective_at).toBeGreaterThan(8 * day);
});

test.each`
  name                            | reference
  ${'ACME-REPORT-1.csv'}          | ${'ACME-REPORT-1'}
  ${'/in/2026/ACME-REPORT-1.csv'} | ${'ACME-REPORT-1'}
  ${'C:\\in\\ACME REPORT 1.tsv'}  | ${'ACME REPORT 1'}
  ${'ACME.REPORT.20261103'}       | ${'ACME.REPORT.20261103'}
  ${'.csv'}                       | ${null}
`('the file $name is named as $reference', ({ name, reference }) => {
  expect(documentReferenceOf(name)).toBe(reference);
});

test('what is posted and not what its parts come to is a finding', async () => {
  await bank.account();
  await post(await keep({ totals: [{ gross: 70n, cost: 0n }] }));
  const change = (gross: string) =>
    bank.book.rows(
      `UPDATE acquirer_reports SET totals = jsonb_set(totals, '{0,gross}', to_jsonb($2::text)) WHERE book_id = $1`,
      gross,
    );
  await change('71');
  const found = await findingsOf({ pool: bank.pool, id: bank.book.id });
  expect(new Set(found.map(({ check }) => check))).toEqual(new Set(['acquirer_report.totals', 'account.equation']));
  await change('70');
});
