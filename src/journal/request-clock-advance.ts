/** What a request to advance the clock of a test book becomes. Refuses a target that has passed, or that no clock reaches. */

import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import { loadBook } from '../ledger/book-store.ts';
import { momentOf } from '../ledger/commit/batch.ts';
import type { Clock, Instant } from '../values/clock.ts';
import { advanceClock } from './advance-clock.ts';
import { type Duration, laterBy } from './duration.ts';

export interface ClockAdvance extends Asked {
  /** By so much, or to that moment: one of the two. */
  readonly by?: Duration | undefined;
  readonly to?: Instant | undefined;
}

/** A year that RFC 3339 writes with four digits, with room for what the book does then. */
const LAST_TARGET = Date.UTC(9000, 0, 1);

export const requestClockAdvance: UseCase<OnceRuntime & { pool: Pool; clock: Clock }, ClockAdvance> = {
  // A repeated request is answered, although its target has passed by then.
  keyFirst: true,
  async prepare({ pool, clock }, input) {
    const book = await loadBook(pool, input.bookId);
    if (!book) throw new ApiError('resource_not_found');
    refuseTarget(momentOf(clock, book).book, input);
    return { command: advanceClock({ ...input, targetFrom: (now) => targetOf(now, input) }) };
  },
};

function targetOf(now: Instant, { by, to }: ClockAdvance): Instant {
  return by === undefined ? to! : laterBy(now, by);
}

function refuseTarget(now: Instant, asked: ClockAdvance): void {
  const target = targetOf(now, asked);
  const param = asked.by === undefined ? '/to' : '/by';
  if (target < now) throw new ApiError('parameter_invalid', { param, detail: 'A clock never runs backwards.' });
  if (!(target <= LAST_TARGET))
    throw new ApiError('parameter_invalid', { param, detail: 'Expects a time before the year 9000.' });
}
