import type { Instant, Moment } from '../../src/values/clock.ts';

/** The moment of a book whose own time is wall time. */
export function momentAt(instant: Instant): Moment {
  return { book: instant, wall: instant };
}
