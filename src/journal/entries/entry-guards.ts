/**
 * What refuses an entry that was asked for, in the order in which it is looked at: accounts and their origins, a closed day, what the
 * request expects, holds, the status of accounts. Floors and the totals of a lifetime follow with the posting itself (book-entry.ts).
 */
import { type AccountHold, allowedActions, isOver, remainingOf } from '../../accounts/holds/account-hold.ts';
import { accountHolds } from '../../accounts/holds/account-hold-table.ts';
import { dayOf } from '../../calendar/day.ts';
import { ApiError } from '../../errors/errors.ts';
import { available } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import { firstOpenDay } from '../../ledger/journal/effective-day.ts';
import { publicId, resourceReference, type Uuid } from '../../values/ids.ts';
import type { EntryCommand, Expectation, PostingInput } from './entry-command.ts';
import { mayJoin } from './manual-entry.ts';

/** A hold may have this many captures: each is named by its row. */
const CAPTURES_MAX = 100;

export function refuseEntry(draft: Draft, entry: EntryCommand): Refusal | undefined {
  return (
    firstOf(entry.postings, (posting, at) => refuseAccounts(draft, posting, `${entry.place}/postings/${at}`)) ??
    refuseDay(draft, entry) ??
    firstOf(entry.expect, (expected, at) => refuseExpectation(draft, expected, `${entry.place}/expect/${at}`)) ??
    refuseHolds(draft, entry) ??
    firstOf(entry.postings, (posting, at) => refuseStatus(draft, posting, `${entry.place}/postings/${at}`))
  );
}

function firstOf<Item>(
  items: readonly Item[],
  refusalOf: (item: Item, at: number) => Refusal | undefined,
): Refusal | undefined {
  for (const [at, item] of items.entries()) {
    const refusal = refusalOf(item, at);
    if (refusal) return refusal;
  }
  return undefined;
}

const NO_ACCOUNT = 'There is no such account in this book.';

function refuseAccounts(
  draft: Draft,
  { debit, credit, currency }: Pick<PostingInput, 'debit' | 'credit' | 'currency'>,
  place: string,
): Refusal | undefined {
  const debited = draft.get(accounts, debit);
  if (!debited) return { refused: 'resource_not_found', param: `${place}/debit`, detail: NO_ACCOUNT };
  const credited = draft.get(accounts, credit);
  if (!credited) return { refused: 'resource_not_found', param: `${place}/credit`, detail: NO_ACCOUNT };
  for (const [side, account] of [['debit', debited] as const, ['credit', credited] as const]) {
    if (account.code === 'customer' || account.code === 'own') continue;
    return {
      refused: 'account_not_postable',
      param: `${place}/${side}`,
      detail: `${publicId('account', account.id)} is the account ${account.code} of the system, which no entry asked for moves.`,
    };
  }
  if (!mayJoin(debited, credited))
    return {
      refused: 'account_not_postable',
      param: `${place}/credit`,
      detail: "A posting joins customers' accounts with each other, or own accounts with each other.",
    };
  for (const account of [debited, credited])
    if (account.currency !== currency)
      return {
        refused: 'currency_mismatch',
        param: `${place}/currency`,
        detail: `${publicId('account', account.id)} is kept in ${account.currency}.`,
        facts: { account_currency: account.currency },
      };
  return undefined;
}

/** Throws ApiError `parameter_invalid` for a day that has not begun, which it will have later. */
function refuseDay({ book, moment }: Draft, { effectiveOn, place }: EntryCommand): Refusal | undefined {
  if (effectiveOn === undefined) return undefined;
  const param = `${place}/effective_on`;
  const today = dayOf(moment.book, book.timeZone);
  if (effectiveOn > today)
    throw new ApiError('parameter_invalid', { param, detail: `Expects a day that has begun; today is ${today}.` });
  if (book.closedThrough === null || effectiveOn > book.closedThrough) return undefined;
  return {
    refused: 'period_closed',
    param,
    detail: `Days until ${book.closedThrough} are closed.`,
    facts: { closed_through: book.closedThrough, first_open_day: firstOpenDay(book) },
  };
}

function refuseExpectation(
  draft: Draft,
  { account: id, sequence, availableGte }: Expectation,
  place: string,
): Refusal | undefined {
  const account = draft.get(accounts, id);
  if (!account) return { refused: 'resource_not_found', param: `${place}/account`, detail: NO_ACCOUNT };
  if (sequence !== undefined && account.lines !== sequence)
    return {
      refused: 'expectation_failed',
      param: `${place}/sequence`,
      detail: `${publicId('account', id)} has ${account.lines} lines.`,
      facts: { sequence: account.lines },
    };
  if (availableGte !== undefined && available(account) < availableGte)
    return {
      refused: 'expectation_failed',
      param: `${place}/available_gte`,
      detail: `${publicId('account', id)} has ${available(account)} available.`,
      facts: { available: available(account) },
    };
  return undefined;
}

function refuseHolds(draft: Draft, { postings, place }: EntryCommand): Refusal | undefined {
  const captured = new Map<Uuid, bigint>();
  return firstOf(postings, (posting, at) => {
    if (posting.hold === undefined) return undefined;
    const before = captured.get(posting.hold) ?? 0n;
    captured.set(posting.hold, before + posting.amount);
    return refuseHold(
      draft,
      { ...posting, hold: posting.hold },
      { place: `${place}/postings/${at}`, captured: before },
    );
  });
}

function refuseHold(
  draft: Draft,
  { debit, amount, hold: id }: PostingInput & { readonly hold: Uuid },
  { place, captured }: { place: string; captured: bigint },
): Refusal | undefined {
  const param = `${place}/hold`;
  const reserved = draft.get(holds, id);
  if (reserved?.accountId !== debit)
    return { refused: 'resource_not_found', param, detail: 'The debited account has no hold with that id.' };
  const hold = draft.get(accountHolds, id);
  if (!hold)
    return {
      refused: 'state_conflict',
      param,
      detail: `The hold belongs to ${reserved.resource.replaceAll('_', ' ')} ${resourceReference(reserved.resource, reserved.resourceId)}, which alone changes it.`,
      facts: { current_status: reserved.status, allowed_actions: [] },
    };
  const status = isOver(hold, draft.moment.book) ? 'expired' : hold.status;
  if (status !== 'open')
    return {
      refused: 'state_conflict',
      param,
      detail: `The hold is ${status}.`,
      facts: { current_status: status, allowed_actions: allowedActions({ status }) },
    };
  return refuseCapture(hold, amount, { place, remaining: remainingOf(hold) - captured });
}

function refuseCapture(
  { entryIds }: AccountHold,
  amount: bigint,
  { place, remaining }: { place: string; remaining: bigint },
): Refusal | undefined {
  if (amount > remaining)
    return {
      refused: 'amount_above_maximum',
      param: `${place}/amount`,
      detail: `Only ${remaining} of the hold remains.`,
      facts: { limit: remaining },
    };
  if (entryIds.length < CAPTURES_MAX) return undefined;
  return {
    refused: 'limit_exceeded',
    param: `${place}/hold`,
    detail: `A hold is captured by at most ${CAPTURES_MAX} entries; release what remains, and place another.`,
    facts: { limit: CAPTURES_MAX },
  };
}

function refuseStatus(draft: Draft, { debit, credit, hold }: PostingInput, place: string): Refusal | undefined {
  const [debited, credited] = [draft.account(debit), draft.account(credit)];
  if (debited.status === 'closed') return { refused: 'account_closed', param: `${place}/debit` };
  if (credited.status === 'closed') return { refused: 'account_closed', param: `${place}/credit` };
  // What was held before the freeze still leaves.
  if (debited.status === 'frozen' && hold === undefined) return { refused: 'account_frozen', param: `${place}/debit` };
  return undefined;
}
