/** Reports over a random journal, at any day, on both axes, up to any entry: as plain sums over its rows say. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDays } from '../../../src/calendar/day.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createLogger } from '../../../src/process/log.ts';
import { type Asked, FigureContradicted, type Row } from '../../../src/reports/figures/figures.ts';
import { FIGURE_TYPES, type FigureName } from '../../../src/reports/figures/kinds.ts';
import { placeAt } from '../../../src/reports/figures/place.ts';
import { writeFigures } from '../../../src/reports/figures/write-figures.ts';
import { publicId } from '../../../src/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type Line, linesOf, type RandomJournal, randomJournal } from '../../support/random-journal.ts';

let database: TestDatabase;
let journal: RandomJournal;
let lines: Line[];
let days: string[];
let owner: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool({ url: database.ownerUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  journal = await randomJournal(database.applicationUrl);
  lines = await linesOf(journal);
  days = [];
  for (let day = addDays(journal.first, -1); day <= journal.last; day = addDays(day, 1)) days.push(day);
});
afterAll(async () => {
  await owner?.end();
  await journal?.book.close();
  await database?.drop();
});

async function sourceOf(name: FigureName, asked: Asked) {
  const { book, timeZone } = journal;
  const place = await placeAt(book.pool, { id: book.id, timeZone }, { ...asked, day: asked.to });
  const { kind } = FIGURE_TYPES[name];
  return { kind, rows: kind.rows({ db: book.pool, book: { id: book.id, timeZone }, asked, place }) };
}

async function rowsOf(name: FigureName, asked: Asked): Promise<Row[]> {
  const { rows } = await sourceOf(name, asked);
  const all: Row[] = [];
  for await (const page of rows) all.push(...page.rows);
  return all;
}

async function written(name: FigureName, asked: Asked, options = { format: 'csv' as const, bom: false }) {
  const { kind, rows } = await sourceOf(name, asked);
  const pieces: Buffer[] = [];
  const beside = await writeFigures(
    kind,
    rows,
    { ...options, head: { type: name } },
    (piece) => void pieces.push(piece),
  );
  return { ...beside, bytes: Buffer.concat(pieces) };
}

const counts = (asked: Asked) => (line: Line) =>
  line.sequence <= asked.sequence && (asked.axis === 'posted' ? line.postedOn : line.effectiveOn) <= asked.to;

/** Debit less credit, by `of`. */
function sums(found: readonly Line[], of: (line: Line) => string): Map<string, bigint> {
  const sum = new Map<string, bigint>();
  for (const line of found) sum.set(of(line), (sum.get(of(line)) ?? 0n) + line.debit - line.credit);
  return sum;
}

function everyPlace(): Asked[] {
  const sequences = [0n, 1n, journal.head / 3n, journal.head / 2n, journal.head];
  return days.flatMap((to) =>
    sequences.flatMap((sequence) =>
      (['effective', 'posted'] as const).map((axis) => ({ axis, from: to, to, sequence })),
    ),
  );
}

test('the journal has what makes days hard: lines that take effect on other days, before and after midnight', () => {
  expect(lines.filter(({ postedOn, effectiveOn }) => postedOn !== effectiveOn).length).toBeGreaterThan(20);
  expect(days.length).toBeGreaterThan(8);
});

describe('the trial balance', () => {
  test('has what stands on each account, customers as two lines, and balances', async () => {
    let overdrawn = 0;
    for (const asked of everyPlace()) {
      const rows = await rowsOf('trial_balance', asked);
      const counted = lines.filter(counts(asked));
      const balances = sums(counted, ({ account }) => publicId('account', account));
      for (const row of rows.filter(({ account }) => account !== null))
        expect((row.debit as bigint) - (row.credit as bigint), JSON.stringify(asked, replacer)).toBe(
          balances.get(row.account as string) ?? 0n,
        );
      const customers = sums(
        counted.filter(({ code }) => code === 'customer'),
        ({ account, currency }) => `${currency} ${account}`,
      );
      for (const row of rows.filter(({ account }) => account === null)) {
        const of = [...customers].filter(([key]) => key.startsWith(row.currency)).map(([, sum]) => sum);
        const expected = of
          .filter((sum) => (row.code === 'customer' ? sum < 0n : sum > 0n))
          .reduce((sum, one) => sum + one, 0n);
        expect((row.debit as bigint) - (row.credit as bigint)).toBe(expected);
        if (row.code === 'customer_overdrawn') overdrawn++;
      }
      const known = new Set(rows.map(({ account }) => account));
      const missing = [...balances].filter(([id, sum]) => sum !== 0n && !known.has(id));
      expect(
        missing.filter(([id]) =>
          counted.some((line) => publicId('account', line.account) === id && line.code !== 'customer'),
        ),
      ).toEqual([]);
      const totals = sums(counted, ({ currency }) => currency);
      for (const sum of totals.values()) expect(sum).toBe(0n);
    }
    expect(overdrawn).toBeGreaterThan(0);
  });

  test('of the same place has the same bytes and digest, also when more was posted since', async () => {
    const { book, head, last } = journal;
    const asked: Asked = { axis: 'effective', from: last, to: last, sequence: head / 2n };
    const first = await written('trial_balance', asked);
    const account = await book.account({ currency: 'EUR', amount: 700n });
    expect(account).toBeDefined();
    const again = await written('trial_balance', asked);
    expect(again).toEqual(first);
    expect(first.totals.map(({ currency }) => currency)).toEqual(['EUR', 'JOD', 'JPY']);
    for (const { debits, credits } of first.totals) expect(debits).toBe(credits);
  });

  test('has another name in other bytes, and the same digest', async () => {
    const { head, last } = journal;
    const asked: Asked = { axis: 'effective', from: last, to: last, sequence: head };
    const before = await written('trial_balance', asked);
    await owner.query("UPDATE own_accounts SET name = '=1+1' WHERE book_id = $1 AND code = 'rent'", [journal.book.id]);
    const after = await written('trial_balance', asked);
    expect(after.sha256).not.toBe(before.sha256);
    expect(after.digest).toBe(before.digest);
    expect(after.bytes.toString()).toContain("rent,'=1+1,expense,acct_");
  });

  test('of one currency leaves out the others', async () => {
    const { head, last } = journal;
    const rows = await rowsOf('trial_balance', {
      axis: 'posted',
      from: last,
      to: last,
      sequence: head,
      currency: 'JPY',
    });
    expect(new Set(rows.map(({ currency }) => currency))).toEqual(new Set(['JPY']));
  });
});

test('the balance sheet has current earnings in place of income and expenses, and balances', async () => {
  let earned = 0;
  for (const asked of everyPlace().filter(({ sequence }) => sequence > 1n)) {
    const [trial, sheet] = [await rowsOf('trial_balance', asked), await rowsOf('balance_sheet', asked)];
    const isOfResult = ({ type }: Row) => type === 'income' || type === 'expense';
    expect(sheet.filter(({ code }) => code !== 'current_earnings')).toEqual(trial.filter((row) => !isOfResult(row)));
    for (const { currency, debit, credit } of sheet.filter(({ code }) => code === 'current_earnings')) {
      const of = trial.filter((row) => row.currency === currency && isOfResult(row));
      const expected = of.reduce((sum, row) => sum + (row.debit as bigint) - (row.credit as bigint), 0n);
      expect((debit as bigint) - (credit as bigint)).toBe(expected);
      if (expected !== 0n) earned++;
    }
    await expect(written('balance_sheet', asked)).resolves.toBeDefined();
  }
  expect(earned).toBeGreaterThan(0);
});

test('the income statement is what moved on accounts of income and expense, and its result', async () => {
  const owned = await journal.book.rows<{ id: string; type: string }>(
    'SELECT account_id AS id, type FROM own_accounts WHERE book_id = $1',
  );
  const typeOf = new Map(owned.map(({ id, type }) => [publicId('account', id), type]));
  for (const axis of ['effective', 'posted'] as const) {
    const [from, to, sequence] = [days[2]!, days[5]!, journal.head];
    const rows = await rowsOf('income_statement', { axis, from, to, sequence });
    const day = (line: Line) => (axis === 'posted' ? line.postedOn : line.effectiveOn);
    const within = lines.filter((line) => day(line) >= from && day(line) <= to);
    const balances = sums(within, ({ account }) => publicId('account', account));
    const results = new Map<string, bigint>();
    expect(rows.length).toBeGreaterThan(3);
    for (const { account, amount, type, currency } of rows.filter(({ code }) => code !== 'result')) {
      const onDebit = balances.get(account as string) ?? 0n;
      expect([type, amount]).toEqual([typeOf.get(account as string), type === 'expense' ? onDebit : -onDebit]);
      results.set(currency, (results.get(currency) ?? 0n) - onDebit);
    }
    for (const { currency, amount } of rows.filter(({ code }) => code === 'result'))
      expect(amount).toBe(results.get(currency));
  }
});

test('balances of customers are those of the lines', async () => {
  for (const asked of everyPlace().filter(({ sequence }) => sequence === journal.head)) {
    const rows = await rowsOf('customer_balances', asked);
    const balances = sums(lines.filter(counts(asked)), ({ account }) => publicId('account', account));
    for (const { account, balance } of rows) expect(-(balance as bigint)).toBe(balances.get(account as string) ?? 0n);
  }
});

test('the activity of accounts is what moved on them in the days, on both axes', async () => {
  for (const axis of ['effective', 'posted'] as const)
    for (const [from, to] of [
      [days[1]!, days[3]!],
      [days[2]!, days[2]!],
      [days[0]!, days.at(-1)!],
    ] as const)
      for (const sequence of [journal.head / 2n, journal.head]) {
        const rows = await rowsOf('account_activity', { axis, from, to, sequence });
        const dayIn = (line: Line) => (axis === 'posted' ? line.postedOn : line.effectiveOn);
        for (const { account, debits, credits } of rows) {
          const moved = lines.filter(
            (line) =>
              publicId('account', line.account) === account &&
              line.sequence <= sequence &&
              dayIn(line) >= from &&
              dayIn(line) <= to,
          );
          expect(debits).toBe(moved.reduce((sum, { debit }) => sum + debit, 0n));
          expect(credits).toBe(moved.reduce((sum, { credit }) => sum + credit, 0n));
        }
      }
});

test('a balance that was altered behind the ledger is found, and no report is made of it', async () => {
  const { head, last, book } = journal;
  await owner.query('ALTER TABLE postings DISABLE TRIGGER USER');
  const change = (by: number) =>
    owner.query(
      `UPDATE postings SET credit_balance_after = credit_balance_after + $2 WHERE book_id = $1 AND (entry_sequence, ordinal) = (
        SELECT entry_sequence, ordinal FROM postings p JOIN accounts a ON a.book_id = p.book_id AND a.id = p.credit_account_id
        WHERE p.book_id = $1 AND a.code = 'own' AND p.credit_line = a.lines ORDER BY 1, 2 LIMIT 1)`,
      [book.id, by],
    );
  await change(1);
  const asked: Asked = { axis: 'posted', from: last, to: last, sequence: head };
  await expect(written('trial_balance', asked)).rejects.toThrow(FigureContradicted);
  await expect(written('account_activity', { ...asked, from: days[0]! })).rejects.toThrow(FigureContradicted);
  await change(-1);
  await expect(written('trial_balance', asked)).resolves.toMatchObject({ rows: expect.any(Number) });
});

const replacer = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
