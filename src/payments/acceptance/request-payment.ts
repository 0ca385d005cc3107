/** What a request for a payment becomes: its account found, its source prepared, its fee pinned, its acquirer chosen. */
import { defaultAccounts } from '../../accounts/account-profile-table.ts';
import type { BillingAddress } from '../../acquirers/acquirer.ts';
import type { Acquirers } from '../../acquirers/acquirers.ts';
import type { Config } from '../../config.ts';
import { ApiError } from '../../errors/errors.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Account } from '../../ledger/account.ts';
import type { BookId, Mode } from '../../ledger/book.ts';
import { ChangedMeanwhile } from '../../ledger/commit/changed-meanwhile.ts';
import type { RecentAccounts } from '../../ledger/recent-accounts.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { sealBilling } from '../payment/billing.ts';
import type { CaptureMode, Recurring } from '../payment/payment.ts';
import type { PreparedSource, SourceRuntime } from '../sources/source.ts';
import { acceptPayment, type PaymentTerms, refuseTerms } from './accept-payment.ts';
import { feeFixedOf, type PaymentFeeSetting } from './payment-fee.ts';
import { refuseContradictions } from './request-rules.ts';
import { asksAcquirer, prepareSource, type SourceInput } from './sources.ts';

export interface PaymentRuntime extends OnceRuntime, SourceRuntime {
  readonly config: Pick<Config, PaymentFeeSetting>;
  readonly acquirers: Pick<Acquirers, 'ofMode'>;
  readonly recentAccounts: RecentAccounts;
}

export interface PaymentInput extends Asked {
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

/** Of a payment that is refused before its source matters. Where it no longer is, it is prepared after all. */
const UNPREPARED: PreparedSource = {
  ...{ card: null, token: null, nextAction: null, expiresAfterMs: null, touches: [] },
  begin() {
    throw new ChangedMeanwhile('The account of the payment has changed meanwhile.');
  },
};

/** A hosted page of an acquirer keeps no card for us. */
const KEPT_ELSEWHERE =
  "On the acquirer's own page the payer gives the card to the acquirer. Keep it with POST /v1/payments/tokens, by the acquirer's token.";

/** A card is exchanged before anything is committed. So a repeat is answered from its key, and asks the acquirer nothing. */
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
    const fee = { fixed: feeFixedOf(PAYMENT_FEE_FIXED, currency), basisPoints: BigInt(PAYMENT_FEE_BASIS_POINTS) };
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
