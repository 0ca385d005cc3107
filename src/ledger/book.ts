/**
 * A book: one organisation in one mode. Its row is locked by the one writer that changes it, and holds the last sequence
 * numbers, the head of the hash chain and the moment of the last posting.
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
  /** Which batch wrote the book last: what another was decided over is still so as long as this is. */
  readonly batchId: Uuid;
}
