/** Accepting a payout: what is certain to fail is refused, everything else is held for and recorded in the same commit. */
import { defaultAccounts } from '../../accounts/account/account-profile-table.ts';
import { resultingBalances } from '../../accounts/account/resulting-balances.ts';
import type { Config } from '../../config.ts';
import type { Pool } from '../../db/pool.ts';
import { feeOf, proportionalFee } from '../../fees/fee-schedule.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { previewOf, storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Command, Outcome, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { advance, begin } from '../../ledger/resources/resource.ts';
import { hasText, newSalt } from '../../ledger/rows/personal-text.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import type { Rails } from '../../rails/rails.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { FeeSetting } from '../destinations/destination.ts';
import { feeSettingOf } from '../destinations/destinations.ts';
import { isRefusal } from '../destinations/find-card.ts';
import { limitTouches, putCounter, withinLimits } from '../limits/count-payout.ts';
import { payees } from '../payees/payee-table.ts';
import { type JudgedPayout, type NeededApproval, neededApproval } from '../policies/approval-policy.ts';
import { approvalPolicies } from '../policies/approval-policy-table.ts';
import { arrivalOf, type PayoutRouting, type RoutingRuntime, UNROUTED } from '../routing/route-payout.ts';
import { newApproval } from './approval.ts';
import { holdPayout } from './hold-payout.ts';
import { payoutOf } from './new-payout.ts';
import type { Payout } from './payout.ts';
import { payoutResource } from './payout-resource.ts';
import { payouts } from './payout-table.ts';
import {
  type PayoutDestinationInput,
  type PlacedDestination,
  type PlaceRuntime,
  placeDestination,
  placedTouches,
  refusePlaced,
  usePlaced,
} from './place-destination.ts';
import { refuseOffered } from './refuse-offered.ts';
import { routePlaced } from './route-placed.ts';
import { dueInWallTime, releaseAt, type ScheduledFor } from './schedule.ts';

export interface AcceptPayout extends PlacedDestination {
  /** Minted before: the destination is sealed for this row. */
  payoutId: Uuid;
  bookId: BookId;
  /** The account named, or the default of the currency; null when there is neither. */
  accountId: Uuid | null;
  amount: bigint;
  fee: bigint;
  currency: string;
  /** By the settings of the operator; left out where they have nothing about it. */
  routing?: PayoutRouting;
  description: string | null;
  /** Null: the description travels with the money. */
  remittance?: string | null | undefined;
  purposeCode?: string | null | undefined;
  externalId: string | null;
  metadata: Record<string, string>;
  /** What the end-to-end id is derived from. */
  idempotencyKey: string;
  requestId: Uuid;
  actor: string;
  dryRun: boolean;
  /** Left out: it is released at once. */
  scheduledFor?: ScheduledFor | undefined;
  /** Whoever makes it asks for an approval. */
  approvalRequested?: boolean | undefined;
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
    textSalt: hasText(input) || input.remittance != null ? newSalt() : null,
    passes,
    input,
  };
  return {
    id: command.id,
    name: 'payout.accept',
    requestId: input.requestId,
    actor: input.actor,
    touches: [
      { table: accounts, ids: passes },
      { table: approvalPolicies, ids: [input.bookId] },
      ...placedTouches(input),
      ...limitTouches(input.bookId, { currency: input.currency, limits: input.routing?.limits ?? null }),
    ],
    decide: (state, moment) => decideAcceptance(state, command, moment),
  };
}

function decideAcceptance(state: BookState, command: AcceptCommand, moment: Moment): Outcome<Stored | Refusal> {
  const { input } = command;
  const origin = { id: command.id, requestId: input.requestId, actor: input.actor };
  const draft = new Draft(state, origin, moment);
  /** The answer alone: nothing of this draft is kept. */
  const only = <Answer>(answer: Answer) => new Draft(state, origin, moment).finish(answer);

  const account = input.accountId === null ? undefined : draft.get(accounts, input.accountId);
  const refusal = refuseAccount(account, input) ?? refuseDestination(draft, input);
  if (refusal) return only(refusal);
  const approval = neededApproval(draft.get(approvalPolicies, input.bookId)?.policy, judged(draft, input));
  if (approval !== null || input.scheduledFor !== undefined) {
    const unusable = usePlaced(draft, input);
    return unusable ? only(unusable) : acceptWaiting(draft, command, approval);
  }
  const within = withinLimits(draft, { ...input, limits: input.routing?.limits ?? null });
  if (within.refused) return only(within);
  const payout = newPayout(command, moment, within.counter?.day ?? null);
  const beyond = holdPayout(draft, payout, command.passes);
  if (beyond) return only(beyond);
  putCounter(draft, within);
  const unusable = usePlaced(draft, input);
  if (unusable) return only(unusable);
  if (input.dryRun) return only<Stored>(preview(draft, payout));
  const view = begin(draft, payoutResource, payout, 'payout.created');
  indexMetadata(draft, input.metadata, { object: 'payout', objectId: payout.id });
  draft.enqueue({ pool: 'ledger', job: 'payout.reserve', id: payout.id });
  return draft.finish({ status: 202, body: view, resource: 'payout', resourceId: payout.id });
}

function preview(draft: Draft, payout: Payout): Stored {
  const balances = resultingBalances(draft.account(payout.accountId));
  return previewOf(draft, payoutResource, payout, { resulting_balances: balances });
}

/**
 * What the policy looks at. A destination is new until a payout to it was approved: one that is no saved payee always, and an account of
 * the book never.
 */
function judged(draft: Draft, input: AcceptPayout): JudgedPayout {
  const { amount, currency, rail, destination, payee, approvalRequested } = input;
  const isKnown = payee ? draft.get(payees, payee.id)?.approvedVersion === payee.version : false;
  const isNewPayee = destination.type !== 'account' && !isKnown;
  return { amount, currency, rail, isRequested: approvalRequested === true, isNewPayee };
}

/** It waits for people or for its time: nothing is held until its release. What it waits for is a second step of the same commit. */
function acceptWaiting(draft: Draft, command: AcceptCommand, needed: NeededApproval | null): Outcome<Stored | Refusal> {
  const { input } = command;
  const { scheduledFor } = input;
  const at = scheduledFor === undefined ? null : releaseAt(scheduledFor, draft.book, draft.moment.book);
  const payout: Payout = {
    ...newPayout(command, draft.moment, null),
    status: needed === null ? 'scheduled' : 'requires_approval',
    unheld: true,
    approval: needed && newApproval(needed, input.actor),
    scheduledFor: at,
    expectedArrival: arrivalOf(input.routing ?? UNROUTED, at ?? draft.moment.book),
    dueAt: needed === null ? dueInWallTime(at!, draft.moment) : null,
  };
  if (input.dryRun) return draft.finish(preview(draft, payout));
  begin(draft, payoutResource, payout, 'payout.created');
  const event = needed === null ? 'payout.scheduled' : 'payout.requires_approval';
  const waiting = advance(draft, payoutResource, draft.get(payouts, payout.id)!, {}, { event });
  indexMetadata(draft, input.metadata, { object: 'payout', objectId: payout.id });
  return draft.finish({ ...storedView(draft, payoutResource, waiting), status: 202 });
}

function refuseAccount(account: Account | undefined, input: AcceptPayout): Refusal | undefined {
  if (input.accountId === null)
    return {
      refused: 'resource_not_found',
      param: '/account',
      detail: `There is no account in ${input.currency} to pay from. Open one, or name an account.`,
    };
  if (account?.code !== 'customer')
    return { refused: 'resource_not_found', param: '/account', detail: 'There is no such account in this book.' };
  if (account.status === 'closed') return { refused: 'account_closed', param: '/account' };
  if (account.status === 'frozen') return { refused: 'account_frozen', param: '/account' };
  if (account.currency !== input.currency) {
    return {
      refused: 'currency_mismatch',
      param: '/currency',
      detail: `The account is kept in ${account.currency}.`,
      facts: { account_currency: account.currency },
    };
  }
  return undefined;
}

function refuseDestination(draft: Draft, input: AcceptPayout): Refusal | undefined {
  const refusal = refusePlaced(draft, input, input.routing?.noRoute);
  if (refusal) return refusal;
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

function newPayout({ holdId, textSalt, input }: AcceptCommand, moment: Moment, countedOn: string | null): Payout {
  const { routing = UNROUTED } = input;
  return payoutOf(
    {
      id: input.payoutId,
      accountId: input.accountId!,
      holdId,
      amount: input.amount,
      fee: input.fee,
      currency: input.currency,
      rail: input.rail!,
      destination: input.destination,
      payee: input.payee ?? null,
      description: input.description,
      remittance: input.remittance ?? null,
      purposeCode: input.purposeCode ?? null,
      externalId: input.externalId,
      metadata: input.metadata,
      textSalt,
      endToEndId: endToEndId(input.bookId, input.idempotencyKey),
      configuration: routing.configuration,
      expectedArrival: arrivalOf(routing, moment.book),
      countedOn,
      batchId: null,
      requestId: input.requestId,
    },
    moment,
  );
}

export interface PayoutRuntime extends OnceRuntime, PlaceRuntime, RoutingRuntime {
  readonly rails: Pick<Rails, 'carrying' | 'all' | 'get'>;
  readonly pool: Pool;
  readonly config: Pick<Config, FeeSetting>;
}

export interface PayoutInput extends Asked {
  mode: Mode;
  amount: bigint;
  currency: string;
  destination: PayoutDestinationInput;
  accountId?: Uuid;
  description?: string | null;
  remittance?: string | null;
  purposeCode?: string | null;
  scheduledFor?: ScheduledFor;
  approval?: 'required';
  externalId?: string | null;
  metadata?: Record<string, string>;
}

/** Finds the account, works out the fee, seals the destination and chooses the rail. */
export const requestPayout: UseCase<PayoutRuntime, PayoutInput> = {
  async prepare(runtime, input) {
    const accountId =
      input.accountId ?? (await defaultAccounts.find(runtime.pool, input.bookId, input.currency))?.accountId ?? null;
    const payoutId = newId();
    const { bookId, mode, amount, currency } = input;
    const placed = await placeDestination(runtime, { bookId, mode, payoutId, amount, currency }, input.destination);
    if (isRefusal(placed)) return { command: refusing(input, placed) };
    const { destination, payee, card } = placed;
    const routing = routePlaced(runtime, input, placed);
    const { remittance = null } = input;
    const offered = { placed: { ...placed, rail: routing.rail }, amount, currency, remittance };
    const refusal = refuseOffered(runtime, { bookId, mode, payoutId }, offered);
    if (refusal) return { command: refusing(input, refusal) };
    const command = acceptPayout({
      payoutId,
      bookId: input.bookId,
      accountId,
      amount: input.amount,
      fee: feeOf(input.amount, routing.fee ?? proportionalFee(BigInt(runtime.config[feeSettingOf(destination.type)]))),
      currency: input.currency,
      destination,
      rail: routing.rail,
      routing,
      payee,
      card,
      description: input.description ?? null,
      remittance: input.remittance,
      purposeCode: input.purposeCode,
      externalId: input.externalId ?? null,
      metadata: input.metadata ?? {},
      // A dry run needs no key. Its end-to-end id belongs to no payout.
      idempotencyKey: input.idempotencyKey ?? input.requestId,
      requestId: input.requestId,
      actor: input.actor,
      dryRun: input.dryRun ?? false,
      scheduledFor: input.scheduledFor,
      approvalRequested: input.approval === 'required',
    });
    return { command };
  },
};

/** What is refused whatever the state is, under its key as any refusal. */
function refusing({ requestId, actor }: Asked, refusal: Refusal): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name: 'payout.accept',
    touches: [],
    decide: (state, moment) => new Draft(state, origin, moment).finish(refusal),
  };
}
