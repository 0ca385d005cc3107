/** What a request to place a hold becomes. A moment that is over is refused, unless the key is known: its answer stands. */
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import { momentOf } from '../ledger/batch.ts';
import { loadBook } from '../ledger/book-store.ts';
import { type PlaceHold, placeAccountHold } from './place-hold.ts';

export interface HoldRuntime extends OnceRuntime {
  readonly clock: Clock;
}

export type HoldRequest = Asked & PlaceHold;

export const requestHold: UseCase<HoldRuntime, HoldRequest> = {
  keyFirst: true,
  async prepare(runtime, input) {
    await refusePast(runtime, input);
    return { command: placeAccountHold(input) };
  },
};

/** Throws ApiError `parameter_invalid`. What passes while the request waits is no refusal: the hold is placed, and over. */
async function refusePast({ pool, clock }: HoldRuntime, { bookId, expiresAt }: HoldRequest): Promise<void> {
  if (expiresAt === null) return;
  const book = await loadBook(pool, bookId);
  if (!book || expiresAt > momentOf(clock, book).book) return;
  const detail = 'Expects a moment that is not over by the clock of the book.';
  throw new ApiError('parameter_invalid', { param: '/expires_at', detail });
}
