/**
 * Rows that nearly every batch writes: a book, and the accounts that much of its money passes. While a snapshot is held
 * open, by a dump or a long report, none of their old versions can go, and a look-up by equality visits every one of them:
 * thousands more each minute. A range of one key, read from its end, begins with the page that was written last.
 * Pays where few rows are asked for; many in one list visit the old versions once for all of them.
 */

/** A SELECT of a book's `columns`. `id` is an expression. */
export function newestBook(columns: string, id: string): string {
  return `SELECT ${columns} FROM books WHERE books.id <= ${id} AND books.id >= ${id} ORDER BY books.id DESC LIMIT 1`;
}

/** A SELECT of an account's `columns`. `bookId` and `id` are expressions. */
export function newestAccount(columns: string, bookId: string, id: string): string {
  return `SELECT ${columns} FROM accounts WHERE accounts.book_id = ${bookId}
    AND accounts.id <= ${id} AND accounts.id >= ${id} ORDER BY accounts.id DESC LIMIT 1`;
}
