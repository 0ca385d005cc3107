/** Golden scenarios of bank statements: what a file posts, what holds it, and what releases it. Rows are those of the scenarios' table. */
import { describe, expect, test } from 'vitest';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { bankAccounts } from '../../../src/reconciliation/accounts/bank-account-table.ts';
import { updateBankAccount } from '../../../src/reconciliation/accounts/change-bank-account.ts';
import type { CsvProfile } from '../../../src/reconciliation/reading/read-csv.ts';
import { postReleased, sweepReleased } from '../../../src/reconciliation/runs/post-released.ts';
import { newId } from '../../../src/values/ids.ts';
import { type CamtStatement, camt, IBAN, mt940, type OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { sweeping } from '../../support/swept-jobs.ts';

let bank: OperatorsBank;
eachBank(
  (opened) => {
    ({ bank } = opened);
  },
  { equal: true },
);

/** Takes the files in their order, and each of them once more: that changes nothing. */
async function take(...files: readonly string[]) {
  const runs = [];
  for (const file of files) runs.push(await bank.take(file));
  const before = await bank.digest();
  for (const file of files) await bank.take(file);
  expect(await bank.digest()).toBe(before);
  return runs;
}

/** Beside lines that nothing explains. */
const heldOnes = async () => (await bank.exceptions()).filter(({ kind }) => kind === 'statement_held');

const kinds = async () => (await bank.exceptions()).map(({ kind }) => kind);

const codes = async () =>
  (await bank.statements()).map(({ status, findings }) => [status, ...findings.map(({ code }) => code)]);
const PAYOUT: CamtStatement = { opening: 0, entries: [{ amount: -25_000, endToEndId: 'E1', reference: 'S1' }] };

test('9: the same bytes again are the first answer, and nothing new', async () => {
  await bank.account();
  const first = await bank.take(camt([PAYOUT]));
  expect(first).toMatchObject({ status: 'completed', statements: 1, known: 0, lines: 1, findings: [] });
  const before = await bank.digest();
  expect(await bank.take(camt([PAYOUT]))).toEqual(first);
  expect(await bank.digest()).toBe(before);
  expect(await bank.balances()).toEqual({ bank: -25_000n, suspense: 25_000n });
});

test('10: the same statement in a bundle of three is known, and the other two are posted', async () => {
  await bank.account();
  const bundle = [
    { ...PAYOUT, duplicate: true as const },
    { number: '2', on: '2026-11-04', opening: -25_000, entries: [{ amount: 1_000 }] },
    { number: '3', on: '2026-11-05', opening: -24_000, entries: [{ amount: -500 }] },
  ];
  const [, second] = await take(camt([PAYOUT]), camt(bundle, { id: 'M2' }));
  expect(second).toMatchObject({ statements: 3, known: 1, lines: 2, findingsTotal: 0 });
  expect(await bank.balances()).toEqual({ bank: -24_500n, unallocated: 1_000n, suspense: 25_500n });
});

test('11: three equal lines with one reference are three', async () => {
  await bank.account();
  const line = { amount: 10_000, reference: 'S9', text: 'The same' };
  await take(camt([{ opening: 0, entries: [line, line, line] }]));
  expect(await bank.lines()).toHaveLength(3);
  expect(await kinds()).toEqual(Array(3).fill('inbound_unallocated'));
  expect(await bank.balances()).toEqual({ bank: 30_000n, unallocated: 30_000n });
});

const CSV: CsvProfile = {
  ...({ delimiter: ';', encoding: 'utf-8', skip: 0, decimal: ',', group: '.', dateFormat: 'DD.MM.YYYY' } as const),
  columns: { booked_on: 'Day', amount: 'Amount', text: ['Text'] },
  ...{ account: IBAN, currency: 'JOD' },
};

test('12: of overlapping files without balances equal lines of a day are counted', async () => {
  await bank.account();
  const csv = (...rows: readonly string[]) => ['Day;Amount;Text', ...rows, ''].join('\n');
  const first = csv('03.11.2026;5,000;A', '03.11.2026;5,000;A');
  const second = csv('03.11.2026;5,000;A', '03.11.2026;5,000;A', '03.11.2026;5,000;A', '04.11.2026;7,000;B');
  for (const file of [first, second, first, second]) await bank.take(file, { profile: CSV });
  expect((await bank.lines()).map(({ amount }) => amount)).toEqual([5_000n, 5_000n, 5_000n, 7_000n]);
  expect(await codes()).toEqual([
    ['posted', 'no_balances'],
    ['posted', 'no_balances'],
  ]);
  expect(await kinds()).toEqual(Array(4).fill('inbound_unallocated'));
  expect(await bank.balances()).toEqual({ bank: 22_000n, unallocated: 22_000n });
});

test('13: a camt.052 informs, and the camt.053 alone posts', async () => {
  await bank.account();
  const entry = { amount: -25_000, endToEndId: 'E1', reference: 'S1' };
  const report = (status: 'PDNG' | 'BOOK') =>
    camt([{ number: '7', entries: [{ ...entry, status }] }], { type: 'camt.052' });
  await take(report('PDNG'), report('BOOK'), camt([PAYOUT]));
  expect(await bank.lines()).toEqual([{ amount: -25_000n, booked_on: '2026-11-03', status: 'open' }]);
  expect(await bank.balances()).toEqual({ bank: -25_000n, suspense: 25_000n });
});

test('where a bank has no other message, its reports post', async () => {
  await bank.account({ booksFrom: 'report' });
  await take(camt([{ entries: [{ amount: 700 }] }], { type: 'camt.052' }), camt([PAYOUT]));
  expect(await bank.balances()).toEqual({ bank: 700n, unallocated: 700n });
});

describe('33: a reversal states its own direction, or that of what it reverses', () => {
  const statement = camt([{ opening: 100_000, closing: 105_000, entries: [{ amount: -5_000, reversal: true }] }]);

  test('as entry it does not foot, and the other reading is named', async () => {
    await bank.account({ openingAmount: 100_000n });
    await take(statement);
    const [held] = await bank.statements();
    expect(held).toMatchObject({
      status: 'held',
      findings: [{ code: 'statement_totals', expected: '95000', actual: '105000' }],
    });
    expect(held!.findings[0]!.detail).toContain('With reversal_indicator original it foots.');
    expect(await bank.balances()).toEqual({ bank: 100_000n, own_funds: 100_000n });
  });

  test('once the bank account states the other reading, workers post it by that: also where one dies in between', async () => {
    const bankAccountId = await bank.account({ openingAmount: 100_000n });
    await take(statement);
    const { pool, committer, bookId } = bank.taker;
    const known = (await bankAccounts.find(pool, bookId, bankAccountId))!;
    const change = { reversalIndicator: 'original' } as const;
    const following = sweeping((context) => sweepReleased(context)[1]!, { pool });
    const post = async (by: Pick<Committer, 'submit'> = committer) => {
      for (const { ids } of await following()) await postReleased({ pool, committer: by }, bookId, ids);
    };
    await post();
    expect((await bank.statements())[0]).toMatchObject({ findings: [{ code: 'statement_totals' }] });
    await committer.submit(bookId, updateBankAccount({ requestId: newId(), bankAccountId, change, known }));
    const dying: Pick<Committer, 'submit'> = {
      submit: (of, command) =>
        command.name === 'bank_statement.read_again'
          ? Promise.reject(new Error('killed'))
          : committer.submit(of, command),
    };
    await expect(post(dying)).rejects.toThrow('killed');
    await post();
    expect(await bank.lines()).toMatchObject([{ amount: 5_000n, status: 'open' }]);
    expect((await bank.statements())[0]).toMatchObject({ status: 'posted', findings: [] });
    expect(await heldOnes()).toEqual([{ kind: 'statement_held', stage: 'approved' }]);
    expect(await bank.balances()).toEqual({ bank: 105_000n, own_funds: 100_000n, unallocated: 5_000n });
    expect(await following()).toEqual([]);
  });

  test('as original it is money in', async () => {
    await bank.account({ openingAmount: 100_000n, reversalIndicator: 'original' });
    await take(statement);
    expect(await bank.balances()).toEqual({ bank: 105_000n, own_funds: 100_000n, unallocated: 5_000n });
  });
});

test('40: a statement behind a gap is held, and released by the missing one', async () => {
  await bank.account({ openingAmount: 100_000n });
  await bank.take(camt([{ number: '13', on: '2026-11-04', opening: 115_000, entries: [{ amount: -5_000 }] }]));
  expect((await bank.statements())[0]).toMatchObject({
    status: 'held',
    findings: [{ code: 'statement_gap', expected: '100000', actual: '115000' }],
  });
  expect(await heldOnes()).toEqual([{ kind: 'statement_held', stage: 'open' }]);
  expect(await bank.lines()).toMatchObject([{ status: 'pending' }]);
  await take(camt([{ number: '12', opening: 100_000, entries: [{ amount: 15_000 }] }]));
  expect(await codes()).toEqual([['posted'], ['posted']]);
  expect(await heldOnes()).toEqual([{ kind: 'statement_held', stage: 'approved' }]);
  expect(await bank.balances()).toEqual({
    bank: 110_000n,
    own_funds: 100_000n,
    unallocated: 15_000n,
    suspense: 5_000n,
  });
});

test('41: sums that do not foot hold a statement', async () => {
  await bank.account({ openingAmount: 100_000n });
  await take(camt([{ opening: 100_000, closing: 96_000, entries: [{ amount: -5_000 }] }]));
  expect(await bank.statements()).toMatchObject([
    { status: 'held', findings: [{ code: 'statement_totals', expected: '95000', actual: '96000' }] },
  ]);
  expect(await kinds()).toEqual(['statement_held']);
  expect(await bank.balances()).toEqual({ bank: 100_000n, own_funds: 100_000n });
});

test('42: pages wait for each other, and are posted in their order', async () => {
  await bank.account();
  const page = (number: string, opening: string, closing: string, amount: string) =>
    mt940({ number, opening, closing, lines: [`:61:2611031103C${amount}NTRFNONREF`] });
  await bank.take(
    page('5/1', ':60F:C261103JOD0,', ':62M:C261103JOD1,000', '1,000') +
      page('5/3', ':60M:C261103JOD3,000', ':62F:C261103JOD6,000', '3,000'),
  );
  expect(await codes()).toEqual([
    ['held', 'statement_page_missing'],
    ['held', 'statement_page_missing'],
  ]);
  expect(await bank.balances()).toEqual({});
  await take(page('5/2', ':60M:C261103JOD1,000', ':62M:C261103JOD3,000', '2,000'));
  expect((await bank.lines()).map(({ amount }) => amount)).toEqual([1_000n, 2_000n, 3_000n]);
  expect(await bank.balances()).toEqual({ bank: 6_000n, unallocated: 6_000n });
});

test('43: an MT940 entry is booked in the year that is nearest to its value date', async () => {
  await bank.account();
  const lines = [':61:2601011230C27,980NTRFNONREF', ':61:2512310105C5,000NTRFNONREF'];
  await take(mt940({ number: '1', opening: ':60F:C251230JOD0,', closing: ':62F:C260105JOD32,980', lines }));
  const booked = (await bank.lines()).map(({ amount, booked_on: on }) => `${on} ${amount}`);
  expect(booked.sort()).toEqual(['2025-12-30 27980', '2026-01-05 5000']);
  expect(await kinds()).toEqual(['inbound_unallocated', 'inbound_unallocated']);
  expect(await bank.balances()).toEqual({ bank: 32_980n, unallocated: 32_980n });
});

test('44: a restated statement is held; accepted by two, what is new is posted alone', async () => {
  await bank.account();
  const seven = { number: '7', opening: 0, entries: [{ amount: 10_000 }] };
  await take(camt([seven]), camt([{ ...seven, entries: [...seven.entries, { amount: 2_000 }] }]));
  expect(await codes()).toEqual([['posted'], ['held', 'statement_restated']]);
  expect(await bank.balances()).toEqual({ bank: 10_000n, unallocated: 10_000n });
  const [, held] = await bank.statements();
  expect(await bank.decide(held!.id, 'accept')).toMatchObject({ status: 'posted', bookedLines: 1 });
  expect((await codes()).map(([status]) => status)).toEqual(['restated', 'posted']);
  expect(await heldOnes()).toEqual([{ kind: 'statement_held', stage: 'approved' }]);
  expect(await bank.balances()).toEqual({ bank: 12_000n, unallocated: 12_000n });
});

test('a gap that two persons accept is one line, and the account stands where the bank says', async () => {
  await bank.account({ openingAmount: 100_000n });
  await take(camt([{ opening: 115_000, entries: [{ amount: -5_000 }] }]));
  const [held] = await bank.statements();
  expect(await bank.decide(held!.id, 'accept')).toMatchObject({ status: 'posted', bookedLines: 2 });
  expect((await bank.lines()).map(({ amount }) => amount)).toEqual([15_000n, -5_000n]);
  expect(await bank.balances()).toEqual({
    bank: 110_000n,
    own_funds: 100_000n,
    unallocated: 15_000n,
    suspense: 5_000n,
  });
});

test('a statement that two persons reject is never posted', async () => {
  await bank.account();
  await take(camt([{ opening: 500, entries: [{ amount: 1 }] }]));
  const [held] = await bank.statements();
  expect(await bank.decide(held!.id, 'reject')).toMatchObject({ status: 'rejected', bookedLines: 0 });
  expect(await bank.balances()).toEqual({});
});

describe('what else a file says', () => {
  test('an account that nobody knows is held, and its neighbour is posted', async () => {
    await bank.account();
    await take(camt([{ account: 'JO00UNKNOWN', opening: 0, entries: [{ amount: 9 }] }, PAYOUT]));
    expect(await codes()).toEqual([['held', 'bank_account_unknown'], ['posted']]);
    expect(await bank.balances()).toEqual({ bank: -25_000n, suspense: 25_000n });
  });

  test('another currency holds it, days before the opening reject it', async () => {
    await bank.account({ currency: 'USD' });
    await bank.account({ identifiers: ['JO71'], openingOn: '2026-12-01' });
    await take(camt([PAYOUT, { ...PAYOUT, account: 'JO71' }]));
    expect(await codes()).toEqual([
      ['held', 'currency_differs'],
      ['rejected', 'statement_invalid'],
    ]);
    expect(await bank.balances()).toEqual({});
  });

  test('many lines are posted 250 a command, an entry a day', async () => {
    await bank.account();
    const entries = Array.from({ length: 1_001 }, (_, index) => ({
      amount: index % 2 === 0 ? 3 : -1,
      on: index < 500 ? '2026-11-02' : '2026-11-03',
      reference: `S${index}`,
    }));
    await take(camt([{ opening: 0, entries }]));
    const { count } = await bank.book.row<{ count: bigint }>(
      "SELECT count(*) AS count FROM entries WHERE book_id = $1 AND resource = 'bank_statement'",
    );
    expect(count).toBe(5n);
    expect(await bank.balances()).toEqual({ bank: 1_003n, unallocated: 1_503n, suspense: 500n });
  });

  test('the bytes of a file are sealed', async () => {
    await bank.account();
    await bank.take(camt([{ opening: 0, entries: [{ amount: 5, text: 'Salma Haddad' }] }]));
    const rows = await bank.book.rows<{ bytes: Buffer }>('SELECT bytes FROM intake_file_parts WHERE book_id = $1');
    expect(rows.length).toBeGreaterThan(0);
    expect(Buffer.concat(rows.map(({ bytes }) => bytes)).includes('Salma')).toBe(false);
  });
});
