/**
 * Matches of more items than a command touches: each command takes the next ones, and the last one confirms the match with its one entry. Undoing
 * gives them back the same way. A command names how many are taken before it, so one that comes twice, or late, changes nothing; killed in between,
 * the next run goes on.
 */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { advance, announce } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { NoProgress } from '../../values/progress.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import { bankLines } from '../lines/bank-line-table.ts';
import { type CreditsOfLines, readCreditsOfLines } from '../lines/credit-of-line-store.ts';
import { type BankMatch, MATCH_ITEMS_MAX, MATCH_PARTS_MAX } from './bank-match.ts';
import { bankMatchResource } from './bank-match-resource.ts';
import { bankMatches } from './bank-match-table.ts';
import { listMovingMatches, readFilesOf } from './candidate-store.ts';
import { newMatch, type RuleMatch } from './confirm-matches.ts';
import { creditTouches, haveCreditsMoved, takesFromBook } from './lines-of-books.ts';
import { openAgain } from './match-by-hand.ts';
import {
  arePartsOpen,
  type Ending,
  endThoseOfItems,
  endThoseOfLines,
  giveBackItems,
  giveBackLines,
  takeItems,
  takeLines,
  touchesOf,
} from './take-parts.ts';

export interface MoveRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

interface Run {
  readonly bookId: BookId;
  readonly requestId: Uuid;
  readonly actor: string;
}

/** Items of a command: each may have an exception, and its event. */
const ITEMS_PER_COMMAND = MATCH_PARTS_MAX;
/** The last command touches all lines. */
const LINES_MAX = 100;

/** One that a single command confirms is not large, and one of more than that is left to people. */
export function isLarge({ lines, items }: Pick<RuleMatch, 'lines' | 'items'>): boolean {
  return lines.length <= LINES_MAX && items.length <= MATCH_ITEMS_MAX && lines.length + items.length > MATCH_PARTS_MAX;
}

/** Resolves to whether it is confirmed: something of it may have been matched meanwhile. */
export async function confirmLargeMatch(runtime: MoveRuntime, run: Run, found: RuleMatch): Promise<boolean> {
  const match: BankMatch = { ...newMatch(found, run.requestId), status: 'reserving', reserved: 0 };
  const moved = await move(runtime, run, { match, isNew: true });
  return moved?.status === 'confirmed';
}

/** One that was left half moved goes on; any other is left as it is. */
export async function moveLargeMatch(runtime: MoveRuntime, run: Run, matchId: Uuid): Promise<void> {
  const match = await bankMatches.find(runtime.pool, run.bookId, matchId);
  if (match?.status === 'reserving' || match?.status === 'undoing') await move(runtime, run, { match, isNew: false });
}

const MOVING_AT_ONCE = 100;

/** All that were left half moved. Before anything else is matched: their lines are still open. */
export async function moveLargeMatches(runtime: MoveRuntime, run: Run): Promise<void> {
  for (const { id } of await listMovingMatches(runtime.pool, run.bookId, MOVING_AT_ONCE))
    await moveLargeMatch(runtime, run, id);
}

interface Moving {
  readonly match: BankMatch;
  /** Its row is made by the first command. */
  readonly isNew: boolean;
}

async function move(runtime: MoveRuntime, run: Run, { match, isNew }: Moving): Promise<BankMatch | undefined> {
  let [now, first] = [match, isNew];
  while (now.status === 'reserving' || now.status === 'undoing') {
    const ending = await endingOf(runtime.pool, run, now);
    const input = { ...run, match: now, isNew: first, ...ending };
    const next = await runtime.committer.submit(
      run.bookId,
      now.status === 'reserving' ? reserve(input) : giveBack(input),
    );
    if (next === undefined) return undefined;
    if (!first && next.status === now.status && next.reserved === now.reserved)
      throw new NoProgress(`Match ${now.id}: ${now.reserved} items are taken, and no more follow.`);
    [now, first] = [next, false];
  }
  return now;
}

interface MoveItems extends Run {
  /** As it was read, or as it is to be. */
  readonly match: BankMatch;
  readonly isNew: boolean;
  readonly exceptionIds: readonly Uuid[];
  readonly evidence: ReadonlyMap<Uuid, string>;
  readonly credits: CreditsOfLines;
}

async function endingOf(pool: Pool, { bookId }: Run, match: BankMatch) {
  const some = nextItems(match);
  const lines = [
    ...(
      await bankLines.load(
        pool,
        bookId,
        match.lines.map(({ id }) => id),
      )
    ).values(),
  ];
  const items = [
    ...(
      await expectedItems.load(
        pool,
        bookId,
        some.map(({ id }) => id),
      )
    ).values(),
  ];
  const files = await readFilesOf(pool, bookId, [...new Set(lines.map(({ statementId }) => statementId))]);
  return {
    exceptionIds: [...lines, ...items].flatMap(({ exceptionId }) => exceptionId ?? []),
    evidence: new Map(lines.map(({ id, statementId }) => [id, files.get(statementId)!])),
    credits: await readCreditsOfLines(pool, bookId, lines),
  };
}

function nextItems({ status, items, reserved }: BankMatch): BankMatch['items'] {
  const taken = reserved ?? 0;
  return status === 'reserving'
    ? items.slice(taken, taken + ITEMS_PER_COMMAND)
    : items.slice(Math.max(0, taken - ITEMS_PER_COMMAND), taken);
}

function sumOf(items: BankMatch['items']): bigint {
  return items.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** Undefined: the first of them are no longer open, and the match is left out. */
function reserve({ match: read, isNew, ...run }: MoveItems): Command<BankMatch | undefined> {
  const { bookId, requestId, actor, exceptionIds, evidence, credits } = run;
  const origin = { id: newId(), requestId, actor };
  const some = nextItems(read);
  const salt = newSalt();
  return {
    ...origin,
    name: 'bank_match.reserve',
    touches: [...touchesOf(bookId, [{ ...read, items: some }], exceptionIds), ...creditTouches(credits)],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const known = draft.get(bankMatches, read.id);
      const { book } = moment;
      const match = known ?? { ...read, createdAt: book, updatedAt: book };
      if (match.status !== 'reserving' || match.reserved !== read.reserved) return draft.finish(match);
      // What a book has by its credit is one item: none of many.
      const isOfABook =
        haveCreditsMoved(draft, match, credits) || takesFromBook(draft, { ...match, items: [] }, credits);
      if (isOfABook || !arePartsOpen(draft, { ...match, items: some })) {
        if (isNew && known === undefined) return draft.finish(undefined);
        return draft.finish(advance(draft, bankMatchResource, match, { status: 'undoing' }));
      }
      if (known === undefined) draft.put(bankMatches, match.id, match);
      takeItems(draft, some);
      const ending: Ending = { match, actor, evidence, salt };
      endThoseOfItems(draft, ending, some);
      const taken = (match.reserved ?? 0) + some.length;
      const reservedAmount = match.reservedAmount + sumOf(some);
      if (taken < match.items.length)
        return draft.finish(draft.put(bankMatches, match.id, { ...match, reserved: taken, reservedAmount }));
      const entry = takeLines(draft, match);
      const entries = entry === null ? [] : [entry];
      const confirmed = draft.put<BankMatch>(bankMatches, match.id, {
        ...{ ...match, status: 'confirmed', reserved: taken, reservedAmount: 0n, updatedAt: book },
        entryIds: entries.map(({ id }) => id),
      });
      announce(draft, bankMatchResource, confirmed, { event: 'bank_match.approved', entries });
      endThoseOfLines(draft, ending);
      return draft.finish(confirmed);
    },
  };
}

/** The last of them first. One that was never booked ends without an entry. */
function giveBack({ match: read, exceptionIds, ...run }: MoveItems): Command<BankMatch> {
  const { bookId, requestId, actor } = run;
  const origin = { id: newId(), requestId, actor };
  const some = nextItems(read);
  const fresh = read.lines.map(() => newId());
  return {
    ...origin,
    name: 'bank_match.give_back',
    touches: touchesOf(bookId, [{ ...read, items: some }], [...exceptionIds, ...fresh]),
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const match = draft.get(bankMatches, read.id)!;
      if (match.status !== 'undoing' || match.reserved !== read.reserved) return draft.finish(match);
      giveBackItems(draft, some);
      const reserved = (match.reserved ?? 0) - some.length;
      const reservedAmount = match.reservedAmount - sumOf(some);
      if (reserved > 0) return draft.finish(draft.put(bankMatches, match.id, { ...match, reserved, reservedAmount }));
      const rest = { reserved: 0, reservedAmount: 0n };
      if (match.entryIds.length === 0 && match.undoneBy === null)
        return draft.finish(
          advance(draft, bankMatchResource, match, { ...rest, status: 'rejected' }, { event: 'bank_match.rejected' }),
        );
      const entry = giveBackLines(draft, match);
      openAgain(draft, match, fresh);
      const change = { ...rest, status: 'undone' } as const;
      const entries = entry === null ? [] : [entry];
      return draft.finish(advance(draft, bankMatchResource, match, change, { event: 'bank_match.undone', entries }));
    },
  };
}
