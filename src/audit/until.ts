/**
 * How far a round of the audit looks in a book: as far as the book had come when the round opened it. What comes later is
 * the next round's, or a book that grows by a page between two turns would hold the round open for ever, and with it every
 * other book out of the next one.
 */
import { newId, type Uuid } from '../ids.ts';
import type { BookBounds } from '../verify/check.ts';

export interface Until {
  readonly head: BookBounds;
  /** Minted as the book was opened. */
  readonly id: Uuid;
}

export function untilNow(head: BookBounds): Until {
  return { head, id: newId() };
}

/** Behind every UUIDv7 of this century. */
const BEHIND_NEW_IDS: Uuid = '03bb2cc3-d800-7000-8000-000000000000';

/** Where to go on among ids that are made in the order of time. Ids that no clock makes are still to be looked at. */
export function behindNewIds(place: Uuid, until: Until): Uuid {
  return place > until.id && place < BEHIND_NEW_IDS ? BEHIND_NEW_IDS : place;
}
