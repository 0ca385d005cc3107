/**
 * Makes items of the lines of an account, for its book's own comparison: each line once, in their order. Money in is what the account grows by on
 * the book's side: a credit of a customer's account, a debit of an account of assets. Each command names the line that it follows, so a walk that
 * is killed goes on where it was, and two at once take no line twice.
 */
import { dayOf } from '../../calendar/day.ts';
import type { Pool } from '../../db/pool.ts';
import type { AtBank, BankWord, Expected, LineNames } from '../../group/at-bank.ts';
import type { Account } from '../../ledger/account/account.ts';
import { type AccountLine, readAccountLines } from '../../ledger/account/account-line-store.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { deriveId, newId, type ResourceName, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { comparedAccounts } from './compared-account-table.ts';
import type { ExpectedItem } from './expected-item.ts';
import { expectedItems } from './expected-item-table.ts';

export interface TakeLinesRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  /** Of every group. */
  readonly atBank: readonly AtBank[];
  readonly lineNames: readonly LineNames[];
}

export interface ComparedPlace {
  readonly bookId: BookId;
  /** Of the same mode: rails and credits keep rows there. */
  readonly operatorBookId: BookId;
  readonly accountId: Uuid;
}

/** A command touches at most 1,000 rows. */
const LINES_PER_COMMAND = 400;

export type LineReferences = Pick<Expected, 'on' | 'endToEndId' | 'bankReference' | 'documentReference' | 'batchId'>;

export interface NamedLine {
  readonly line: AccountLine;
  readonly references: LineReferences;
}

/** All lines that the account has by now. */
export async function takeLines(runtime: TakeLinesRuntime, place: ComparedPlace): Promise<void> {
  const { bookId, accountId } = place;
  const { pool, committer } = runtime;
  const account = (await accounts.find(pool, bookId, accountId))!;
  let behind = (await comparedAccounts.find(pool, bookId, accountId))?.line ?? 0n;
  while (behind < account.lines) {
    const range = { after: behind, upTo: account.lines, limit: LINES_PER_COMMAND };
    const lines = await readAccountLines(pool, bookId, accountId, range);
    const named = await namedLines(runtime, place, lines);
    const command = takeNamedLines({ bookId, accountId, behind, lines: named });
    behind = further(`Comparison of account ${accountId}`, behind, await committer.submit(bookId, command));
  }
}

export interface TakeNamedLines {
  readonly bookId: BookId;
  readonly accountId: Uuid;
  /** The line before these. */
  readonly behind: bigint;
  /** In their order, at least one. */
  readonly lines: readonly NamedLine[];
}

/** Answers with the line through which the account is taken by then. */
function takeNamedLines({ bookId, accountId, behind, lines }: TakeNamedLines): Command<bigint> {
  const origin = { id: newId(), requestId: newId() };
  return {
    ...origin,
    name: 'comparison.take_lines',
    touches: [
      { table: comparedAccounts, ids: [accountId] },
      { table: accounts, ids: [accountId] },
      { table: expectedItems, ids: lines.map(({ line }) => comparedItemId(accountId, line.line)) },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const taken = draft.get(comparedAccounts, accountId)?.line ?? 0n;
      if (taken !== behind) return draft.finish(taken);
      const account = draft.get(accounts, accountId)!;
      const of = { bookId, account, timeZone: draft.book.timeZone };
      for (const named of lines) {
        const item: ExpectedItem = { ...itemOfLine(of, named), createdAt: moment.book };
        draft.put(expectedItems, item.id, item);
      }
      const { line } = lines.at(-1)!.line;
      draft.put(comparedAccounts, accountId, { accountId, line });
      return draft.finish(line);
    },
  };
}

function comparedItemId(accountId: Uuid, line: bigint): Uuid {
  return deriveId('compared_item', accountId, String(line));
}

interface OfAccount {
  readonly bookId: BookId;
  readonly account: Pick<Account, 'id' | 'side'>;
  readonly timeZone: string;
}

/** Whether the account grows by the line. */
const isIn = ({ side }: Pick<Account, 'side'>, { direction }: AccountLine) => direction === side;

export function itemOfLine(
  { bookId, account, timeZone }: OfAccount,
  { line, references: { on, ...references } }: NamedLine,
): Omit<ExpectedItem, 'createdAt'> {
  return {
    ...{ id: comparedItemId(account.id, line.line), party: null, clearing: 'account', clearingAccountId: account.id },
    direction: isIn(account, line) ? 'in' : 'out',
    ...{ amount: line.amount, amountOpen: line.amount, currency: line.currency },
    ...{ expectedOn: on ?? line.occurredOn ?? dayOf(line.effectiveAt, timeZone), status: 'open', bankAccountId: null },
    ...{ ofBook: bookId, resource: line.resource as ResourceName, resourceId: line.resourceId, poolLine: line.line },
    ...references,
    ...{ entryId: line.entryId, openingEntryId: null, exceptionId: null },
  };
}

const NONE: LineReferences = {
  ...{ on: null, endToEndId: null, bankReference: null, documentReference: null, batchId: null },
};

/** What a bank would call each line, by its group's word; else what the organisation calls its entry. A fee has no reference of its own. */
export async function namedLines(
  { pool, atBank, lineNames }: Pick<TakeLinesRuntime, 'pool' | 'atBank' | 'lineNames'>,
  { bookId, operatorBookId, accountId }: ComparedPlace,
  lines: readonly AccountLine[],
): Promise<NamedLine[]> {
  const account = (await accounts.find(pool, bookId, accountId))!;
  const moved = lines.filter(({ resource, kind }) => kind === resource);
  const words = await wordsOf({ pool, atBank }, { bookId, operatorBookId }, moved.map(atPool));
  const referred = moved.flatMap((line) => {
    const word = words.get(line.line);
    return word !== undefined && 'as' in word ? [atPool({ ...line, ...word.as })] : [];
  });
  const others = await wordsOf({ pool, atBank }, { bookId, operatorBookId }, referred);
  const names = await namesOf({ pool, lineNames }, bookId, moved);
  return lines.map((line) => {
    const word = others.get(line.line) ?? words.get(line.line);
    const name = names.get(line.line) ?? null;
    const expected = word !== undefined && !('as' in word) ? word.expected : null;
    if (expected === null) return { line, references: { ...NONE, endToEndId: name, documentReference: name } };
    const { party: _, ...references } = expected;
    return { line, references };
  });

  /** Groups have words of the pool, which is an asset: money in is a debit there. */
  function atPool(line: AccountLine): AccountLine {
    return { ...line, direction: isIn(account, line) ? 'debit' : 'credit' };
  }
}

async function wordsOf(
  { pool, atBank }: Pick<TakeLinesRuntime, 'pool' | 'atBank'>,
  of: Pick<ComparedPlace, 'bookId' | 'operatorBookId'>,
  lines: readonly AccountLine[],
): Promise<Map<bigint, BankWord>> {
  const found = new Map<bigint, BankWord>();
  for (const group of atBank) {
    const own = lines.filter(({ resource }) => (group.resources as readonly string[]).includes(resource));
    if (own.length > 0) for (const [line, word] of await group.words(pool, of, own)) found.set(line, word);
  }
  return found;
}

async function namesOf(
  { pool, lineNames }: Pick<TakeLinesRuntime, 'pool' | 'lineNames'>,
  bookId: BookId,
  lines: readonly AccountLine[],
): Promise<Map<bigint, string>> {
  const found = new Map<bigint, string>();
  for (const group of lineNames) {
    const own = lines.filter(({ resource }) => (group.resources as readonly string[]).includes(resource));
    if (own.length > 0) for (const [line, name] of await group.names(pool, bookId, own)) found.set(line, name);
  }
  return found;
}
