/**
 * The magic cardholders of test books: what becomes of a card is decided by `cardholder.reference`, as by the alias of a payout and the
 * number of a payment. Any other reference, or none, gets its card at once.
 */

export type CardholderScript =
  /** Every instruction is carried out and answered. */
  | 'made'
  /** The processor makes no card for this cardholder. */
  | 'refused'
  /** Every instruction about the card is carried out, and the connection drops before the answer: unknown until an inquiry. */
  | 'unanswered'
  /** Refused, and the connection drops before the answer. */
  | 'refused_unanswered'
  /** What would make the card is lost on its way: unknown, and never received on inquiry. */
  | 'lost'
  /** The order is pending for some seconds. Then the card is made, and a notice reports it. */
  | 'pending'
  /** The card is made. Its states and the unblocking of its PIN are declined. */
  | 'changes_refused';

export const SANDBOX_CARDHOLDERS: ReadonlyMap<string, CardholderScript> = new Map([
  ['REFUSED', 'refused'],
  ['TIMEOUT', 'unanswered'],
  ['TIMEOUTFAIL', 'refused_unanswered'],
  ['LOST', 'lost'],
  ['PENDING', 'pending'],
  ['NOCHANGES', 'changes_refused'],
]);

/** How long an order of a `PENDING` cardholder stays open: longer than a request for a card waits. */
export const PENDING_MS = 15_000;

export function scriptOf({ reference }: { readonly reference: string | null }): CardholderScript {
  return SANDBOX_CARDHOLDERS.get(reference ?? '') ?? 'made';
}
