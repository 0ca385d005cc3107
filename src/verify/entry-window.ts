/**
 * Checks a window of the journal: each entry follows its predecessor, and each line follows the line before it in its
 * account. The window lies below the head that was read first, so its rows no longer change and no snapshot stays open.
 *
 * Window by window this shows for each account that line 1 starts at zero, and that every further balance is the one
 * before and the line's amount. account-window.ts checks the newest line against the account's row. Together they show
 * that a balance is the sum of its postings.
 */

import type { CheckContext } from '../group/check-context.ts';
import { publicId, type Uuid } from '../values/ids.ts';
import { reportStray } from './account-check.ts';
import type { LineRow } from './account-check-store.ts';
import { AccountTally, type LineBefore } from './account-tally.ts';
import { checkEnd, checkEntries, GENESIS, type Predecessor, reportTwice } from './journal-check.ts';
import { type JournalRow, readJournal } from './journal-check-store.ts';
import { readLinesBefore, readPredecessor, readStepsTwice } from './window-store.ts';

/** The sequences after `after`, up to and including `upTo`. */
export interface Window {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** Resolves to the entries read. */
export async function checkEntryWindow(context: CheckContext, window: Window): Promise<readonly JournalRow[]> {
  const { pool, book } = context;
  const before = await predecessorOf(context, window.after);
  const limit = Number(window.upTo - window.after);
  const entries = await readJournal(pool, book.id, { ...window, limit });
  checkEnd(context, await checkEntries(context, entries, before), window.upTo);
  for (const { earlier, ...step } of await readStepsTwice(pool, book.id, window)) reportTwice(context, step, earlier);
  await checkLines(context, entries);
  return entries;
}

/** Where the predecessor is missing, the first entry of the window is reported as out of sequence. */
async function predecessorOf({ pool, book }: CheckContext, sequence: bigint): Promise<Predecessor> {
  if (sequence === 0n) return GENESIS;
  return (await readPredecessor(pool, book.id, sequence)) ?? { ...GENESIS, sequence: sequence - 1n };
}

export function accountsOf(entries: readonly JournalRow[]): Uuid[] {
  const postings = entries.flatMap((entry) => entry.postings);
  return [...new Set(postings.flatMap((posting) => [posting.debitAccountId, posting.creditAccountId]))];
}

async function checkLines(context: CheckContext, entries: readonly JournalRow[]): Promise<void> {
  const lines = linesByAccount(entries);
  if (lines.size === 0) return;
  const wanted = [...lines].map(([accountId, [first]]) => ({ accountId, line: first!.line - 1n }));
  const before = await readLinesBefore(context.pool, context.book.id, wanted);
  for (const [accountId, ofAccount] of lines) {
    const known = before.get(accountId);
    const [first] = ofAccount;
    if (!known) reportStray(context, first!);
    else {
      if (first!.line > 1n && !known.before) reportGap(context, first!);
      const tally = new AccountTally(
        known.account,
        context.report,
        known.before ?? reckonedBefore(first!, known.account),
      );
      for (const line of ofAccount) tally.take(line);
    }
  }
}

/** Groups lines by account, ordered by line number. */
function linesByAccount(entries: readonly JournalRow[]): Map<Uuid, LineRow[]> {
  const lines = new Map<Uuid, LineRow[]>();
  const add = (line: LineRow) => {
    const known = lines.get(line.accountId);
    if (known) known.push(line);
    else lines.set(line.accountId, [line]);
  };
  for (const { sequence: entrySequence, postings } of entries) {
    for (const posting of postings) {
      const { amount, currency } = posting;
      add({
        direction: 'debit',
        accountId: posting.debitAccountId,
        line: posting.debitLine,
        amount,
        currency,
        balanceAfter: posting.debitBalanceAfter,
        entrySequence,
      });
      add({
        direction: 'credit',
        accountId: posting.creditAccountId,
        line: posting.creditLine,
        amount,
        currency,
        balanceAfter: posting.creditBalanceAfter,
        entrySequence,
      });
    }
  }
  for (const ofAccount of lines.values()) ofAccount.sort((a, b) => Number(a.line - b.line));
  return lines;
}

/** The balance before line 1 is zero. Behind a gap, which is reported already, it follows from the line itself. */
function reckonedBefore(first: LineRow, { side }: AccountTally['account']): LineBefore {
  if (first.line === 1n) return { line: 0n, balance: 0n, entrySequence: 0n };
  const balance = first.direction === side ? first.balanceAfter - first.amount : first.balanceAfter + first.amount;
  return { line: first.line - 1n, balance, entrySequence: 0n };
}

function reportGap({ report }: CheckContext, first: LineRow): void {
  report({
    check: 'account.lines',
    ids: {
      account: publicId('account', first.accountId),
      line: `${first.line}`,
      sequence: `${first.entrySequence}`,
    },
    expected: `line ${first.line - 1n}`,
    actual: 'none',
    detail: "The account's lines have a gap.",
  });
}
