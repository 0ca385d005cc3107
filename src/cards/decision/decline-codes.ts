/**
 * Why we decline, in the order in which rules decide, with the answer on the network (ISO 8583, field 39). 91 (issuer unavailable) is no
 * answer of ours: networks would stand in.
 */
import type { ClosedReason } from '../card/card.ts';

export type RuleName =
  | 'purchase'
  | 'card_status'
  | 'token_status'
  | 'account_status'
  | 'currency'
  | 'expiry'
  | 'cvv'
  | 'pin'
  | 'entry_mode'
  | 'cash'
  | 'country'
  | 'mcc'
  | 'merchant'
  | 'three_d_secure'
  | 'limit'
  | 'funds'
  | 'decision';

interface Decline {
  readonly rule: RuleName;
  /** Field 39. */
  readonly networkCode: string;
}

/** In the order in which they decide. */
export const DECLINES = {
  already_reversed: { rule: 'purchase', networkCode: '12' },
  authorization_closed: { rule: 'purchase', networkCode: '12' },
  card_closed: { rule: 'card_status', networkCode: '46' },
  card_not_active: { rule: 'card_status', networkCode: '78' },
  card_expired: { rule: 'card_status', networkCode: '54' },
  card_frozen: { rule: 'card_status', networkCode: '62' },
  token_not_active: { rule: 'token_status', networkCode: '62' },
  token_suspended: { rule: 'token_status', networkCode: '62' },
  account_closed: { rule: 'account_status', networkCode: '46' },
  account_frozen: { rule: 'account_status', networkCode: '62' },
  currency_not_supported: { rule: 'currency', networkCode: '57' },
  expiry_mismatch: { rule: 'expiry', networkCode: '54' },
  cvv_incorrect: { rule: 'cvv', networkCode: 'N7' },
  pin_blocked: { rule: 'pin', networkCode: '75' },
  pin_incorrect: { rule: 'pin', networkCode: '55' },
  entry_mode_blocked: { rule: 'entry_mode', networkCode: '57' },
  cash_blocked: { rule: 'cash', networkCode: '57' },
  country_blocked: { rule: 'country', networkCode: '62' },
  mcc_blocked: { rule: 'mcc', networkCode: '57' },
  merchant_blocked: { rule: 'merchant', networkCode: '57' },
  three_d_secure_required: { rule: 'three_d_secure', networkCode: '1A' },
  limit_per_authorization: { rule: 'limit', networkCode: '61' },
  limit_period: { rule: 'limit', networkCode: '61' },
  velocity_count: { rule: 'limit', networkCode: '65' },
  insufficient_funds: { rule: 'funds', networkCode: '51' },
  decision_declined: { rule: 'decision', networkCode: '05' },
  decision_unavailable: { rule: 'decision', networkCode: '05' },
  suspected_fraud: { rule: 'decision', networkCode: '59' },
} as const satisfies Record<string, Decline>;

export type DeclineCode = keyof typeof DECLINES;

export const DECLINE_CODES = Object.keys(DECLINES) as [DeclineCode, ...DeclineCode[]];

/** A terminal that reads 41 or 43 keeps the card. */
const CLOSED_AS: Partial<Record<ClosedReason, string>> = { lost: '41', stolen: '43' };

/** Field 39 of a decline. `closedReason`: of the card. */
export function networkCodeOf(code: DeclineCode, closedReason: ClosedReason | null): string {
  const reported = code === 'card_closed' && closedReason !== null ? CLOSED_AS[closedReason] : undefined;
  return reported ?? DECLINES[code].networkCode;
}

/** Field 39 of approvals. */
export const APPROVED = { whole: '00', part: '10', withoutCash: '87', verification: '85' } as const;
