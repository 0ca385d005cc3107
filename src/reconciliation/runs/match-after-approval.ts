/**
 * An approval that lets a line be matched begins a run of its bank account: a return that the bank has shown is booked by it, and a credit that was
 * given to an account is there by then, since the run moves what is due of its lines first.
 */
import type { Queryable } from '../../db/pool.ts';
import type { ApprovalFollow, ApprovedCase } from '../../group/approval-follow.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { inboundCredits } from '../../outside/credits/credit-table.ts';
import { plainIdentifier } from '../../outside/credits/credited-account-store.ts';
import type { Uuid } from '../../values/ids.ts';
import { bankAccountIdentifiers } from '../accounts/bank-account-table.ts';
import { bankLines } from '../lines/bank-line-table.ts';
import { matchingOf } from './request-run.ts';

export const matchingAfterApproval: ApprovalFollow = {
  async prepare(db, bookId, approved) {
    const ids = new Set([
      ...(await accountsOfLines(db, bookId, approved)),
      ...(await accountsOfCredits(db, bookId, approved)),
    ]);
    return ids.size === 0 ? undefined : matchingOf(db, bookId, [...ids]);
  },
};

const isReturn = ({ kind, resource }: ApprovedCase) => kind === 'payout_returned_at_bank' && resource === 'bank_line';

async function accountsOfLines(db: Queryable, bookId: BookId, approved: readonly ApprovedCase[]): Promise<Uuid[]> {
  const ids = approved.filter(isReturn).map(({ resourceId }) => resourceId);
  if (ids.length === 0) return [];
  const lines = await bankLines.load(db, bookId, ids);
  return [...lines.values()].flatMap(({ bankAccountId }) => bankAccountId ?? []);
}

/** Of the operator's book, or of the one that a credit was given to. */
const CREDITS = ['inbound_credit', 'given_credit'];

async function accountsOfCredits(db: Queryable, bookId: BookId, approved: readonly ApprovedCase[]): Promise<Uuid[]> {
  const given = approved.filter(
    ({ resource, targetAccountId }) => targetAccountId !== null && CREDITS.includes(resource),
  );
  if (given.length === 0) return [];
  const credits = await inboundCredits.load(db, bookId, [...new Set(given.map(({ resourceId }) => resourceId))]);
  const names = [...credits.values()].map(({ bankAccount }) => plainIdentifier(bankAccount));
  const accounts = await bankAccountIdentifiers.load(db, bookId, [...new Set(names)]);
  return [...accounts.values()].map(({ bankAccountId }) => bankAccountId);
}
