/** Open items of a book, as the report has them. */
import { dayOf } from '../../src/calendar/day.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { loadBook } from '../../src/ledger/book/book-store.ts';
import type { Asked, Row } from '../../src/reports/figures/figures.ts';
import { openItems } from '../../src/reports/figures/open-items.ts';
import { placeAt } from '../../src/reports/figures/place.ts';

/** Throws FigureContradicted where they do not come to what stands on their accounts. */
export async function readOpenItems(pool: Pool, bookId: BookId, sequence?: bigint): Promise<Row[]> {
  const book = (await loadBook(pool, bookId))!;
  const day = dayOf(book.lastPostedAt, book.timeZone);
  const asked: Asked = { axis: 'posted', from: day, to: day, sequence: sequence ?? book.entrySequence };
  const place = await placeAt(pool, book, { ...asked, day });
  const rows: Row[] = [];
  for await (const page of openItems.rows({ db: pool, book, asked, place })) rows.push(...page.rows);
  return rows;
}
