/** Load on the committer: commands that post one entry between two accounts, and functions that submit them. */

import { accounts } from '../../src/ledger/account/account-table.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import type { Command } from '../../src/ledger/command/command.ts';
import { Draft } from '../../src/ledger/command/draft.ts';
import type { Committer } from '../../src/ledger/commit/committer.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import type { BenchBook } from './book.ts';
import { type Movement, randomAmount } from './ceiling-store.ts';

/** Picks two different accounts, each as likely as any other. */
export function uniform({ accounts }: BenchBook): Movement {
  const debit = Math.floor(Math.random() * accounts.length);
  const credit = (debit + 1 + Math.floor(Math.random() * (accounts.length - 1))) % accounts.length;
  return { debit: accounts[debit]!, credit: accounts[credit]! };
}

const DAY_MS = 86_400_000;

/** A command of the product's form: named rows, a pure decision, nothing else. */
function post(movement: Movement, daysBefore = 0): Command<void> {
  const id = newId();
  const requestId = newId();
  return {
    id,
    name: 'bench.post',
    requestId,
    actor: 'bench',
    touches: [{ table: accounts, ids: [movement.debit, movement.credit] }],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId, actor: 'bench' }, moment);
      draft.post({
        // Of nothing that has a row: `verify` looks for the rows of resources.
        resource: 'request',
        resourceId: requestId,
        step: 'posted',
        effectiveAt: daysBefore === 0 ? undefined : moment.book - daysBefore * DAY_MS,
        postings: [{ ...movement, amount: randomAmount() }],
      });
      return draft.finish(undefined);
    },
  };
}

export type NextCommand = () => { bookId: BookId; command: Command<void> };

export function uniformCommands(book: BenchBook): NextCommand {
  return () => ({ bookId: book.id, command: post(uniform(book)) });
}

/** Every entry debits the book's first account. */
export function hotCommands(book: BenchBook): NextCommand {
  return oneAccountCommands(book, book.accounts[0]!);
}

/** Every entry debits one account. */
export function oneAccountCommands(book: BenchBook, account: Uuid): NextCommand {
  return () => ({ bookId: book.id, command: post({ debit: account, credit: otherThan(book, account) }) });
}

/** Every entry debits one account, and a part of them takes effect on one of the days before. */
export function backdated(
  book: BenchBook,
  { account, part, days }: { readonly account: Uuid; readonly part: number; readonly days: number },
): NextCommand {
  return () => {
    const daysBefore = Math.random() < part ? 1 + Math.floor(Math.random() * days) : 0;
    return { bookId: book.id, command: post({ debit: account, credit: otherThan(book, account) }, daysBefore) };
  };
}

function otherThan(book: BenchBook, account: Uuid): Uuid {
  let { credit } = uniform(book);
  while (credit === account) credit = uniform(book).credit;
  return credit;
}

/** Takes from each generator in turn. */
export function inTurns(generators: readonly NextCommand[]): NextCommand {
  let next = 0;
  return () => generators[next++ % generators.length]!();
}

/**
 * Carries out `count` commands, `callers` of them at a time: each caller submits its next command after an answer. One
 * caller waits for each answer; thousands keep every batch full.
 */
export async function submitAll(
  committer: Committer,
  nextCommand: NextCommand,
  { count, callers }: { count: number; callers: number },
): Promise<number> {
  let left = count;
  const caller = async () => {
    while (left > 0) {
      left--;
      const { bookId, command } = nextCommand();
      await committer.submit(bookId, command);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return count;
}
