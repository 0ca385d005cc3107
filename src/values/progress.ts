/**
 * Proof of progress. A loop that is driven by its own result ends because each round gets further than the one before.
 * A round without progress repeats for ever, unseen: it throws, so that its row is stuck and visible, or its caller
 * gets the error.
 * Next: docs/decisions/progress.md.
 */
import { isDeepStrictEqual } from 'node:util';

/** A bug: the round changed nothing. It is not transient. */
export class NoProgress extends Error {
  override name = 'NoProgress';
}

/** Returns `now`, for a loop to go on from. Throws NoProgress where that is not beyond `before`. Undefined is where a loop begins. */
export function further<Place extends bigint | number | string>(
  what: string,
  before: Place | undefined,
  now: Place,
): Place {
  if (before === undefined || now > before) return now;
  throw new NoProgress(`${what}: after ${before} comes ${now}, which is no further.`);
}

/** The same for a place that has no order, such as a row: it is not the one before. */
export function elsewhere<Place>(what: string, before: Place | undefined, now: Place): Place {
  if (before === undefined || !isDeepStrictEqual(before, now)) return now;
  throw new NoProgress(`${what}: a round ended where it began.`);
}
