/**
 * A token: a card at its acquirer, known to the integrator by an id of ours. One-time, or kept for a customer: then it pays any number
 * of times. No number stands behind it here: the acquirer alone knows the card.
 * Next: payment-token-table.ts (rows), request-token.ts (how it is made), ../sources/token.ts (paying with it).
 */
import type { CardShown } from '../../acquirers/card.ts';
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Decline } from '../payment/payment.ts';

export type PaymentTokenStatus =
  /** Pays. A payment, or the integrator, moves it. */
  | 'active'
  /** One-time, and its payment was created, with whatever outcome. */
  | 'used'
  /** Its issuer declined the verification: it pays nothing. */
  | 'failed'
  /** The integrator deleted it. It is shown no more. */
  | 'deleted';

export const PAYMENT_TOKEN_TRANSITIONS: Transitions<PaymentTokenStatus> = {
  active: ['used', 'deleted'],
  used: [],
  failed: ['deleted'],
  deleted: [],
};

/** The issuer's answer to a verification, which charges nothing. */
export interface TokenVerification {
  readonly status: 'succeeded' | 'failed';
  readonly decline: Decline | null;
  /** Of the security code; null where none was given. */
  readonly cvc: string | null;
}

export interface PaymentToken {
  readonly id: Uuid;
  readonly status: PaymentTokenStatus;
  /** Kept for a customer: it pays any number of times. */
  readonly reusable: boolean;
  /** The integrator's own name of that customer. Null: one-time, or erased. */
  readonly customerReference: string | null;
  /** Hides the name behind its reference (ledger/rows/personal-text.ts). Null where no answer is stored that shows it. */
  readonly textSalt: Buffer | null;
  readonly acquirer: string;
  /** Stands for the card at this acquirer alone. Never shown. */
  readonly acquirerToken: string;
  readonly card: CardShown;
  readonly verification: TokenVerification | null;
  /** Of the verification, or of the payment that it was stored by: what later payments of the merchant name. */
  readonly networkReference: string | null;
  /** Of a one-time token, the payment that used it; of a kept one, the payment that it was stored by. */
  readonly paymentId: Uuid | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type PaymentTokenAction = 'delete';

export function allowedActions({ status }: Pick<PaymentToken, 'status'>): readonly PaymentTokenAction[] {
  return PAYMENT_TOKEN_TRANSITIONS[status].includes('deleted') ? ['delete'] : [];
}
