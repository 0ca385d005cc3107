/** The general ledger over a random journal: every line, each balance from the one before, and the same rows wherever a writer goes on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays } from '../../../src/calendar/day.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createLogger } from '../../../src/process/log.ts';
import { type Asked, FigureContradicted, type Row } from '../../../src/reports/figures/figures.ts';
import { kindFor, REPORT_TYPES } from '../../../src/reports/figures/kinds.ts';
import { placeAt } from '../../../src/reports/figures/place.ts';
import { writeFigures } from '../../../src/reports/figures/write-figures.ts';
import { publicId, type Uuid } from '../../../src/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type Line, linesOf, type RandomJournal, randomJournal } from '../../support/random-journal.ts';

let database: TestDatabase;
let journal: RandomJournal;
let lines: Line[];
let owner: Pool;
let all: Asked;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool({ url: database.ownerUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  journal = await randomJournal(database.applicationUrl);
  lines = await linesOf(journal);
  const { first, last, head } = journal;
  all = { axis: 'posted', from: addDays(first, 2), to: addDays(last, -2), detail: 'entry', sequence: head };
});
afterAll(async () => {
  await owner?.end();
  await journal?.book.close();
  await database?.drop();
});

async function sourceOf(asked: Asked, from?: string) {
  const book = { id: journal.book.id, timeZone: journal.timeZone };
  const place = await placeAt(journal.book.pool, book, { ...asked, day: asked.to });
  const kind = kindFor(REPORT_TYPES.general_ledger, asked);
  return { kind, rows: kind.rows({ db: journal.book.pool, book, asked, place }, from) };
}

async function rowsOf(asked: Asked, from?: string): Promise<Row[]> {
  const found: Row[] = [];
  for await (const page of (await sourceOf(asked, from)).rows) found.push(...page.rows);
  return found;
}

async function written(asked: Asked) {
  const { kind, rows } = await sourceOf(asked);
  const pieces: Buffer[] = [];
  const options = { format: 'csv' as const, bom: false, head: {} };
  return {
    ...(await writeFigures(kind, rows, options, (piece) => void pieces.push(piece))),
    pieces: Buffer.concat(pieces),
  };
}

/** What the journal's rows have of the days. */
const counted = (asked: Asked) =>
  lines.filter(
    (line) => line.sequence <= asked.sequence && dayIn(line, asked) >= asked.from && dayIn(line, asked) <= asked.to,
  );

const dayIn = ({ postedOn, effectiveOn }: Line, { axis }: Asked) => (axis === 'posted' ? postedOn : effectiveOn);

const sideOf = ({ type }: Row) => (type === 'asset' || type === 'expense' ? 1n : -1n);

function expectChained(rows: readonly Row[], asked: Asked): void {
  const balances = new Map<unknown, bigint>();
  for (const row of rows) {
    const [debit, credit] = [row.debit as bigint, row.credit as bigint];
    const before = balances.get(row.account);
    if (row.step === 'opening') {
      const stood = lines
        .filter((line) => publicId('account', line.account) === row.account && line.sequence <= asked.sequence)
        .filter((line) => dayIn(line, asked) < asked.from)
        .reduce((sum, line) => sum + line.debit - line.credit, 0n);
      expect(before).toBeUndefined();
      expect(row.balance).toBe(sideOf(row) * stood);
    } else expect(row.balance).toBe(before! + sideOf(row) * (debit - credit));
    balances.set(row.account, row.balance as bigint);
  }
}

test.each([
  ['posted', 'all entries', 1n],
  ['posted', 'half of them', 2n],
  ['effective', 'all entries', 1n],
  ['effective', 'half of them', 2n],
] as const)('each line of the days stands in it once, behind the balance before it: %s, %s', async (axis, _, part) => {
  const asked: Asked = { ...all, axis, sequence: journal.head / part };
  const rows = await rowsOf(asked);
  const own = rows.filter(({ step }) => step !== 'opening');
  const shown = own.map((row) => `${row.account} ${row.posted_on} ${row.effective_on} ${row.debit} ${row.credit}`);
  const expected = counted(asked).map(
    (line) => `${publicId('account', line.account)} ${line.postedOn} ${line.effectiveOn} ${line.debit} ${line.credit}`,
  );
  expect(shown.length).toBeGreaterThan(20);
  expect(shown.toSorted()).toEqual(expected.toSorted());
  expectChained(rows, asked);
  expect(inOrder(rows, asked)).toBe(true);
  const { totals, digest } = await written(asked);
  for (const { debits, credits } of totals) expect(debits).toBe(credits);
  expect((await written(asked)).digest).toBe(digest);
});

/** Of each account by day, and within a day by the number of the line. */
function inOrder(rows: readonly Row[], { axis }: Asked): boolean {
  const place = (row: Row) =>
    `${row.account} ${axis === 'posted' ? row.posted_on : row.effective_on} ${String(row.line).padStart(9, '0')}`;
  const own = rows.filter(({ step }) => step !== 'opening');
  return own.every((row, at) => at === 0 || own[at - 1]!.account !== row.account || place(own[at - 1]!) < place(row));
}

test.each(['posted', 'effective'] as const)('by day it has the sums of each account and day: %s', async (axis) => {
  const asked: Asked = { ...all, axis, detail: 'day' };
  const rows = await rowsOf(asked);
  const sums = new Map<string, [bigint, bigint]>();
  for (const line of counted(asked)) {
    const { account, debit, credit } = line;
    const key = `${publicId('account', account)} ${dayIn(line, asked)}`;
    const [debits, credits] = sums.get(key) ?? [0n, 0n];
    sums.set(key, [debits + debit, credits + credit]);
  }
  const shown = rows
    .filter(({ step }) => step !== 'opening')
    .map((row): [string, [bigint, bigint]] => [
      `${row.account} ${axis === 'posted' ? row.posted_on : row.effective_on}`,
      [row.debit as bigint, row.credit as bigint],
    ]);
  expect(new Map(shown)).toEqual(sums);
  expect(shown).toHaveLength(sums.size);
  expect(shown.length).toBeLessThan(counted(asked).length);
  expectChained(rows, asked);
});

test('of one account it is that part, whose debits and credits are no same sum', async () => {
  const rows = await rowsOf(all);
  const busiest = counted(all)[0]!.account;
  const one = { ...all, account: busiest };
  expect(await rowsOf(one)).toEqual(rows.filter(({ account }) => account === publicId('account', busiest)));
  expect((await written(one)).rows).toBeGreaterThan(1);
});

test.each([
  ['posted', 'entry'],
  ['posted', 'day'],
  ['effective', 'entry'],
] as const)('a writer that goes on behind any line has the rows behind it: %s, %s', async (axis, detail) => {
  const asked: Asked = { ...all, axis, detail };
  const rows = await rowsOf(asked);
  const ids = new Map(lines.map(({ account }) => [publicId('account', account), account] as [string, Uuid]));
  let tried = 0;
  let place = { own: 0n, other: '' };
  for (const [at, row] of rows.entries()) {
    const id = ids.get(row.account as string);
    if (row.step === 'opening') {
      const before = lines.filter((line) => line.account === id && line.postedOn < asked.from);
      place = { own: BigInt(before.length), other: '' };
      continue;
    }
    if (axis === 'posted' || row.posted_on === row.effective_on) place = { ...place, own: BigInt(row.line!) };
    else place = { ...place, other: ` ${row.effective_on} ${row.line}` };
    if (at % 3 !== 0) continue;
    const from = `${id} ${place.own} ${row.balance}${place.other}`;
    expect(await rowsOf(asked, from), from).toEqual(rows.slice(at + 1));
    tried++;
  }
  expect(tried).toBeGreaterThan(10);
});

test('an account in long parts is the same as in one', async () => {
  const { book } = journal;
  const account = await book.account({ currency: 'USD', overdraftLimit: 0n });
  for (let at = 0; at < 25; at++)
    await Promise.all(Array.from({ length: 100 }, (_, index) => book.fund(account, BigInt(1 + index), 'USD')));
  const head = await book.row<{ head: bigint }>('SELECT max(sequence) AS head FROM entries WHERE book_id = $1');
  const { day } = await book.row<{ day: string }>(
    `SELECT to_char(max(posted_at) AT TIME ZONE '${journal.timeZone}', 'YYYY-MM-DD') AS day FROM entries WHERE book_id = $1`,
  );
  const asked: Asked = { ...all, from: day, to: day, account, sequence: head.head };
  const pages: number[] = [];
  const found: Row[] = [];
  for await (const page of (await sourceOf(asked)).rows) {
    pages.push(page.rows.length);
    found.push(...page.rows);
  }
  expect(pages.length).toBeGreaterThan(1);
  expect(found).toHaveLength(2_501);
  expect(found.at(-1)!.balance).toBe(126_250n);
  expect(found.map(({ line }) => line)).toEqual([null, ...Array.from({ length: 2_500 }, (_, at) => at + 1)]);
  const days = await rowsOf({ ...asked, detail: 'day' });
  expect(days.map(({ debit, credit, balance }) => [debit, credit, balance])).toEqual([
    [0n, 0n, 0n],
    [0n, 126_250n, 126_250n],
  ]);
});

test('a line that is not what the balances say ends it', async () => {
  const { book } = journal;
  const { account, sequence } = counted(all).find(({ credit }) => credit > 0n)!;
  const change = (by: number) =>
    owner.query(
      `ALTER TABLE postings DISABLE TRIGGER USER; UPDATE postings SET credit_balance_after = credit_balance_after + ${by}
       WHERE book_id = '${book.id}' AND credit_account_id = '${account}' AND entry_sequence = ${sequence}; ALTER TABLE postings ENABLE TRIGGER USER`,
    );
  await change(1);
  await expect(rowsOf(all)).rejects.toThrow(FigureContradicted);
  await change(-1);
  expect((await rowsOf(all)).length).toBeGreaterThan(0);
});
