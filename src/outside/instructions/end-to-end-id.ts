import { hash } from 'node:crypto';
import type { BookId } from '../../ledger/book/book.ts';

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 'latin1');
/** `CH`, 32 characters, `0`. */
const written = Buffer.from(`CH${'_'.repeat(32)}0`, 'latin1');

/**
 * The id by which a party knows an instruction: 35 characters (ISO 20022 Max35Text), derived from book and Idempotency-Key. A client
 * that repeats its request, even against a database restored from an older backup, cannot be paid twice.
 */
export function endToEndId(bookId: BookId, idempotencyKey: string): string {
  const digest = hash('sha256', `${bookId} ${idempotencyKey}`, 'buffer');
  for (let index = 0; index < digest.length; index++) written[index + 2] = ALPHABET[digest[index]! & 31]!;
  return written.toString('latin1');
}
