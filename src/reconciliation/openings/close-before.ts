/**
 * Closes what was expected before the opening of a bank account: that money has left or come before, so it is in the opening already. Items of the
 * parties that the account cuts over are closed against own funds, by the rule `opening`, but for those that the opening names as outstanding. It
 * runs before every matching and again whenever the mirror makes such an item: what is closed is no longer open, so a repeat changes nothing.
 */
import type { Pool } from '../../db/pool.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { announce } from '../../ledger/resources/resource.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { NoProgress } from '../../values/progress.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { openingAt } from '../accounts/open-bank-account.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import type { BankMatch } from '../matches/bank-match.ts';
import { bankMatchResource } from '../matches/bank-match-resource.ts';
import { bankMatches } from '../matches/bank-match-table.ts';
import { postingsOf } from '../matches/match-postings.ts';
import { signedOpen } from '../matches/take-parts.ts';
import { listItemsBefore } from './items-before-store.ts';

export interface CloseRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

/** Items in one command: each is a row, and has its account. */
const ITEMS_PER_COMMAND = 250;

/** Of these bank accounts, or of all. Answers with how many items were closed. */
export async function closeBeforeOpenings(
  { pool, committer }: CloseRuntime,
  bookId: BookId,
  ids?: readonly Uuid[],
): Promise<number> {
  let closed = 0;
  for (let before: string | undefined; ; ) {
    const found = await listItemsBefore(pool, bookId, { bankAccountIds: ids, limit: ITEMS_PER_COMMAND });
    const [first] = found;
    if (first === undefined) return closed;
    const items = found.filter(({ bankAccountId }) => bankAccountId === first.bankAccountId).map(({ item }) => item);
    const place = items.map(({ id }) => id).join();
    if (place === before) throw new NoProgress(`Bank account ${first.bankAccountId}: its items stay open.`);
    before = place;
    const account = (await bankAccounts.find(pool, bookId, first.bankAccountId))!;
    closed += await committer.submit(bookId, closeItems(bookId, { account, items }));
  }
}

interface CloseItems {
  readonly account: Pick<BankAccount, 'id' | 'name' | 'currency' | 'openingOn'>;
  readonly items: readonly ExpectedItem[];
}

/** Answers with how many were closed: what a line has matched meanwhile is left. */
export function closeItems(bookId: BookId, { account, items }: CloseItems): Command<number> {
  const requestId = newId();
  const origin = { id: newId(), requestId, actor: 'worker:ledger' };
  const groups = bySide(items).map((side) => ({ matchId: newId(), side }));
  const own = chartAccountId(bookId, 'own_funds', account.currency);
  return {
    ...origin,
    name: 'opening.close',
    touches: [
      { table: bankMatches, ids: groups.map(({ matchId }) => matchId) },
      { table: expectedItems, ids: items.map(({ id }) => id) },
      { table: accounts, ids: [...new Set([own, ...items.map((item) => item.clearingAccountId)])] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let closed = 0;
      for (const { matchId, side } of draft.each(groups)) {
        const open = side.map(({ id }) => draft.get(expectedItems, id)!).filter(({ amountOpen }) => amountOpen > 0n);
        if (open.length === 0) continue;
        closeSide(draft, account, { matchId, requestId, items: open });
        closed += open.length;
      }
      return draft.finish(closed);
    },
  };
}

/** What leaves and what comes of each account apart: never netted. */
function bySide(items: readonly ExpectedItem[]): ExpectedItem[][] {
  const sides = new Map<string, ExpectedItem[]>();
  for (const item of items) {
    const key = `${item.clearingAccountId} ${item.direction}`;
    sides.set(key, [...(sides.get(key) ?? []), item]);
  }
  return [...sides.values()];
}

interface Side {
  readonly matchId: Uuid;
  readonly requestId: Uuid;
  readonly items: readonly ExpectedItem[];
}

/** Out: clearing → own funds. In: own funds → clearing. */
function closeSide(draft: Draft, account: CloseItems['account'], { matchId, requestId, items }: Side): void {
  const { book: now } = draft.moment;
  const { currency, openingOn } = account;
  const match: BankMatch = {
    ...{
      id: matchId,
      status: 'confirmed',
      rule: 'opening',
      rulesVersion: null,
      comparedAccountId: null,
      currency,
      undoReason: null,
      textSalt: null,
    },
    reason: `Expected before ${openingOn}, where the bank account begins.`,
    lines: [],
    items: items.map((item) => ({
      ...{ id: item.id, amount: String(signedOpen(item)), accountId: item.clearingAccountId },
    })),
    ...{ difference: -items.reduce((sum, item) => sum + signedOpen(item), 0n), differenceTo: 'own_funds' },
    ...{ proposedBy: null, approvedBy: null, undoneBy: null, entryIds: [], requestId },
    ...{ reserved: null, reservedAmount: 0n, version: 1, createdAt: now, updatedAt: now },
  };
  const own = draft.chart('own_funds', currency).id;
  const postings = postingsOf(match, { unallocated: own, suspense: own, differenceTo: () => own });
  const entry = draft.post({
    ...({ resource: 'bank_match', resourceId: matchId, step: 'matched', postings } as const),
    effectiveAt: openingAt(draft, openingOn),
  });
  for (const item of items)
    draft.put(expectedItems, item.id, {
      ...item,
      ...{ amountOpen: 0n, status: 'matched', bankAccountId: account.id, openingEntryId: entry.id },
    });
  const row = draft.put(bankMatches, matchId, { ...match, entryIds: [entry.id] });
  announce(draft, bankMatchResource, row, { event: 'bank_match.approved', entries: [entry] });
}
