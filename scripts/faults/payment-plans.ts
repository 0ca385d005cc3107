/** The plans of the load's payments, one after the other: cards of every outcome, and every step that may follow. */

import type * as disputeSchemas from '../../src/payments/disputes/api/dispute-schemas.ts';
import type * as paymentSchemas from '../../src/payments/payment/api/payment-schemas.ts';
import type { Payer } from './load.ts';

export type Payment = (typeof paymentSchemas.payment)['_zod']['output'];
export type Dispute = (typeof disputeSchemas.dispute)['_zod']['output'];

export type Step =
  | { readonly act: 'capture' | 'increment' | 'refunds'; readonly body: (payment: Payment) => Record<string, unknown> }
  | { readonly act: 'cancel' }
  | { readonly act: 'dispute'; readonly stage: 'inquiry' | 'chargeback'; readonly amount: (payment: Payment) => number }
  | { readonly act: 'evidence' | 'win' | 'lose' }
  | { readonly act: 'pass' | 'fail' | 'leave' };

export interface Plan {
  readonly number: string;
  readonly manual?: true;
  readonly steps: readonly Step[];
}

/** Published test numbers: approved, unknown until asked, lost on its way, challenged (also then declined), declined. */
const [APPROVED, UNANSWERED, LOST, CHALLENGED, CHALLENGED_DECLINED, DECLINED] = [
  '4242424242424242',
  '4000000000000705',
  '4000000000000713',
  '4000002500003155',
  '4000008400001629',
  '4000000000009995',
] as const;
export const CARD_NUMBERS: readonly string[] = [APPROVED, UNANSWERED, LOST, CHALLENGED, CHALLENGED_DECLINED, DECLINED];
/** Nothing else in a row or a log has these digits beside the word. */
export const CVC = '8317';

const part = (of: (payment: Payment) => number) => (payment: Payment) => ({ amount: Math.floor(of(payment) / 3) });
const capturePart: Step = { act: 'capture', body: part((payment) => payment.amount_capturable) };
const captureRest: Step = { act: 'capture', body: () => ({}) };
const captureLast: Step = {
  act: 'capture',
  body: (payment) => ({ ...part((p) => p.amount_capturable)(payment), final: true }),
};
const increment: Step = { act: 'increment', body: (payment) => ({ amount: payment.amount_authorized + 500 }) };
const refundPart: Step = { act: 'refunds', body: part((payment) => payment.amount_refundable) };
const refundRest: Step = { act: 'refunds', body: (payment) => ({ amount: payment.amount_refundable }) };
const [cancel, pass, fail, leave]: Step[] = [{ act: 'cancel' }, { act: 'pass' }, { act: 'fail' }, { act: 'leave' }];
const whole = (payment: Payment) => payment.amount_captured - payment.amount_disputed;
const disputeWhole: Step = { act: 'dispute', stage: 'chargeback', amount: whole };
const disputePart: Step = { act: 'dispute', stage: 'chargeback', amount: (payment) => Math.ceil(whole(payment) / 3) };
const inquire: Step = { act: 'dispute', stage: 'inquiry', amount: whole };
const [evidence, win, lose]: Step[] = [{ act: 'evidence' }, { act: 'win' }, { act: 'lose' }];

/**
 * No plan voids a manual payment whose payer is challenged: the payer might pass in the same moment. The acquirer would
 * then report an authorization that succeeded after it was canceled, which is a contradiction, and rightly so.
 */
export const PLANS: readonly Plan[] = [
  { number: APPROVED, steps: [] },
  { number: APPROVED, manual: true, steps: [capturePart, captureRest, refundPart] },
  { number: APPROVED, steps: [disputeWhole, win!, refundPart] },
  { number: UNANSWERED, steps: [refundPart] },
  { number: CHALLENGED, manual: true, steps: [leave!] },
  { number: LOST, steps: [] },
  { number: APPROVED, steps: [refundPart, refundRest] },
  // The merchant has lost it twice: an exception notifies a person.
  { number: APPROVED, steps: [refundRest, disputeWhole, lose!] },
  { number: CHALLENGED, steps: [pass!, refundPart] },
  { number: APPROVED, manual: true, steps: [increment, captureLast] },
  { number: UNANSWERED, steps: [disputePart, evidence!, win!, disputePart, lose!] },
  { number: UNANSWERED, manual: true, steps: [capturePart, cancel!] },
  { number: CHALLENGED, steps: [leave!] },
  { number: APPROVED, manual: true, steps: [cancel!] },
  { number: APPROVED, manual: true, steps: [capturePart, inquire, evidence!, lose!, captureRest] },
  { number: LOST, manual: true, steps: [] },
  { number: APPROVED, steps: [inquire, win!] },
  { number: CHALLENGED, steps: [fail!] },
  { number: CHALLENGED_DECLINED, manual: true, steps: [leave!] },
  { number: DECLINED, steps: [] },
  { number: CHALLENGED_DECLINED, steps: [pass!] },
  { number: CHALLENGED_DECLINED, steps: [leave!] },
];

/** The same number gives the same payment. */
export function paymentNumber(
  number: number,
  { number: card, manual }: Plan,
  { accounts }: Payer,
): Record<string, unknown> {
  const account = accounts[number % Math.min(2, accounts.length)]!;
  return {
    account: account.id,
    currency: account.currency,
    amount: 10_000 + (number % 997),
    capture: manual ? 'manual' : 'automatic',
    return_url: 'https://shop.example/return',
    source: { type: 'card', number: card, exp_month: 12, exp_year: 2034, cvc: CVC },
    description: `Order ${number}`,
    metadata: { number: String(number) },
  };
}
