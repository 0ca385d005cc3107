/** The first answer to a request that a rule refuses now: what was once accepted under its key stays accepted. */
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Fingerprints } from './fingerprints.ts';
import { findIdempotencyKey } from './idempotency-store.ts';
import { type OnceAnswer, recall } from './once.ts';

export interface FirstAnswerInput {
  bookId: BookId;
  key: string;
  /** Of the request, undefined for one that no release can have accepted. Asked for only where the key is known. */
  fingerprint: () => Buffer | undefined;
  requestId: Uuid;
}

/**
 * The answer under a key of the book, when its first request was the same one. One read of the key; nothing waits for a first
 * request that is still under way.
 */
export async function findFirstAnswer(
  runtime: { pool: Pool; fingerprints: Fingerprints; publicUrl: string },
  { bookId, key, fingerprint, requestId }: FirstAnswerInput,
): Promise<OnceAnswer | undefined> {
  const known = await findIdempotencyKey(runtime.pool, bookId, key);
  if (known === undefined || known.voidedAt !== null) return undefined;
  const own = fingerprint();
  if (own === undefined || !runtime.fingerprints.match(known.fingerprint, own)) return undefined;
  const { fingerprints, publicUrl } = runtime;
  return recall(known, { key, fingerprint: own, fingerprints, publicUrl }, requestId);
}
