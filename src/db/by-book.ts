import type { Uuid } from '../values/ids.ts';

/**
 * Groups rows that were read across books, since every write names one book. In place of Map.groupBy, which Node 20
 * lacks.
 */
export function byBook<Row extends { readonly bookId: Uuid }>(rows: readonly Row[]): Map<Uuid, Row[]> {
  const books = new Map<Uuid, Row[]>();
  for (const row of rows) {
    const known = books.get(row.bookId);
    if (known) known.push(row);
    else books.set(row.bookId, [row]);
  }
  return books;
}
