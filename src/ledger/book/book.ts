/**
 * A book: one organisation in one mode. Whoever changes a book locks its row, so there is one writer at a time. The row has
 * the last sequence numbers, the head of the hash chain and the time of the last posting.
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type BookId = Uuid;
export type Mode = 'test' | 'live';

export interface Book {
  readonly id: BookId;
  readonly mode: Mode;
  readonly timeZone: string;
  readonly entrySequence: bigint;
  readonly eventSequence: bigint;
  /** The hash of the last entry. */
  readonly chainHash: string;
  readonly lastPostedAt: Instant;
  /** The last day that is closed: no entry takes effect on it or before. Null: none. */
  readonly closedThrough: string | null;
  /** How far the book's time is ahead of the wall clock. Never decreases; zero in live books. */
  readonly clockOffsetMs: number;
  /** The target of an advance of the book's clock. While it is set, the API writes nothing. */
  readonly clockTarget: Instant | null;
  /** The book's time during an advance: it stands still between two steps. Null while the clock runs. */
  readonly clockAt: Instant | null;
  /** The batch that wrote the book last. Another id shows that another process has written the book since. */
  readonly batchId: Uuid;
}

/** The book's time at a moment of the wall clock. It never runs backwards. */
export function bookTime({ clockOffsetMs, clockAt, lastPostedAt }: Book, wall: Instant): Instant {
  return Math.max(clockAt ?? wall + clockOffsetMs, lastPostedAt);
}
