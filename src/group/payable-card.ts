/**
 * A card to which a payout may go: a token of payments, or a card of the book. Groups do not import each other, so payouts are
 * handed readers of both (runtime.ts).
 */
import type { Pool } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Refusal, Touch } from '../ledger/command/command.ts';
import type { Draft } from '../ledger/command/draft.ts';
import type { Uuid } from '../values/ids.ts';

export interface PayableCard {
  /** The acquirer or processor that knows the card. */
  readonly issuedBy: string;
  /** That party's own token of the card. Never shown. */
  readonly token: string;
  readonly brand: string;
  readonly lastFour: string;
  /** Whether it may be paid to any number of times. */
  readonly isReusable: boolean;
  /** Why nothing may be paid to it as it was read; null where something may. `use` decides. */
  readonly unusable: Refusal | null;
  /** The rows that `use` reads and changes. */
  readonly touches: readonly Touch[];
  /** Uses a one-time token up, in the payout's commit. A refusal where nothing may be paid to the card; `param` is its place. */
  use(draft: Draft, param: string): Refusal | undefined;
}

/** Finds one by the id of its row; undefined where there is no such row in the book, or it stands for no card yet. */
export interface PayableCards {
  find(pool: Pool, bookId: BookId, id: Uuid): Promise<PayableCard | undefined>;
}
