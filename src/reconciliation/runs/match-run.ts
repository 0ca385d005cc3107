/** The second half of a run: what moved is mirrored, what is open is matched, and what the run has matched is counted. */

import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Uuid } from '../../values/ids.ts';
import type { ReturnsRuntime } from './book-returns.ts';
import type { Scope } from './match-found.ts';
import { type LeftOpen, matchOpen } from './match-open.ts';
import { type Matched, readMatched } from './matched-store.ts';
import { IMPORT_ACTOR } from './post-statement.ts';
import { type ArrivalRuntime, takeArrivals } from './take-arrivals.ts';

export interface MatchRunRuntime extends ArrivalRuntime, ReturnsRuntime {
  /** Mirrors all books before lines are matched: what a bank shows is expected by then. */
  readonly mirror: (operatorBookId: BookId) => Promise<void>;
}

export interface MatchedRun extends LeftOpen, Matched {
  readonly mirroredThrough: bigint;
}

export async function matchRun(
  runtime: MatchRunRuntime,
  { bookId, requestId, scope }: { readonly bookId: BookId; readonly requestId: Uuid; readonly scope?: Scope },
): Promise<MatchedRun> {
  const { pool } = runtime;
  await takeArrivals(runtime, bookId);
  await runtime.mirror(bookId);
  const { entrySequence: mirroredThrough } = (await loadBook(pool, bookId))!;
  const left = await matchOpen(runtime, { bookId, requestId, actor: IMPORT_ACTOR, scope });
  return { ...left, ...(await readMatched(pool, bookId, requestId)), mirroredThrough };
}
