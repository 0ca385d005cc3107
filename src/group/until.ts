/**
 * How far a round of the audit reads in a book: as far as the book had come when the round opened it. Later rows are
 * left to the next round. Otherwise a book that grows by a page between two turns would keep the round open for ever,
 * and the other books out of the next one.
 */
import type { Instant } from '../values/clock.ts';
import { newId, type Uuid } from '../values/ids.ts';
import type { BookBounds } from './check-context.ts';

export interface Until {
  readonly head: BookBounds;
  /** Made when the round opened the book. */
  readonly id: Uuid;
  /** The book's time by then. */
  readonly at: Instant;
}

export function untilNow(head: BookBounds): Until {
  return { head, id: newId(), at: Math.max(Date.now(), head.lastPostedAt) };
}

/** Greater than every UUIDv7 made before 2100. */
const BEHIND_NEW_IDS: Uuid = '03bb2cc3-d800-7000-8000-000000000000';

/** Continues behind the ids made since the round opened the book; without a round, behind the id itself. Ids that no clock made are still checked. */
export function behindNewIds(place: Uuid, until: Until | undefined): Uuid {
  return until && place > until.id && place < BEHIND_NEW_IDS ? BEHIND_NEW_IDS : place;
}
