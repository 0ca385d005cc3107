import type { AcquirerAnswer, AuthorizationFacts } from '../../acquirers/acquirer.ts';
import type { DeclineCode } from '../../acquirers/decline-codes.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

/** A fact of the acquirer's report that is not the operation's. */
export interface AcquirerMismatch {
  readonly kind: (typeof MISMATCH_KINDS)[number];
  /** In words, without personal text. */
  readonly detail: string;
}

export const MISMATCH_KINDS = ['acquirer_amount_mismatch', 'acquirer_currency_mismatch'] as const;

/** An acquirer's report of one operation, or `unknown` where a call had no answer. */
export interface AcquirerReport {
  readonly call: 'submit' | 'inquire' | 'notice' | 'cancel';
  /** The acquirer's own id of a notice: it may come twice, and is applied once. */
  readonly noticeId?: Uuid;
  /** A failure after a success: it is not applied before the success is. */
  readonly isLate?: boolean;
  /** Of a request to pay that was withdrawn: because it has expired. Else its payment was canceled. */
  readonly isExpiry?: boolean;
  readonly status: AcquirerAnswer['status'] | 'unknown';
  readonly code?: DeclineCode | undefined;
  readonly networkCode?: string | undefined;
  readonly reference?: string | undefined;
  readonly authorization?: AuthorizationFacts | undefined;
  readonly challenge?: { readonly url: string; readonly expiresAt: Instant } | undefined;
  /** For how long what it authorized can be captured, by the configuration. */
  readonly authorizationMs: number;
  readonly nextInquiryMs: number;
  /** Facts that differ from the operation's. A report with any of them does not end the operation. */
  readonly mismatches: readonly AcquirerMismatch[];
  /** The answer as it came. */
  readonly raw: unknown;
}

/**
 * A report of success must confirm the operation's amount and currency: each that is absent or differs is a mismatch.
 */
export function mismatchesOf(
  operation: { readonly amount: bigint; readonly currency: string },
  { status, confirmed }: Pick<AcquirerAnswer, 'status' | 'confirmed'>,
): readonly AcquirerMismatch[] {
  if (status !== 'succeeded') return [];
  const found: AcquirerMismatch[] = [];
  const { amount, currency } = confirmed ?? {};
  if (amount !== operation.amount)
    found.push({
      kind: 'acquirer_amount_mismatch',
      detail:
        amount === undefined
          ? 'The acquirer confirms no amount.'
          : `The acquirer confirms ${amount}; ${operation.amount} was asked for.`,
    });
  if (currency !== operation.currency)
    found.push({
      kind: 'acquirer_currency_mismatch',
      detail:
        currency === undefined
          ? 'The acquirer confirms no currency.'
          : `The acquirer confirms ${currency.slice(0, 16)}; ${operation.currency} was asked for.`,
    });
  return found;
}
