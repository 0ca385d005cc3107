/**
 * Finds the first answer to a request that a rule refuses now: a request accepted once stays accepted under its key.
 */
import type { Pool } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Uuid } from '../values/ids.ts';
import { fillAnswer } from './fill-answer.ts';
import type { Fingerprints } from './fingerprints.ts';
import { idempotencyKeys } from './idempotency-table.ts';
import { type OnceAnswer, recall } from './once.ts';

export interface FirstAnswerInput {
  bookId: BookId;
  key: string;
  /** The request's digest; undefined when no version can have accepted the request. Called only for a known key. */
  fingerprint: () => Buffer | undefined;
  requestId: Uuid;
}

/**
 * The stored answer under a key, when the first request was the same. Undefined for an unknown or voided key, and for
 * another request. One read of the key; a first request that is still under way is not awaited.
 */
export async function findFirstAnswer(
  runtime: { pool: Pool; fingerprints: Fingerprints; publicUrl: string },
  { bookId, key, fingerprint, requestId }: FirstAnswerInput,
): Promise<OnceAnswer | undefined> {
  const known = await idempotencyKeys.find(runtime.pool, bookId, key);
  if (known === undefined || known.voidedAt !== null) return undefined;
  const own = fingerprint();
  if (own === undefined || !runtime.fingerprints.match(known.fingerprint, own)) return undefined;
  const { fingerprints, publicUrl } = runtime;
  const answer = recall(known, { key, fingerprint: own, fingerprints, publicUrl }, requestId);
  return fillAnswer(runtime.pool, bookId, answer);
}
