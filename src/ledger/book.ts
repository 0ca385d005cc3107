/**
 * A book: one organisation in one mode. The one writer that changes a book locks its row. The row holds the last
 * sequence numbers, the head of the hash chain and the time of the last posting.
 */
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';

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
  /** How far the book's own time is ahead of the world's. Never falls; zero in live books. */
  readonly clockOffsetMs: number;
  /** Set while the book's own time is being advanced to it: the API writes nothing meanwhile. */
  readonly clockTarget: Instant | null;
  /** Where it stands on the way: time stands still between two steps. Null when it runs. */
  readonly clockAt: Instant | null;
  /** The batch that wrote the book last: tells whether another process has written the book since. */
  readonly batchId: Uuid;
}

/** A book's own time at a moment of the world. It never runs backwards. */
export function bookTime({ clockOffsetMs, clockAt, lastPostedAt }: Book, wall: Instant): Instant {
  return Math.max(clockAt ?? wall + clockOffsetMs, lastPostedAt);
}
