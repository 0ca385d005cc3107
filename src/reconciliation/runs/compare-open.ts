/**
 * Matches what is open of an account that its book compares: lines of files with lines of the account. Nothing is booked, and what no rule explains
 * stays open. Killed and run again, it goes on: what is confirmed is no longer open.
 */
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import type { Uuid } from '../../values/ids.ts';
import { type TakeLinesRuntime, takeLines } from '../items/take-lines.ts';
import { listUnmatchedCompared } from '../matches/candidate-store.ts';
import { OPEN_MAX, rulesOfCompared } from '../matches/match-set.ts';
import { moveLargeMatches } from '../matches/move-large-match.ts';
import { BEFORE_ALL, isMatchedIn, type ListOpen, matchNamed, matchTogether } from './match-found.ts';
import type { MatchedRun } from './match-run.ts';
import { readMatched } from './matched-store.ts';
import { IMPORT_ACTOR } from './post-statement.ts';

export interface CompareOpen {
  readonly bookId: BookId;
  readonly comparedAccountId: Uuid;
  readonly requestId: Uuid;
  /** The last booking day. Null: all days. */
  readonly through: string | null;
}

export async function compareOpen(runtime: TakeLinesRuntime, of: CompareOpen): Promise<MatchedRun> {
  const { pool } = runtime;
  const { bookId, comparedAccountId, requestId, through } = of;
  const book = (await loadBook(pool, bookId))!;
  const operatorBookId = (await operatorBooks(pool))[book.mode];
  await takeLines(runtime, { bookId, operatorBookId, accountId: comparedAccountId });
  const scope = { accountId: comparedAccountId, through };
  const run = { bookId, requestId, actor: IMPORT_ACTOR, comparedAccountId, scope };
  await moveLargeMatches(runtime, run);
  const rules = rulesOfCompared(comparedAccountId);
  const list: ListOpen = (place) => listUnmatchedCompared(pool, bookId, { comparedAccountId, ...place });
  await matchNamed(runtime, run, { list, rules });
  const lines = await list({ after: BEFORE_ALL, limit: OPEN_MAX });
  const byId = new Map(lines.map((line) => [line.id, line]));
  const all = await matchTogether(runtime, run, { lines, rules });
  const left = all.filter(({ lineId }) => isMatchedIn(scope, [byId.get(lineId)!]));
  return {
    openLines: left.length,
    proposed: left.filter(({ proposals }) => proposals.length > 0).length,
    rulesVersions: new Map(),
    ...(await readMatched(pool, bookId, requestId)),
    mirroredThrough: book.entrySequence,
  };
}
