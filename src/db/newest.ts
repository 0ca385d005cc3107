/**
 * Index lookups of rows that nearly every batch writes: a book, and its busiest accounts. While a dump or a long report
 * keeps a snapshot open, Postgres keeps all old versions of these rows, thousands more each minute. An index lookup by
 * equality visits every one of them. A range of one key, read from its end, begins with the page that was written last.
 * This pays for a few rows. A long list visits the old versions once for all its rows.
 */

/** A SELECT of a book's `columns`. `id` is an SQL expression. */
export function newestBook(columns: string, id: string): string {
  return `SELECT ${columns} FROM books WHERE books.id <= ${id} AND books.id >= ${id} ORDER BY books.id DESC LIMIT 1`;
}

/** A SELECT of `columns` of the row with an id. `bookId` and `id` are SQL expressions. */
export function newestRow(row: { table: string; key: string; columns: string; bookId: string; id: string }): string {
  const key = `${row.table}.${row.key}`;
  return `SELECT ${row.columns} FROM ${row.table} WHERE ${row.table}.book_id = ${row.bookId}
    AND ${key} <= ${row.id} AND ${key} >= ${row.id} ORDER BY ${key} DESC LIMIT 1`;
}

/** A SELECT of an account's `columns`. `bookId` and `id` are SQL expressions. */
export function newestAccount(columns: string, bookId: string, id: string): string {
  return newestRow({ table: 'accounts', key: 'id', columns, bookId, id });
}
