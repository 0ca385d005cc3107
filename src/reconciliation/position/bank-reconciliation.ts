/**
 * The three equalities of the operator's book: what statements close with is what stands on the bank accounts; what is open is what stands on each
 * clearing account; what is owed to books is what their pools have, as far as they are mirrored.
 */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { publicId } from '../../values/ids.ts';
import type { BankColumn, BankReport, BankRow } from './bank-report.ts';
import { readBankAccountPositions, readClearingPositions, readPoolPositions } from './position-store.ts';

export const RECONCILIATION_COLUMNS: readonly BankColumn[] = [
  { name: 'equality', is: 'word' },
  { name: 'currency', is: 'word' },
  { name: 'code', is: 'word' },
  { name: 'account', is: 'word' },
  { name: 'name', is: 'text' },
  { name: 'on', is: 'word' },
  { name: 'stated', is: 'amount' },
  { name: 'books', is: 'amount' },
  { name: 'difference', is: 'amount' },
];

/** As of now, within the snapshot of the caller: each of the three is read of the same state. */
export async function bankReconciliation(db: Queryable, bookId: BookId): Promise<BankReport> {
  const rows = [
    ...(await statementRows(db, bookId)),
    ...(await clearingRows(db, bookId)),
    ...(await poolRows(db, bookId)),
  ];
  return {
    type: 'bank_reconciliation',
    title: 'Bank reconciliation',
    columns: RECONCILIATION_COLUMNS,
    rows,
    ok: rows.every(({ difference }) => difference === null || difference === 0n),
    throughSequence: (await loadBook(db, bookId))!.entrySequence,
  };
}

async function statementRows(db: Queryable, bookId: BookId): Promise<BankRow[]> {
  const found = await readBankAccountPositions(db, bookId);
  return found.map(({ id, name, currency, books, stated, statedOn }) => ({
    equality: 'statement',
    ...{ currency, code: 'bank', account: publicId('bankAccount', id), name, on: statedOn },
    // Where the bank has stated no balance, nothing is compared.
    ...{ stated, books, difference: stated === null ? null : stated - books },
  }));
}

async function clearingRows(db: Queryable, bookId: BookId): Promise<BankRow[]> {
  const found = await readClearingPositions(db, bookId);
  return found.map(({ id, code, currency, books, open }) => ({
    equality: 'open_items',
    ...{ currency, code, account: publicId('account', id), name: null, on: null },
    ...{ stated: open, books, difference: open - books },
  }));
}

async function poolRows(db: Queryable, bookId: BookId): Promise<BankRow[]> {
  const found = await readPoolPositions(db, bookId);
  return found.map(({ currency, owed, pools, books }) => ({
    equality: 'pools',
    ...{ currency, code: 'pool_owed', account: null, name: `${books} books`, on: null },
    ...{ stated: pools, books: owed, difference: pools - owed },
  }));
}
