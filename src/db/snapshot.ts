import type { Pool, Transaction } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Reads several tables as of one moment. Read no more than a page in it: an open snapshot slows the hot rows of every
 * other transaction.
 */
export function inSnapshot<T>(pool: Pool, read: (trx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(pool, read, { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' });
}
