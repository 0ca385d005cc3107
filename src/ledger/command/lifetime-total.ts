/**
 * Limits the total of money that passes through an account in its life. Totals are bigint columns, below 2^63, and only grow.
 * Accepted money must always have room for its last step, so intake stops first and the following step stops later:
 *
 * - Intake (a payout, an incoming transfer) is refused once the total of an account it will touch passes 2^61.
 * - An authorization passes no account. So its captures are refused by themselves before the acquirer is asked, once a total would
 *   pass 2^62: more than 500 of the largest ones may be on their way then.
 * - A payout is reserved only while transit and payee stay below 2^62; otherwise the payout fails, and nothing has
 *   left.
 * - Later steps are bounded by what was reserved. Transit gives out what came in. The pool pays and takes back at most
 *   that, beside what arrived: below 2^61 + 2^62. A customer is given back, or is charged again by a rail that
 *   contradicts itself, at most what left before.
 */
import type { Uuid } from '../../values/ids.ts';
import type { Account } from '../account/account.ts';
import { accounts } from '../account/account-table.ts';
import type { Refusal } from './command.ts';
import type { Draft } from './draft.ts';

/** The operator is warned from here on: half of INTAKE_TOTAL. */
export const WARN_TOTAL = 2n ** 60n;
export const INTAKE_TOTAL = 2n ** 61n;
export const RESERVE_TOTAL = 2n ** 62n;

/** The lifetime total of the account's busier side, in minor units, held amounts included. */
export function lifetimeTotal({ postedDebits, postedCredits, heldDebits, heldCredits }: Account): bigint {
  const debits = postedDebits + heldDebits;
  const credits = postedCredits + heldCredits;
  return debits > credits ? debits : credits;
}

/**
 * The refusal where the amount would take one of these accounts beyond `limit`: what is accepted must have room to end in every account
 * that it passes. Accounts that are not opened yet have room. The command touches the accounts.
 */
export function refuseTotals(
  draft: Pick<Draft, 'get'>,
  ids: readonly Uuid[],
  { amount, currency, limit = INTAKE_TOTAL }: { amount: bigint; currency: string; limit?: bigint },
): Refusal | undefined {
  const isFull = ids.some((id) => {
    const account = draft.get(accounts, id);
    return account !== undefined && lifetimeTotal(account) > limit - amount;
  });
  return isFull ? totalExceeded(currency, limit) : undefined;
}

function totalExceeded(currency: string, limit: bigint): Refusal {
  return {
    refused: 'limit_exceeded',
    param: '/amount',
    detail: `Too much ${currency} has passed an account of this book for it to count more. Ask the operator for a new book.`,
    facts: { limit, currency },
  };
}
