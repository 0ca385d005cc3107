/**
 * Matches what is open of an operator's book: first by what lines name, a page at a time, then the rest by rules that look at many at once. What
 * no rule explains becomes exceptions. Killed and run again, it goes on: what is confirmed is no longer open.
 */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { readOpenAccounts } from '../accounts/bank-account-table.ts';
import type { BankLine } from '../lines/bank-line.ts';
import { listUnmatchedLines } from '../matches/candidate-store.ts';
import { groupBy } from '../matches/ladder.ts';
import { LEFT_PER_COMMAND, leaveLines, leaveStatement } from '../matches/leave-lines.ts';
import { OPEN_MAX, readRules } from '../matches/match-set.ts';
import type { LeftLine } from '../matches/matching.ts';
import { moveLargeMatches } from '../matches/move-large-match.ts';
import { closeBeforeOpenings } from '../openings/close-before.ts';
import { postAllReports } from '../reports/post-received.ts';
import { findOverdue } from './find-overdue.ts';
import { BEFORE_ALL, isMatchedIn, type ListOpen, type MatchingRun, matchNamed, matchTogether } from './match-found.ts';
import { type ArrivalRuntime, leaveArrivals } from './take-arrivals.ts';

type MatchRuntime = ArrivalRuntime;

export interface LeftOpen {
  /** Lines that no rule explains, of the whole book or of the scope. */
  readonly openLines: number;
  /** How many of them have a proposal. */
  readonly proposed: number;
  /** By bank account, the version of its rules that was active. */
  readonly rulesVersions: ReadonlyMap<Uuid, number | null>;
}

/** Beyond it, exceptions are of statements. Published at GET /v1/limits. */
const EXCEPTIONS_MAX = 1_000;

/** What it has matched is read from its matches (matches/matched-store.ts). */
export async function matchOpen(runtime: MatchRuntime, run: MatchingRun): Promise<LeftOpen> {
  await postAllReports(runtime, run.bookId);
  await closeBeforeOpenings(runtime, run.bookId);
  await moveLargeMatches(runtime, run);
  const accounts = await readOpenAccounts(runtime.pool, run.bookId);
  const rules = await readRules(runtime.pool, run.bookId, accounts);
  for (const { id: bankAccountId } of accounts) {
    const list: ListOpen = (of) => listUnmatchedLines(runtime.pool, run.bookId, { bankAccountId, ...of });
    await matchNamed(runtime, run, { list, rules });
  }
  const lines = await openLinesOf(runtime.pool, run.bookId, accounts);
  const all = await matchTogether(runtime, run, { lines, rules });
  const byId = new Map(lines.map((line) => [line.id, line]));
  const left = all.filter(({ lineId }) => isMatchedIn(run.scope, [byId.get(lineId)!]));
  await leave(runtime, run, { lines, left });
  await findOverdue(runtime, run, accounts);
  return {
    openLines: left.length,
    proposed: left.filter(({ proposals }) => proposals.length > 0).length,
    rulesVersions: new Map([...rules.accounts].map(([id, { version }]) => [id, version])),
  };
}

async function openLinesOf(pool: Pool, bookId: BookId, accounts: readonly BankAccount[]): Promise<BankLine[]> {
  const lines: BankLine[] = [];
  for (const { id: bankAccountId } of accounts)
    lines.push(
      ...(await listUnmatchedLines(pool, bookId, { bankAccountId, after: BEFORE_ALL, limit: OPEN_MAX - lines.length })),
    );
  return lines;
}

interface Leaving {
  readonly lines: readonly BankLine[];
  readonly left: readonly LeftLine[];
}

async function leave(runtime: MatchRuntime, run: MatchingRun, { lines, left }: Leaving): Promise<void> {
  const { committer } = runtime;
  const byId = new Map(lines.map((line) => [line.id, line]));
  const all = left.map((why) => ({ why, line: byId.get(why.lineId)! }));
  const fresh = all.filter(({ line }) => line.exceptionId === null);
  if (fresh.length <= EXCEPTIONS_MAX) {
    // What is proposed stands on an exception of the line.
    const arrived = fresh.filter(({ why }) => why.kind === 'inbound_unallocated' && why.proposals.length === 0);
    const known = await leaveArrivals(
      runtime,
      run.bookId,
      arrived.map(({ line }) => line),
    );
    for (const some of inParts(all)) await committer.submit(run.bookId, leaveLines({ ...run, left: some, known }));
    return;
  }
  for (const [statementId, ofStatement] of groupBy(fresh, ({ line }) => line.statementId))
    for (const some of inParts(ofStatement))
      await committer.submit(
        run.bookId,
        leaveStatement({
          ...{ ...run, statementId, exceptionId: deriveId('exception', run.requestId, statementId) },
          ...{ lineIds: some.map(({ line }) => line.id), count: ofStatement.length },
        }),
      );
}

function inParts<One>(all: readonly One[]): One[][] {
  const parts: One[][] = [];
  for (let from = 0; from < all.length; from += LEFT_PER_COMMAND) parts.push(all.slice(from, from + LEFT_PER_COMMAND));
  return parts;
}
