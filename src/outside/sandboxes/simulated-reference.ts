/**
 * The reference that a processor or network would give, where a simulation fills it in: 26 characters, derived from the Idempotency-Key and
 * the name of the member, so that a repeat names the same. Without a key each request has one of its own.
 */
import type { BookId } from '../../ledger/book/book.ts';
import { deriveId, publicId, type Uuid } from '../../values/ids.ts';

export function simulatedReference(
  { bookId, idempotencyKey, requestId }: { bookId: BookId; idempotencyKey: string | null; requestId: Uuid },
  member: string,
): string {
  const seed = idempotencyKey === null ? ['request', requestId] : ['key', idempotencyKey];
  return publicId('request', deriveId('simulated-reference', bookId, ...seed, member)).slice('req_'.length);
}
