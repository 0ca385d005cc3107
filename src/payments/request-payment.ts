/** What a request for a payment becomes: its account found, its card exchanged for a token, its fee pinned, its acquirer chosen. */
import { defaultAccounts } from '../accounts/account-profile-table.ts';
import { type Acquirer, CardRefused } from '../acquirers/acquirer.ts';
import type { Acquirers } from '../acquirers/acquirers.ts';
import type { CardInput, CardShown } from '../acquirers/card.ts';
import type { Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors.ts';
import type { Fingerprints } from '../idempotency/fingerprints.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import type { Uuid } from '../ids.ts';
import type { Mode } from '../ledger/book.ts';
import { PartyUnreachable } from '../outside/party.ts';
import { acceptPayment } from './accept-payment.ts';
import type { CaptureMode, Recurring } from './payment.ts';
import { feeFixedOf, type PaymentFeeSetting } from './payment-fee.ts';

export interface PaymentRuntime extends OnceRuntime {
  readonly config: Pick<Config, PaymentFeeSetting>;
  readonly pool: Pool;
  readonly acquirers: Pick<Acquirers, 'ofMode'>;
  readonly fingerprints: Fingerprints;
}

export type SourceInput = { readonly type: 'card'; readonly card: CardInput };

export interface PaymentInput extends Asked {
  readonly mode: Mode;
  readonly amount: bigint;
  readonly currency: string;
  readonly source: SourceInput;
  readonly captureMode: CaptureMode;
  readonly accountId?: Uuid | undefined;
  readonly initiator: 'customer' | 'merchant';
  readonly recurring: Recurring | null;
  readonly statementDescriptor?: string | null | undefined;
  readonly returnUrl?: string | null | undefined;
  readonly cancelUrl?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly metadata?: Record<string, string> | undefined;
}

/** The card is exchanged before anything is committed. So a repeat is answered from its key, and asks the acquirer nothing. */
export const requestPayment: UseCase<PaymentRuntime, PaymentInput> = {
  keyFirst: true,
  async prepare(runtime, input) {
    const acquirer = runtime.acquirers.ofMode(input.mode);
    const accountId =
      input.accountId ?? (await defaultAccounts.find(runtime.pool, input.bookId, input.currency))?.accountId ?? null;
    const { token, card } = acquirer ? await exchange(runtime, acquirer, input) : { token: null, card: null };
    const { PAYMENT_FEE_BASIS_POINTS, PAYMENT_FEE_FIXED } = runtime.config;
    const command = acceptPayment({
      bookId: input.bookId,
      accountId,
      amount: input.amount,
      currency: input.currency,
      captureMode: input.captureMode,
      sourceType: input.source.type,
      acquirer: acquirer?.name ?? null,
      card,
      token,
      initiator: input.initiator,
      recurring: input.recurring,
      fee: { fixed: feeFixedOf(PAYMENT_FEE_FIXED, input.currency), basisPoints: BigInt(PAYMENT_FEE_BASIS_POINTS) },
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
      dryRun: input.dryRun ?? false,
    });
    return { command };
  },
};

/** Throws ApiError `card_number_not_allowed` for a number that is no test number, `service_unavailable` without an answer. */
async function exchange(
  runtime: PaymentRuntime,
  acquirer: Acquirer,
  { bookId, source }: PaymentInput,
): Promise<{ token: string; card: CardShown }> {
  try {
    const { token, card } = await acquirer.tokenize(source.card, { originator: bookId, reusable: false });
    const fingerprint = runtime.fingerprints.digestOf(`card ${bookId} ${source.card.number}`).slice(0, 32);
    return { token, card: { ...card, fingerprint } };
  } catch (error) {
    if (error instanceof CardRefused)
      throw new ApiError('card_number_not_allowed', {
        param: '/source/number',
        detail: 'In test mode only the published test numbers are taken, such as 4242 4242 4242 4242.',
      });
    if (error instanceof PartyUnreachable)
      throw new ApiError('service_unavailable', {
        detail: 'The acquirer gave no answer to the card. Nothing was created; send the request again.',
        headers: { 'Retry-After': '1' },
      });
    throw error;
  }
}
