/** A request for entries, and what is minted for it. */
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/** What a request expects of an account before anything of it is posted. */
export interface Expectation {
  readonly account: Uuid;
  /** The number of its last line. */
  readonly sequence?: bigint | undefined;
  readonly availableGte?: bigint | undefined;
}

export interface PostingInput {
  readonly debit: Uuid;
  readonly credit: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  /** On the debited account: the amount is captured from it. */
  readonly hold?: Uuid | undefined;
}

export interface EntryInput {
  readonly postings: readonly PostingInput[];
  /** A day of the book; undefined for the moment of posting. */
  readonly effectiveOn?: string | undefined;
  readonly description: string | null;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
  readonly expect: readonly Expectation[];
}

/** An entry with what is minted for it when it is asked for. */
export interface EntryCommand extends EntryInput {
  readonly textSalt: Buffer | null;
  /** Where it stands in the request, as the beginning of JSON pointers. */
  readonly place: string;
}

export interface PostEntries {
  readonly bookId: BookId;
  readonly requestId: Uuid;
  readonly actor: string;
  readonly dryRun?: boolean | undefined;
}
