import type { Pool, Transaction } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Reads several tables as of one moment. Short: a snapshot that stays open slows the hot rows of everybody else, so no more
 * than a page is read in one.
 */
export function inSnapshot<T>(pool: Pool, read: (trx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(pool, read, { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' });
}
