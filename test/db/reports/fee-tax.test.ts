/** The report of tax on fees: of a book its own collections, of the operator's those of all books of the mode. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays } from '../../../src/calendar/day.ts';
import { createPool } from '../../../src/db/pool.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { FigureContradicted, type Row } from '../../../src/reports/figures/figures.ts';
import { REPORT_TYPES } from '../../../src/reports/figures/kinds.ts';
import { placeAt } from '../../../src/reports/figures/place.ts';
import { publicId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { collectFeesIn } from '../../support/fees.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { oneDay, today } from '../../support/one-day.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let books: TestBook[];

beforeAll(async () => {
  database = await createTestDatabase();
  const open = (mode: 'test' | 'live') =>
    openBook({ database: database.applicationUrl, mode, forms: LATEST_FORMS, clock: oneDay });
  books = [await open('test'), await open('test'), await open('live')];
  for (const book of books) await collectFeesIn(book, oneDay);
});
afterAll(async () => {
  for (const book of books ?? []) await book.close();
  await database?.drop();
});

/** The last day that is over. */
const collectedOn = addDays(today, -1);

async function report(
  bookId: string,
  { sequence = 1_000n, from = collectedOn }: { sequence?: bigint; from?: string } = {},
) {
  const { pool: db } = books[0]!;
  const book = { id: bookId, timeZone: 'UTC' };
  const asked = { axis: 'posted', from, to: today, sequence } as const;
  const rows: Row[] = [];
  const place = await placeAt(db, book, { day: today, axis: 'posted', sequence });
  for await (const page of REPORT_TYPES.fee_tax.kind.rows({ db, book, asked, place })) rows.push(...page.rows);
  return rows;
}

const total = (collected: bigint, tax: bigint) => ({
  ...{ currency: 'KWD', book: 'total', day: null, collection: null, tax_percent: null },
  ...{ collected, fees: collected - tax, tax },
});

test('a book has its own, and their sum', async () => {
  const [first] = books;
  const [row, sum, ...others] = await report(first!.id);
  expect(row).toMatchObject({
    ...{ currency: 'KWD', book: publicId('book', first!.id), day: collectedOn, tax_percent: '16' },
    ...{ collected: 1_250n, fees: 1_078n, tax: 172n },
  });
  expect(sum).toEqual(total(1_250n, 172n));
  expect(others).toEqual([]);
});

test('the operator has those of all books of its mode', async () => {
  const operators = await operatorBooks(books[0]!.pool);
  expect((await report(operators.test)).at(-1)).toEqual(total(2_500n, 344n));
  expect(await report(operators.live)).toHaveLength(2);
});

test('other days, and entries behind the last that counts, are left out', async () => {
  expect(await report(books[0]!.id, { from: today })).toEqual([]);
  expect(await report(books[0]!.id, { sequence: 1n })).toEqual([]);
});

test('a collection that states what its entry did not move is no report', async () => {
  const [first] = books;
  const owner = createPool({ url: database.superuserUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  await owner.query('UPDATE fee_collections SET amount = 1251 WHERE book_id = $1', [first!.id]);
  await owner.end();
  await expect(report(first!.id)).rejects.toThrow(FigureContradicted);
});
