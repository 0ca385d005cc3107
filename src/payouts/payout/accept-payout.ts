/** Accepting a payout: what is certain to fail is refused, everything else is held for and recorded in the same commit. */
import { resultingBalances } from '../../accounts/resulting-balances.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { previewOf } from '../../idempotency/stored-view.ts';
import { type Account, available } from '../../ledger/account.ts';
import { accounts } from '../../ledger/account-table.ts';
import type { BookId } from '../../ledger/book.ts';
import { chartAccountId } from '../../ledger/chart.ts';
import type { Command, Outcome, Refusal } from '../../ledger/command.ts';
import type { BookState } from '../../ledger/commit/state.ts';
import { Draft } from '../../ledger/draft.ts';
import { refuseTotals } from '../../ledger/rows/lifetime-total.ts';
import { indexMetadata } from '../../ledger/rows/metadata-store.ts';
import { hasText, newSalt } from '../../ledger/rows/personal-text.ts';
import { begin } from '../../ledger/rows/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { endToEndId } from '../../outside/end-to-end-id.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { Destination } from '../destinations/destination.ts';
import type { Payout } from './payout.ts';
import { payoutResource } from './payout-resource.ts';

/** A worker takes up a payout within milliseconds. When its job was lost, the sweeper enqueues another after this. */
const DUE_AFTER_MS = 5_000;

export interface AcceptPayout {
  /** Minted before: the destination is sealed for this row. */
  payoutId: Uuid;
  bookId: BookId;
  /** The account named, or the default of the currency; null when there is neither. */
  accountId: Uuid | null;
  amount: bigint;
  fee: bigint;
  currency: string;
  destination: Destination;
  /** Name of the rail that will carry it; null when no rail does. */
  rail: string | null;
  description: string | null;
  externalId: string | null;
  metadata: Record<string, string>;
  /** What the end-to-end id is derived from. */
  idempotencyKey: string;
  requestId: Uuid;
  actor: string;
  dryRun: boolean;
}

interface AcceptCommand {
  id: Uuid;
  holdId: Uuid;
  textSalt: Buffer | null;
  /** Accounts that the payout will pass, those that do not exist yet among them. */
  passes: readonly Uuid[];
  input: AcceptPayout;
}

export function acceptPayout(input: AcceptPayout): Command<Stored | Refusal> {
  const passes = accountsOnItsWay(input);
  const command: AcceptCommand = {
    id: newId(),
    holdId: newId(),
    textSalt: hasText(input) ? newSalt() : null,
    passes,
    input,
  };
  return {
    id: command.id,
    name: 'payout.accept',
    requestId: input.requestId,
    actor: input.actor,
    touches: [{ table: accounts, ids: passes }],
    decide: (state, moment) => decideAcceptance(state, command, moment),
  };
}

function decideAcceptance(state: BookState, command: AcceptCommand, moment: Moment): Outcome<Stored | Refusal> {
  const { input } = command;
  const origin = { id: command.id, requestId: input.requestId, actor: input.actor };
  const draft = new Draft(state, origin, moment);
  /** The answer alone: nothing of this draft is kept. */
  const only = <Answer>(answer: Answer) => new Draft(state, origin, moment).finish(answer);

  const source = input.accountId === null ? undefined : draft.get(accounts, input.accountId);
  const refusal = refuseSource(source, input) ?? refuseDestination(draft, input);
  if (refusal) return only(refusal);
  const required = input.amount + input.fee;
  const beyond = refuseTotals(draft, command.passes, { amount: required, currency: input.currency });
  if (beyond) return only(beyond);
  const hold = draft.placeHold({
    id: command.holdId,
    accountId: source!.id,
    resource: 'payout',
    resourceId: input.payoutId,
    amount: required,
  });
  if (!hold) {
    return only<Refusal>({
      refused: 'insufficient_funds',
      param: '/amount',
      detail: `The account has ${available(source!)} available; amount and fee require ${required}.`,
      facts: {
        available: available(source!),
        required,
        currency: input.currency,
        currency_exponent: currencyExponent(input.currency),
      },
    });
  }

  const payout = newPayout(command, moment);
  if (input.dryRun) {
    const balances = resultingBalances(draft.account(source!.id));
    return only<Stored>(previewOf(draft, payoutResource, payout, { resulting_balances: balances }));
  }
  const view = begin(draft, payoutResource, payout, 'payout.created');
  indexMetadata(draft, input.metadata, { object: 'payout', objectId: payout.id });
  draft.enqueue({ pool: 'ledger', job: 'payout.reserve', id: payout.id });
  return draft.finish({ status: 202, body: view, resource: 'payout', resourceId: payout.id });
}

function refuseSource(source: Account | undefined, input: AcceptPayout): Refusal | undefined {
  if (input.accountId === null)
    return {
      refused: 'resource_not_found',
      param: '/account',
      detail: `There is no account in ${input.currency} to pay from. Open one, or name an account.`,
    };
  if (source?.code !== 'customer')
    return { refused: 'resource_not_found', param: '/account', detail: 'There is no such account in this book.' };
  if (source.status === 'closed') return { refused: 'account_closed', param: '/account' };
  if (source.status === 'frozen') return { refused: 'account_frozen', param: '/account' };
  if (source.currency !== input.currency) {
    return {
      refused: 'currency_mismatch',
      param: '/currency',
      detail: `The account is kept in ${source.currency}.`,
      facts: { account_currency: source.currency },
    };
  }
  return undefined;
}

function refuseDestination(draft: Draft, input: AcceptPayout): Refusal | undefined {
  if (input.rail === null) return { refused: 'rail_unavailable', param: '/destination/type' };
  if (input.destination.type !== 'account') return undefined;
  const target = draft.get(accounts, input.destination.accountId);
  const param = '/destination/account';
  if (target?.code !== 'customer')
    return { refused: 'resource_not_found', param, detail: 'There is no such account in this book.' };
  if (target.id === input.accountId)
    return { refused: 'destination_invalid', param, detail: 'The destination is the account that pays.' };
  if (target.status === 'closed') return { refused: 'account_closed', param };
  if (target.currency !== input.currency) {
    return {
      refused: 'currency_mismatch',
      param,
      detail: `The destination account is kept in ${target.currency}.`,
      facts: { account_currency: target.currency },
    };
  }
  return undefined;
}

function accountsOnItsWay({ bookId, accountId, currency, destination, fee }: AcceptPayout): Uuid[] {
  const ids = [chartAccountId(bookId, 'payouts_in_transit', currency)];
  if (accountId !== null) ids.push(accountId);
  ids.push(destination.type === 'account' ? destination.accountId : chartAccountId(bookId, 'pool', currency));
  if (fee > 0n) ids.push(chartAccountId(bookId, 'due_operator', currency));
  return ids;
}

function newPayout({ holdId, textSalt, input }: AcceptCommand, moment: Moment): Payout {
  return {
    id: input.payoutId,
    status: 'pending',
    accountId: input.accountId!,
    holdId,
    amount: input.amount,
    fee: input.fee,
    amountReturned: 0n,
    returns: 0,
    currency: input.currency,
    rail: input.rail!,
    destination: input.destination,
    description: input.description,
    externalId: input.externalId,
    metadata: input.metadata,
    textSalt,
    endToEndId: endToEndId(input.bookId, input.idempotencyKey),
    outcome: null,
    inquiries: 0,
    nextInquiryAt: null,
    sentAt: null,
    failureCode: null,
    railCode: null,
    railReference: null,
    entryIds: [],
    firstEvent: null,
    requestId: input.requestId,
    version: 1,
    dueAt: moment.wall + DUE_AFTER_MS,
    createdAt: moment.book,
    updatedAt: moment.book,
  };
}
