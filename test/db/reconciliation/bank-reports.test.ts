/**
 * Reports of the operator's bank over what the mirror, statements and matches really booked: three equalities, what is short, what waits, and which
 * rules match. Numbers are golden scenarios.
 */
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../scripts/report.ts';
import { GROUPS } from '../../../src/groups.ts';
import { mirrorAllBooks } from '../../../src/reconciliation/mirror/mirror-books.ts';
import { postAllReports } from '../../../src/reconciliation/reports/post-received.ts';
import { reconciliationView } from '../../../src/reconciliation/runs/reconciliation-resource.ts';
import { keepReportOf } from '../../support/acquirer-reports.ts';
import { type CamtEntry, camt, OperatorsBank, takeBankFile } from '../../support/bank-statements.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { matchByHand } from '../../support/matched-bank.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let bank: OperatorsBank;
let book: TestBook;

beforeEach(async () => {
  database = await createTestDatabase();
  bank = await OperatorsBank.open(database.applicationUrl);
  book = await openBook({ database: bank.pool, forms: LATEST_FORMS });
});
afterEach(async () => {
  await book.close();
  await bank.close();
  await database.drop();
});

const report = (name: string, ...words: string[]) =>
  runHere(program, [name, '--mode', 'test', ...words], { DATABASE_URL: database.applicationUrl });
const rowsOf = ({ out }: { out: string }) => (JSON.parse(out) as { rows: Record<string, unknown>[] }).rows;

const ATBANK = GROUPS.flatMap(({ atBank = [] }) => atBank);
const mirror = () => mirrorAllBooks({ pool: bank.pool, committer: bank.book.committer, atBank: ATBANK }, bank.book.id);

/** One statement after the other, a day each. */
let statements: { closing: number; number: number };
beforeEach(() => {
  statements = { closing: 0, number: 0 };
});

async function take(...entries: readonly CamtEntry[]) {
  const { closing: opening, number } = statements;
  const closing = entries.reduce((sum, { amount }) => sum + amount, opening);
  statements = { closing, number: number + 1 };
  const on = `2026-11-${String(3 + number).padStart(2, '0')}`;
  const file = camt([{ number: String(number + 1), on, opening, closing, entries }]);
  return takeBankFile({ ...bank.taker, mirror }, file);
}

async function payOut(...amounts: readonly bigint[]) {
  const from = await book.account({ currency: 'JOD', amount: 100_000n });
  const paid = [];
  for (const amount of amounts) {
    const payout = await book.reserve(await book.accept({ accountId: from, amount, currency: 'JOD', fee: 0n }));
    paid.push(await book.settle(payout, { status: 'paid', railReference: `R-${payout.id}` }));
  }
  return paid;
}

/** What the report says of each equality: `code: stated = books`, differences in brackets. */
async function said() {
  const found = await report('bank-reconciliation');
  const rows = rowsOf(found).map(
    ({ code, stated, books, difference }) =>
      `${code}: ${stated ?? 'not stated'} = ${books}${difference ? ` (${difference})` : ''}`,
  );
  return { code: found.code, rows };
}

describe('the three equalities hold', () => {
  test('1: of a payout and its line', async () => {
    await bank.account();
    const [payout] = await payOut(25_000n);
    await take({ amount: -25_000, endToEndId: payout!.endToEndId });
    expect(await said()).toEqual({
      code: 0,
      rows: [
        'bank: -25000 = -25000',
        'rail_clearing: 0 = 0',
        'suspense: 0 = 0',
        'unallocated: -100000 = -100000',
        'pool_owed: 75000 = 75000',
      ],
    });
  });

  test('7, 14: of a line with a foreign id, and of one that the bank paid twice', async () => {
    await bank.account();
    const [, second] = await payOut(25_000n, 25_000n);
    const { endToEndId } = second!;
    const twice = ['S1', 'S2'].map((reference) => ({ amount: -25_000, endToEndId, reference }));
    await take({ amount: -25_000, endToEndId: 'INV-9' }, ...twice);
    expect(await said()).toEqual({
      code: 0,
      rows: [
        'bank: -75000 = -75000',
        'rail_clearing: 25000 = 25000',
        'suspense: -50000 = -50000',
        'unallocated: -100000 = -100000',
        'pool_owed: 50000 = 50000',
      ],
    });
  });

  test('15: of an item of which a line has shown a part', async () => {
    await bank.account();
    const [payout] = await payOut(90_000n);
    await take({ amount: -50_000, endToEndId: payout!.endToEndId });
    const { rows } = await said();
    expect(rows).toContain('rail_clearing: 40000 = 40000');
    await take({ amount: -40_000, endToEndId: payout!.endToEndId });
    expect(await said()).toMatchObject({
      code: 0,
      rows: ['bank: -90000 = -90000', 'rail_clearing: 0 = 0', ...rows.slice(2)],
    });
  });

  test('21, 25: of reports of an acquirer, and of a difference that two persons book', async () => {
    await bank.account({ parties: [{ party: 'acme', accounts: [], names: [], settles: 'sequence' }] });
    const totals = [{ gross: 100_000n, cost: 2_500n }];
    for (const name of ['ACME-REPORT-20261103.csv', 'ACME-REPORT-20261104.csv'])
      await keepReportOf({ pool: bank.pool, bookId: bank.book.id }, { name, totals });
    await postAllReports({ pool: bank.pool, committer: bank.book.committer }, bank.book.id);
    const lines = [97_500, 96_000].map((amount, at) => ({ amount, text: `ACME-REPORT-2026110${3 + at}` }));
    await take(...lines);
    const before = await said();
    expect(before.code).toBe(0);
    expect(before.rows).toContain('acquirer_clearing: -97500 = -97500');
    const [line] = await bank.book.rows<{ id: string }>(
      "SELECT id FROM bank_lines WHERE book_id = $1 AND status = 'open'",
    );
    const [item] = await bank.book.rows<{ id: string }>(
      "SELECT id FROM expected_items WHERE book_id = $1 AND status = 'open'",
    );
    await matchByHand(bank, { lines: [line!.id], items: [item!.id], differenceTo: 'differences' });
    expect(await said()).toEqual({
      code: 0,
      rows: ['bank: 193500 = 193500', 'acquirer_clearing: 0 = 0', 'suspense: 0 = 0', 'unallocated: 0 = 0'],
    });
  });

  test('40, 41: of statements that are held, which say nothing yet', async () => {
    await bank.account({ openingAmount: 100_000n });
    await bank.take(camt([{ number: '13', on: '2026-11-04', opening: 115_000, entries: [{ amount: -5_000 }] }]));
    expect(await said()).toEqual({
      code: 0,
      rows: ['bank: not stated = 100000'],
    });
    await bank.take(camt([{ number: '12', opening: 100_000, entries: [{ amount: 15_000 }] }]));
    expect(await said()).toEqual({
      code: 0,
      rows: ['bank: 110000 = 110000', 'suspense: -5000 = -5000', 'unallocated: 15000 = 15000'],
    });
    await bank.take(camt([{ number: '14', on: '2026-11-05', opening: 110_000, closing: 1, entries: [{ amount: 9 }] }]));
    expect((await said()).rows[0]).toBe('bank: 110000 = 110000');
  });

  test('of a bank that states no balance: that is shown, and compared with nothing', async () => {
    await bank.account();
    await bank.take(camt([{ number: '1', opening: 0, entries: [] }]));
    expect((await said()).rows[0]).toBe('bank: 0 = 0');
    await bank.take(camt([{ number: '2', entries: [{ amount: 700 }] }]));
    const { code, rows } = await said();
    expect([code, rows[0]]).toEqual([0, 'bank: not stated = 700']);
    expect((await report('bank-reconciliation', '--format', 'csv')).out).toContain(',Current account,,,,0.700,700,,');
  });

  test('44: the statement of the latest days counts, although an older one is restated behind it', async () => {
    await bank.account();
    const first = { number: '1', opening: 0, entries: [{ amount: 10_000 }] };
    await bank.take(camt([first]));
    await bank.take(camt([{ number: '2', on: '2026-11-04', opening: 10_000, entries: [{ amount: 5 }] }]));
    await bank.take(camt([{ ...first, entries: [...first.entries, { amount: 2_000 }] }]));
    const held = (await bank.statements()).find(({ status }) => status === 'held');
    await bank.decide(held!.id, 'accept');
    // The bank has not restated the second statement: what it closes with lacks the new line.
    expect(await said()).toMatchObject({
      code: 1,
      rows: ['bank: 10005 = 12005 (-2000)', expect.anything(), expect.anything()],
    });
  });
});

/** By some minor units, as nothing of the product does. */
const PLANTED = [
  ['bank', (by: number) => `UPDATE bank_statements SET closing = closing + ${by}`],
  ['bank', (by: number) => `UPDATE accounts SET posted_credits = posted_credits + ${by} WHERE code = 'bank'`],
  [
    'rail_clearing',
    (by: number) => `UPDATE expected_items SET amount_open = amount_open + ${by} WHERE status = 'partly_matched'`,
  ],
  ['suspense', (by: number) => `UPDATE bank_lines SET amount = amount + ${by} WHERE status = 'open' AND amount < 0`],
  [
    'unallocated',
    (by: number) => `UPDATE accounts SET posted_debits = posted_debits + ${by} WHERE code = 'unallocated'`,
  ],
  ['pool_owed', (by: number) => `UPDATE accounts SET posted_credits = posted_credits + ${by} WHERE code = 'pool_owed'`],
  ['pool_owed', (by: number) => `UPDATE mirrored_pools SET line = line + ${by}`],
] as const;

test('what is wrong by one minor unit is found in its row, and exits 1', async () => {
  await bank.account();
  const [payout, split] = await payOut(25_000n, 7_000n, 1n);
  const lines = [payout!, split!].map(({ endToEndId }, at) => ({ amount: at === 0 ? -25_000 : -3_000, endToEndId }));
  await take(...lines, { amount: -300 });
  expect((await said()).code).toBe(0);
  const owner = new pg.Client({ connectionString: database.superuserUrl });
  await owner.connect();
  try {
    for (const [code, sql] of PLANTED) {
      await owner.query(sql(-1));
      const found = await report('bank-reconciliation');
      const wrong = rowsOf(found).filter(({ difference }) => difference !== 0);
      expect([found.code, wrong.map((row) => [row.code, Math.abs(Number(row.difference))])]).toEqual([1, [[code, 1]]]);
      await owner.query(sql(1));
    }
  } finally {
    await owner.end();
  }
  expect((await said()).code).toBe(0);
});

test('CSV and PDF have the same rows', async () => {
  await bank.account({ openingAmount: 100_000n });
  await bank.take(camt([{ opening: 100_000, entries: [{ amount: -24_300 }] }]));
  const csv = await report('bank-reconciliation', '--format', 'csv');
  expect(csv.out).toMatch(/^equality,currency,code,account,name,on,stated,stated_minor,/);
  expect(csv.out).toContain('75.700,75700,75.700,75700,0.000,0');
  expect((await report('bank-reconciliation', '--format', 'pdf')).out).toMatch(/^%PDF-/);
});

describe('safeguarding', () => {
  const shortfalls = async () => (await bank.exceptions()).filter(({ kind }) => kind === 'safeguarding_short');

  test('what is owed to customers is at their bank, and one minor unit less is short, once a day', async () => {
    await bank.account();
    await payOut(25_000n);
    const owed = { currency: 'JOD', customers: 75_000, in_transit: 0 };
    await take();
    // Neither the transfer nor the payout is on a statement.
    const first = await report('safeguarding');
    expect([first.code, rowsOf(first)]).toMatchObject([
      0,
      [{ ...owed, unallocated: -100_000, required: -25_000, banks: 0, short: 0 }],
    ]);
    await take({ amount: 100_000 }, { amount: -25_000 });
    const even = await report('safeguarding');
    expect([even.code, rowsOf(even)]).toMatchObject([
      0,
      [{ ...owed, unallocated: 0, required: 75_000, banks: 75_000, short: 0 }],
    ]);
    await take({ amount: -1 });
    for (const found of [await report('safeguarding'), await report('safeguarding')])
      expect([found.code, rowsOf(found)]).toMatchObject([1, [{ ...owed, required: 75_000, banks: 74_999, short: 1 }]]);
    expect(await shortfalls()).toHaveLength(1);
  });

  test('what a payout still moves is owed, and money of our own covers nothing', async () => {
    await bank.account({ holds: 'own_money', openingAmount: 500_000n });
    const from = await book.account({ currency: 'JOD', amount: 100_000n });
    await book.reserve(await book.accept({ accountId: from, amount: 40_000n, currency: 'JOD', fee: 0n }));
    const found = await report('safeguarding');
    expect([found.code, rowsOf(found)]).toMatchObject([
      1,
      [{ customers: 60_000, in_transit: 40_000, unallocated: 0, required: 100_000, banks: 0, short: 100_000 }],
    ]);
  });
});

test('what waits by age and side, and what rules have matched', async () => {
  await bank.account();
  const [payout] = await payOut(25_000n, 10_000n);
  await take({ amount: -25_000, endToEndId: payout!.endToEndId }, { amount: 700 });
  expect(rowsOf(await report('suspense-ageing'))).toMatchObject([{ code: 'unallocated', lines: 1, amount: 700 }]);
  expect(rowsOf(await report('unmatched'))).toMatchObject([
    { side: 'bank', direction: 'in', count: 1, amount: 700 },
    { side: 'books', direction: 'in', of: null, count: 1, amount: 100_000 },
    { side: 'books', direction: 'out', of: 'sandbox', count: 1, amount: -10_000 },
  ]);
  expect(rowsOf(await report('match-rates'))).toMatchObject([
    { rule: 'end_to_end_id', matches: 1, lines: 1, amount: 25_000, per_mille_of_lines: 1_000 },
  ]);
});

test('a run shows where its bank accounts stand', async () => {
  await bank.account();
  const [payout] = await payOut(25_000n, 10_000n);
  const run = await take({ amount: -25_000, endToEndId: payout!.endToEndId }, { amount: 700 }, { amount: -9 });
  const [shown] = reconciliationView(run, false).position;
  expect(shown).toMatchObject({
    ...{ currency: 'JOD', on: '2026-11-03', bank: -24_309n, books: -24_309n, difference: 0n },
    ...{ in_transit_in: 0n, in_transit_out: 10_000n, unallocated: -99_300n, suspense: 9n },
  });
  await bank.account({ identifiers: ['JO71SILENT'] });
  const silent = await bank.take(camt([{ account: 'JO71SILENT', entries: [{ amount: 5 }] }]));
  expect(reconciliationView(silent, false).position).toMatchObject([{ bank: null, books: 5n, difference: null }]);
});

test('what cannot be asked exits 2, and without a database 3', async () => {
  for (const words of [
    ['match-rates', '--days', 'many'],
    ['unmatched', '--format', 'xml'],
    ['safeguarding', '--output', '/nowhere/x'],
  ])
    expect((await report(words[0]!, ...words.slice(1))).code).toBe(2);
  expect((await report('unmatched', '--database-url', 'postgres://nobody@127.0.0.1:1/none')).code).toBe(3);
});
