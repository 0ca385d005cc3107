/** Accepting a payment: what is certain to fail is refused; everything else is recorded with what is sent to the acquirer. */

import { defaultAccounts } from '../../accounts/account/account-profile-table.ts';
import type { BillingAddress } from '../../acquirers/acquirer.ts';
import type { Acquirers } from '../../acquirers/acquirers.ts';
import type { Config } from '../../config.ts';
import { ApiError } from '../../errors/errors.ts';
import { feeOf } from '../../fees/fee-schedule.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { previewOf } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { RecentAccounts } from '../../ledger/account/recent-accounts.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Command, Outcome, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { refuseTotals } from '../../ledger/command/lifetime-total.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { begin } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { newOperation, startOperation } from '../operations/new-operation.ts';
import { sealBilling } from '../payment/billing.ts';
import {
  type CaptureMode,
  hasPaymentText,
  type Payment,
  type Recurring,
  type SourceType,
  scheduleOf,
} from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { passedAccounts } from '../readers/payment-touches.ts';
import type { PreparedSource, SourceRuntime } from '../sources/source.ts';
import { refuseContradictions } from './request-rules.ts';
import { asksAcquirer, prepareSource, type SourceInput } from './sources.ts';

export interface AcceptPayment {
  /** Minted before: its source may be prepared for it. */
  readonly paymentId: Uuid;
  readonly bookId: BookId;
  /** The account named, or the default of the currency; null when there is neither. */
  readonly accountId: Uuid | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly captureMode: CaptureMode;
  readonly sourceType: SourceType;
  /** Null when none takes payments of this book. */
  readonly acquirer: string | null;
  readonly source: PreparedSource;
  readonly initiator: 'customer' | 'merchant';
  readonly recurring: Recurring | null;
  readonly storeFor: string | null;
  readonly billingSealed: Buffer | null;
  readonly fee: { readonly fixed: bigint; readonly basisPoints: bigint };
  readonly statementDescriptor: string | null;
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  readonly description: string | null;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
  /** What the reference at the acquirer is derived from. */
  readonly idempotencyKey: string;
  readonly requestId: Uuid;
  readonly actor: string;
  readonly dryRun: boolean;
}

interface AcceptCommand {
  readonly id: Uuid;
  readonly operationId: Uuid;
  readonly textSalt: Buffer | null;
  readonly passes: readonly Uuid[];
  readonly input: AcceptPayment;
}

export function acceptPayment(input: AcceptPayment): Command<Stored | Refusal> {
  const passes = passedAccounts(input.bookId, input);
  const command: AcceptCommand = {
    id: newId(),
    operationId: newId(),
    textSalt: hasPaymentText(input) ? newSalt() : null,
    passes,
    input,
  };
  return {
    id: command.id,
    name: 'payment.accept',
    requestId: input.requestId,
    actor: input.actor,
    touches: [{ table: accounts, ids: passes }, ...input.source.touches],
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
  const refusal = refuseTerms(account, input) ?? refuseTotals(draft, command.passes, input);
  if (refusal) return only(refusal);

  const payment = newPayment(command, moment);
  const refused = input.source.begin?.(draft, payment);
  if (refused) return only(refused);
  if (input.dryRun) {
    const fee = feeOf(input.amount, scheduleOf(payment));
    // No page is there for a payment that is not: the link would lead nowhere.
    return only<Stored>(previewOf(draft, paymentResource, { ...payment, fee }, { next_action: null }));
  }
  const view = begin(draft, paymentResource, payment, 'payment.created');
  indexMetadata(draft, input.metadata, { object: 'payment', objectId: payment.id });
  const { token } = input.source;
  if (isSent(input.source)) {
    const authorization = {
      id: command.operationId,
      kind: 'authorize' as const,
      amount: input.amount,
      reference: endToEndId(input.bookId, input.idempotencyKey),
      of: null,
      token,
      final: input.captureMode === 'automatic',
      payerUntil: input.source.isRequest ? payment.dueAt : null,
      requestId: input.requestId,
    };
    startOperation(draft, newOperation(payment, authorization, moment));
  }
  return draft.finish({ status: 202, body: view, resource: 'payment', resourceId: payment.id });
}

type PaymentTerms = Pick<AcceptPayment, 'accountId' | 'amount' | 'currency' | 'acquirer' | 'fee'>;

/** By the account as it is: under the lock, or as it was read before anybody outside is asked. */
function refuseTerms(account: Account | undefined, terms: PaymentTerms): Refusal | undefined {
  return refuseAccount(account, terms) ?? refuseAmount(terms);
}

function refuseAccount(account: Account | undefined, input: PaymentTerms): Refusal | undefined {
  const param = '/account';
  if (input.accountId === null)
    return {
      refused: 'resource_not_found',
      param,
      detail: `There is no account in ${input.currency} to credit. Open one, or name an account.`,
    };
  if (account?.code !== 'customer')
    return { refused: 'resource_not_found', param, detail: 'There is no such account in this book.' };
  if (account.status === 'closed') return { refused: 'account_closed', param };
  if (account.currency !== input.currency) {
    return {
      refused: 'currency_mismatch',
      param: '/currency',
      detail: `The account is kept in ${account.currency}.`,
      facts: { account_currency: account.currency },
    };
  }
  if (input.acquirer === null)
    return {
      refused: 'acquirer_unavailable',
      param: '/source/type',
      detail: 'No acquirer is configured for live payments. Use a test key, or ask the operator to configure one.',
    };
  return undefined;
}

/** The merchant must earn something: a fee that reaches the amount is refused. */
function refuseAmount({ amount, fee: { fixed, basisPoints } }: PaymentTerms): Refusal | undefined {
  const fee = feeOf(amount, scheduleOf({ feeFixed: fixed, feeBasisPoints: basisPoints }));
  if (fee < amount) return undefined;
  return {
    refused: 'amount_below_minimum',
    param: '/amount',
    detail: `The fee of ${fee} would reach the amount.`,
    facts: { limit: fee + 1n },
  };
}

/** Whether the acquirer is called at once. */
function isSent({ token, isRequest }: PreparedSource): boolean {
  return token !== null || isRequest === true;
}

function newPayment({ operationId, textSalt, input }: AcceptCommand, moment: Moment): Payment {
  const { card, nextAction, expiresAfterMs } = input.source;
  const expiresAt = input.source.expiresAt ?? (expiresAfterMs === null ? null : moment.book + expiresAfterMs);
  return {
    id: input.paymentId,
    status: isSent(input.source) ? 'processing' : 'requires_action',
    accountId: input.accountId!,
    amount: input.amount,
    currency: input.currency,
    captureMode: input.captureMode,
    sourceType: input.sourceType,
    acquirer: input.acquirer!,
    card,
    sourceFacts: input.source.facts ?? null,
    aliasSealed: input.source.aliasSealed ?? null,
    billingSealed: input.billingSealed,
    storeFor: input.storeFor,
    storedTokenId: null,
    initiator: input.initiator,
    recurring: input.recurring,
    amountAuthorized: 0n,
    amountCaptured: 0n,
    amountRefunded: 0n,
    amountRefunding: 0n,
    amountDisputed: 0n,
    disputes: 0,
    amountSettled: 0n,
    amountTip: 0n,
    feeFixed: input.fee.fixed,
    feeBasisPoints: input.fee.basisPoints,
    fee: 0n,
    feeRefunded: 0n,
    authorization: null,
    decline: null,
    attempts: [],
    nextAction,
    checkoutDigest: input.source.checkoutDigest ?? null,
    pendingOperation: isSent(input.source) ? operationId : null,
    authorizedBy: null,
    outcome: null,
    nextInquiryAt: null,
    expiresAt,
    availableOn: null,
    statementDescriptor: input.statementDescriptor,
    returnUrl: input.returnUrl,
    cancelUrl: input.cancelUrl,
    description: input.description,
    externalId: input.externalId,
    metadata: input.metadata,
    textSalt,
    requestId: input.requestId,
    version: 1,
    dueAt: expiresAt === null ? null : moment.wall + (expiresAt - moment.book),
    createdAt: moment.book,
    updatedAt: moment.book,
  };
}

interface PaymentRuntime extends OnceRuntime, SourceRuntime {
  readonly config: Pick<Config, 'PAYMENT_FEE_BASIS_POINTS' | 'PAYMENT_FEE_FIXED'>;
  readonly acquirers: Pick<Acquirers, 'ofMode'>;
  readonly recentAccounts: RecentAccounts;
}

interface PaymentInput extends Asked {
  readonly mode: Mode;
  readonly amount: bigint;
  readonly currency: string;
  readonly source: SourceInput;
  readonly captureMode: CaptureMode;
  readonly accountId?: Uuid | undefined;
  readonly initiator: 'customer' | 'merchant';
  readonly recurring: Recurring | null;
  /** The customer for whom its card is kept once it is authorized. */
  readonly storeFor?: string | undefined;
  readonly billing?: BillingAddress | undefined;
  readonly statementDescriptor?: string | null | undefined;
  readonly returnUrl?: string | null | undefined;
  readonly cancelUrl?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly metadata?: Record<string, string> | undefined;
}

/**
 * Of a payment that is refused before its source matters. If the refusal no longer applies at the commit, it is
 * prepared anew.
 */
const UNPREPARED: PreparedSource = {
  ...{ card: null, token: null, nextAction: null, expiresAfterMs: null, touches: [] },
  begin() {
    throw new StaleRead('The account of the payment has changed meanwhile.');
  },
};

/** A hosted page of an acquirer keeps no card for us. */
const KEPT_ELSEWHERE =
  "On the acquirer's own page the payer gives the card to the acquirer. Keep it with POST /v1/payments/tokens, by the acquirer's token.";

/**
 * Finds the account, prepares the source, pins the fee and chooses the acquirer. A card is exchanged before anything is
 * committed. So a repeat is answered from its key, and asks the acquirer nothing.
 */
export const requestPayment: UseCase<PaymentRuntime, PaymentInput> = {
  keyFirst: true,
  async prepare(runtime, input) {
    refuseContradictions(input);
    const { bookId, dryRun = false } = input;
    const acquirer = runtime.acquirers.ofMode(input.mode);
    const accountId =
      input.accountId ?? (await defaultAccounts.find(runtime.pool, bookId, input.currency))?.accountId ?? null;
    const { storeFor = null, billing } = input;
    if (storeFor !== null && input.source.type === 'checkout' && acquirer?.hostedSession)
      throw new ApiError('parameter_invalid', { param: '/store_for', detail: KEPT_ELSEWHERE });
    const paymentId = newId();
    const { PAYMENT_FEE_BASIS_POINTS, PAYMENT_FEE_FIXED } = runtime.config;
    const { amount, currency, captureMode } = input;
    // In minor units; not every currency has a fixed part.
    const fee = { fixed: PAYMENT_FEE_FIXED.get(currency) ?? 0n, basisPoints: BigInt(PAYMENT_FEE_BASIS_POINTS) };
    const terms: PaymentTerms = { accountId, amount, currency, acquirer: acquirer?.name ?? null, fee };
    const asks = asksAcquirer(input.source) && !dryRun;
    const reusable = storeFor !== null;
    const source =
      !acquirer || (asks && (await isRefused(runtime, bookId, terms)))
        ? UNPREPARED
        : await prepareSource(runtime, input.source, { bookId, acquirer, paymentId, captureMode, dryRun, reusable });
    // Written out: an object that is spread before so many members is built slowly, and read slowly ever after.
    const command = acceptPayment({
      accountId,
      amount,
      currency,
      acquirer: terms.acquirer,
      fee,
      paymentId,
      bookId,
      captureMode,
      sourceType: input.source.type,
      source,
      initiator: input.initiator,
      recurring: input.recurring,
      storeFor,
      billingSealed: billing ? sealBilling(runtime.secretBox, billing, { bookId, paymentId }) : null,
      statementDescriptor: input.statementDescriptor ?? null,
      returnUrl: input.returnUrl ?? null,
      cancelUrl: input.cancelUrl ?? null,
      description: input.description ?? null,
      externalId: input.externalId ?? null,
      metadata: input.metadata ?? {},
      // A dry run needs no key. Its reference belongs to no payment.
      idempotencyKey: input.idempotencyKey ?? input.requestId,
      requestId: input.requestId,
      actor: input.actor,
      dryRun,
    });
    return { command };
  },
};

/** A payment that is certain to be refused asks the acquirer nothing. The decision under the lock refuses it, and judges again. */
async function isRefused(runtime: PaymentRuntime, bookId: BookId, terms: PaymentTerms): Promise<boolean> {
  if (terms.accountId === null) return refuseTerms(undefined, terms) !== undefined;
  const isTaken = (account: Account | undefined) => refuseTerms(account, terms) === undefined;
  return !(await runtime.recentAccounts.isFit(bookId, terms.accountId, isTaken));
}
