/**
 * The published test numbers of the sandbox (API.md §4) and the outcome of a payment with each. The number decides the
 * outcome, never the amount. Test mode accepts no other number.
 */
import type { CardFunding } from './card.ts';
import type { DeclineCode } from './decline-codes.ts';

/** What a number stands for. The vault stores the script, never the number. */
export type CardScript =
  | 'approved'
  | DeclineCode
  /** The acquirer authorizes and drops the connection before its answer: unknown until an inquiry. */
  | 'unanswered'
  /** The instruction is lost on its way: unknown, and not found on inquiry. */
  | 'lost'
  /** The issuer requires a challenge. */
  | 'challenge'
  /** The challenge is passed, then the issuer declines. */
  | 'challenge_declined'
  /** The payer disputes it after the capture. */
  | 'disputed'
  /** A refund succeeds first, and fails later. */
  | 'refund_fails';

interface TestCard {
  readonly script: CardScript;
  readonly funding: CardFunding;
}

const credit = (script: CardScript): TestCard => ({ script, funding: 'credit' });

export const TEST_CARDS: ReadonlyMap<string, TestCard> = new Map([
  ['4242424242424242', credit('approved')],
  ['5555555555554444', { script: 'approved', funding: 'debit' }],
  ['4000000000000002', credit('generic_decline')],
  ['4000000000009995', credit('insufficient_funds')],
  ['4000000000009987', credit('lost_card')],
  ['4000000000009979', credit('stolen_card')],
  ['4000000000000069', credit('expired_card')],
  ['4000000000000127', credit('incorrect_cvc')],
  ['4000000000000119', credit('processing_error')],
  ['4000000000000705', credit('unanswered')],
  ['4000000000000713', credit('lost')],
  ['4000002500003155', credit('challenge')],
  ['4000008400001629', credit('challenge_declined')],
  ['4000000000000259', credit('disputed')],
  ['4000000000005126', credit('refund_fails')],
]);

/** Undefined for a number that the sandbox does not accept. */
export function testCard(number: string): TestCard | undefined {
  return TEST_CARDS.get(number);
}
