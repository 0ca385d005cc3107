/**
 * How much may ever pass an account. Totals are bigint columns, below 2^63, and grow for ever; money that was accepted must
 * always have room to end. So intake ends early, and the steps in between do:
 *
 * - Intake (a payout, a transfer that arrives) is refused once the total of an account it will touch passes 2^61.
 * - A payout is reserved only while transit and payee stay below 2^62; otherwise it fails, and nothing has left.
 * - What follows is bounded by what was reserved. Transit gives out what came in. The pool pays and takes back at most that,
 *   beside what arrived: below 2^61 + 2^62. A customer is given back, or is charged again by a rail that contradicts itself,
 *   at most what left before.
 */
import type { Account } from './account.ts';
import type { Refusal } from './command.ts';

/** An operator is warned: half of what is still accepted. */
export const WARN_TOTAL = 2n ** 60n;
export const INTAKE_TOTAL = 2n ** 61n;
export const RESERVE_TOTAL = 2n ** 62n;

/** What has passed the account on its busier side, what is held for later included. */
export function lifetimeTotal({ postedDebits, postedCredits, heldDebits, heldCredits }: Account): bigint {
  const debits = postedDebits + heldDebits;
  const credits = postedCredits + heldCredits;
  return debits > credits ? debits : credits;
}

/** The refusal of an intake that would pass INTAKE_TOTAL. */
export function totalExceeded(currency: string): Refusal {
  return {
    refused: 'limit_exceeded',
    param: '/amount',
    detail: `Too much ${currency} has passed an account of this book for it to count more. Ask the operator for a new book.`,
    facts: { limit: INTAKE_TOTAL, currency },
  };
}
