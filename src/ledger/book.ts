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
  /** The batch that wrote the book last: tells whether another process has written the book since. */
  readonly batchId: Uuid;
}
