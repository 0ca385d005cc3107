/** What a request to hold an amount becomes. Refuses an expiry that is over by the clock of the book. */

import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import type { BookId } from '../ledger/book.ts';
import { loadBook } from '../ledger/book-store.ts';
import { momentOf } from '../ledger/commit/batch.ts';
import type { Clock, Instant } from '../values/clock.ts';
import { type PlaceHold, placeAccountHold } from './place-hold.ts';

interface HoldRuntime extends OnceRuntime {
  pool: Pool;
  clock: Clock;
}

export const requestHold: UseCase<HoldRuntime, Asked & PlaceHold> = {
  // A repeated request is answered, although its expiry may be over by then.
  keyFirst: true,
  async prepare(runtime, input) {
    if (input.expiresAt !== null) await refusePast(runtime, input.bookId, input.expiresAt);
    return { command: placeAccountHold(input) };
  },
};

async function refusePast({ pool, clock }: HoldRuntime, bookId: BookId, expiresAt: Instant): Promise<void> {
  const book = await loadBook(pool, bookId);
  if (!book || expiresAt > momentOf(clock, book).book) return;
  const detail = 'Expects a moment that is not over by the clock of the book.';
  throw new ApiError('parameter_invalid', { param: '/expires_at', detail });
}
