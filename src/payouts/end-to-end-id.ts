import { hash } from 'node:crypto';
import type { BookId } from '../ledger/book.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * The id a rail knows a payout by: 35 characters (ISO 20022 Max35Text), derived from book and Idempotency-Key. A client
 * that repeats its request, even against a database restored from an older backup, cannot be paid twice.
 */
export function endToEndId(bookId: BookId, idempotencyKey: string): string {
  const digest = hash('sha256', `${bookId} ${idempotencyKey}`, 'buffer');
  let text = 'CH';
  for (const byte of digest) text += ALPHABET[byte & 31];
  return `${text}0`;
}
