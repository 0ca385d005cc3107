/**
 * Low balances: an event in the commit in which the available balance of an account falls below what its holder named. Compared are the
 * balances before and behind a command, so nothing has to be remembered: a further fall has its event once the balance has risen to it again.
 */

import type { Moment } from '../../values/clock.ts';
import { type Account, available } from '../account/account.ts';
import { accounts } from '../account/account-table.ts';
import type { Command, Touch } from '../command/command.ts';
import { Draft } from '../command/draft.ts';
import type { Outcome } from '../command/outcome.ts';
import { type BookState, unionOfTouches } from '../command/state.ts';
import type { Entry } from '../entry/entry.ts';
import type { Table } from '../rows/table.ts';

/** Who emits the event: the ledger knows no names of accounts. */
export interface BalanceWatch {
  /** What `notify` reads of an account. */
  touches(account: Account): readonly Touch[];
  /** Emits the event. `before` shows the account as it was before the command; the entries are those that moved it. */
  notify(
    draft: Draft,
    fallen: { readonly account: Account; readonly before: Draft; readonly entries: readonly Entry[] },
  ): void;
}

/** Undefined where the state has no account with an alert. */
export function touchesOfWatched(
  watch: BalanceWatch,
  state: BookState,
): Map<Table<unknown>, readonly string[]> | undefined {
  let touches: (readonly Touch[])[] | undefined;
  for (const account of state.rowsOf(accounts)) {
    if (account.alertBelow === null) continue;
    touches ??= [];
    touches.push(watch.touches(account));
  }
  return touches && unionOfTouches(touches);
}

interface Decided {
  readonly state: BookState;
  readonly command: Pick<Command<unknown>, 'id' | 'requestId' | 'actor'>;
  readonly moment: Moment;
  readonly outcome: Outcome<unknown>;
}

/** The outcome, with the events of the accounts that it lets fall. */
export function withLowBalances(watch: BalanceWatch, { state, command, moment, outcome }: Decided): Outcome<unknown> {
  let draft: Draft | undefined;
  for (const { table, row } of outcome.rows) {
    if (table !== accounts) continue;
    const account = row as Account;
    if (account.alertBelow === null || !hasFallen(state.known(accounts, account.id), account)) continue;
    draft ??= Draft.behind(outcome, { state, command, moment });
    const before = new Draft(state, command, moment);
    watch.notify(draft, { account, before, entries: outcome.entries.filter((entry) => moves(entry, account)) });
  }
  return draft?.finish(outcome.answer) ?? outcome;
}

function hasFallen(before: Account | undefined, { alertBelow, ...account }: Account): boolean {
  if (before === undefined || alertBelow === null) return false;
  return available(before) >= alertBelow && available({ ...account, alertBelow }) < alertBelow;
}

function moves({ postings }: Entry, { id }: Account): boolean {
  return postings.some(({ debitAccountId, creditAccountId }) => debitAccountId === id || creditAccountId === id);
}
