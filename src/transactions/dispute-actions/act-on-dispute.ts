/**
 * Cardholders' disputes: opened and withdrawn by whoever serves the cardholder, submitted and decided by the
 * processor's side. ../disputes/dispute-step.ts decides what a step books.
 */
import type { DisputeReason } from '../../acquirers/dispute-reasons.ts';
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import { openException } from '../../exceptions/open-exception.ts';
import { isLeftInClosed, waitInClosed } from '../../exceptions/wait-in-closed.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedAs, storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import { changeOf } from '../../ledger/resources/change-of.ts';
import { advance, begin } from '../../ledger/resources/resource.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { type AccountFlag, accountFacts } from '../booking/account-step.ts';
import type { RolePosting } from '../booking/book-posting.ts';
import { disputedOf } from '../disputes/dispute.ts';
import { type DisputeAction, transactionDisputeResource } from '../disputes/dispute-resource.ts';
import {
  DISPUTE_ACCOUNT_CLOSED,
  type DisputeStep,
  endDispute,
  openDispute,
  submitDispute,
} from '../disputes/dispute-step.ts';
import { DISPUTES_MAX, disputeIdsOf } from '../disputes/dispute-store.ts';
import { type StoredDispute, transactionDisputes } from '../disputes/dispute-table.ts';
import { inOrder } from '../purchase/message-flags.ts';
import { type StoredPurchase, transactions } from '../purchase/purchase-table.ts';

export interface OpenDisputeInput extends Asked {
  readonly transactionId: Uuid;
  /** Null: all that can be disputed. */
  readonly amount: bigint | null;
  readonly reason: DisputeReason;
}

interface DisputeRuntime {
  readonly pool: Pool;
}

export const requestDispute: UseCase<DisputeRuntime, OpenDisputeInput> = {
  async prepare({ pool }, input) {
    const { bookId, transactionId } = input;
    const purchase = await transactions.find(pool, bookId, transactionId);
    if (!purchase) throw new ApiError('resource_not_found', { param: 'id' });
    return { command: openDisputeCommand(input, await disputeIdsOf(pool, bookId, transactionId)) };
  },
};

/** `ids`: of the disputes that the purchase has had. */
export function openDisputeCommand(
  input: Pick<OpenDisputeInput, 'transactionId' | 'amount' | 'reason' | 'requestId' | 'actor'>,
  ids: readonly Uuid[],
): Command<Stored | Refusal> {
  const { transactionId, requestId, actor } = input;
  const origin = { id: newId(), requestId, actor };
  const id = newId();
  return {
    ...origin,
    name: 'transaction_dispute.open',
    touches: [
      { table: transactions, ids: [transactionId] },
      { table: transactionDisputes, ids: [...ids, id] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const purchase = draft.get(transactions, transactionId)!;
      const known = disputesOf(draft, purchase, ids);
      if (known.length >= DISPUTES_MAX) return draft.finish(tooMany());
      const opened = openDispute({ id, amount: input.amount }, purchase.amounts, known);
      if ('refused' in opened) return draft.finish(aboveMaximum(opened.limit));
      const { book: now } = moment;
      const dispute: StoredDispute = {
        ...opened,
        ...{ transactionId, ordinal: known.length + 1, accountId: purchase.accountId, currency: purchase.currency },
        ...{ reason: input.reason, entryIds: [], requestId, version: 1, createdAt: now, updatedAt: now },
      };
      const body = begin(draft, transactionDisputeResource, dispute, 'transaction_dispute.opened');
      countDisputes(draft, purchase, { all: [...known, dispute], flags: [] });
      return draft.finish<Stored>(storedAs(transactionDisputeResource, dispute, { status: 201, body }));
    },
  };
}

function tooMany(): Refusal {
  return {
    refused: 'limit_exceeded',
    detail: `A transaction has at most ${DISPUTES_MAX} disputes.`,
    facts: { limit: BigInt(DISPUTES_MAX) },
  };
}

function aboveMaximum(limit: bigint): Refusal {
  return {
    refused: 'amount_above_maximum',
    param: '/amount',
    detail: 'At most what is cleared, not refunded and not disputed already.',
    facts: { limit },
  };
}

/** In the order in which they were opened. Throws StaleRead where another was opened since they were read. */
function disputesOf(draft: Draft, purchase: StoredPurchase, ids: readonly Uuid[]): StoredDispute[] {
  if (purchase.disputes !== ids.length)
    throw new StaleRead('The disputes of the transaction have changed meanwhile. Send the request again.');
  return ids.map((id) => draft.get(transactionDisputes, id)!).toSorted((one, other) => one.ordinal - other.ordinal);
}

/**
 * The row of a purchase has its disputed amount and the flags of each step. A step is no message: no event announces
 * it.
 */
function countDisputes(
  draft: Draft,
  purchase: StoredPurchase,
  { all, flags }: { all: readonly StoredDispute[]; flags: readonly AccountFlag[] },
): void {
  const amounts = { ...purchase.amounts, disputed: disputedOf(all) };
  const { book: updatedAt } = draft.moment;
  draft.put(transactions, purchase.id, {
    ...purchase,
    flags: inOrder([...purchase.flags, ...flags]),
    ...{ amounts, disputes: all.length, version: purchase.version + 1, updatedAt },
  });
}

export interface DisputeActionInput extends Asked {
  /** Left out where the dispute is named alone. */
  readonly transactionId?: Uuid | undefined;
  readonly disputeId: Uuid;
  readonly ifMatch?: number | undefined;
}

const EVENTS: Readonly<Record<DisputeAction, 'submitted' | 'withdrawn' | 'won' | 'lost'>> = {
  submit: 'submitted',
  withdraw: 'withdrawn',
  win: 'won',
  lose: 'lost',
};

export function disputeAction(action: DisputeAction): UseCase<DisputeRuntime, DisputeActionInput> {
  return {
    async prepare({ pool }, input) {
      const { bookId, disputeId: id } = input;
      const dispute = await transactionDisputes.find(pool, bookId, id);
      if (!dispute || (input.transactionId ?? dispute.transactionId) !== dispute.transactionId)
        throw new ApiError('resource_not_found', { param: input.transactionId === undefined ? 'id' : 'dispute' });
      return {
        command: disputeCommand(action, input, {
          dispute,
          ids: await disputeIdsOf(pool, bookId, dispute.transactionId),
        }),
      };
    },
  };
}

/** `ids`: of all disputes of its purchase. */
export function disputeCommand(
  action: DisputeAction,
  input: Pick<DisputeActionInput, 'bookId' | 'requestId' | 'actor' | 'ifMatch'>,
  { dispute, ids }: { readonly dispute: StoredDispute; readonly ids: readonly Uuid[] },
): Command<Stored | Refusal> {
  const { id, transactionId, accountId, currency } = dispute;
  const touches = [
    { table: transactions, ids: [transactionId] },
    { table: transactionDisputes, ids },
    { table: accounts, ids: [accountId, chartAccountId(input.bookId, 'scheme_settlement', currency)] },
  ];
  return changeOf<StoredDispute, Stored>(
    transactionDisputeResource,
    { ...input, id, action, touches },
    (draft, current) => storedView(draft, transactionDisputeResource, act(draft, current, { action, ids })),
  );
}

function act(draft: Draft, dispute: StoredDispute, { action, ids }: { action: DisputeAction; ids: readonly Uuid[] }) {
  const purchase = draft.get(transactions, dispute.transactionId)!;
  const known = disputesOf(draft, purchase, ids);
  const account = accountFacts(draft.account(dispute.accountId));
  const status = EVENTS[action];
  const step: DisputeStep =
    status === 'submitted'
      ? submitDispute(dispute, { standing: purchase.amounts, disputes: known, account })
      : endDispute(dispute, { status, account });
  const entry = book(draft, dispute, { step, name: status });
  const changed = advance(
    draft,
    transactionDisputeResource,
    dispute,
    { status, credited: step.dispute.credited },
    { event: `transaction_dispute.${status}`, entries: entry ? [entry] : [] },
  );
  const all = known.map((one) => (one.id === changed.id ? changed : one));
  countDisputes(draft, purchase, { all, flags: step.flags });
  return changed;
}

/** Frozen and closed accounts are moved all the same; closed ones with an exception. */
function book(
  draft: Draft,
  dispute: StoredDispute,
  { step, name }: { step: DisputeStep; name: string },
): Entry | undefined {
  const { postings, exception } = step;
  const { id, accountId, currency } = dispute;
  if (postings.length === 0) return undefined;
  const about = {
    kind: DISPUTE_ACCOUNT_CLOSED,
    resource: 'transaction_dispute',
    resourceId: id,
    detail: `A dispute of a purchase was ${name} although the account is closed.`,
  } as const;
  const entry = draft.post({
    ...({ resource: 'transaction_dispute', resourceId: id, step: name } as const),
    postings: postings.map((one) => inAccounts(draft, one, { accountId, currency })),
    ...{ overrideFloor: true, allowFrozen: true, debitClosed: true },
    creditClosed: waitInClosed(draft, about),
  });
  const isCredited = step.account.posted > step.account.before.posted;
  const isAnnounced = isCredited && isLeftInClosed(draft.account(accountId));
  if (exception !== null && !isAnnounced) openException(draft, { id: draft.mintId(), ...about });
  return entry;
}

function inAccounts(
  draft: Draft,
  { debit, credit, amount }: RolePosting,
  { accountId, currency }: Pick<StoredDispute, 'accountId' | 'currency'>,
) {
  const of = (role: RolePosting['debit']) => (role === 'customer' ? accountId : draft.chart(role, currency).id);
  return { debit: of(debit), credit: of(credit), amount };
}
