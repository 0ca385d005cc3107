/**
 * The lines of bench `reconcile`: the n-th line of a bank is of the n-th payout, and by n it is known which rule is to match it. One in a thousand
 * is of nothing that the books expect, whatever it looks like.
 */
import { endToEndId } from '../../../src/outside/instructions/end-to-end-id.ts';
import type { Rule } from '../../../src/reconciliation/matches/matching.ts';

/** Of the sandbox rail, at the bank. */
export const RAIL_ACCOUNT = 'JO15AAAA1234567890123456789012';

export interface PaidPayout {
  /** Minor units, another amount for each: a line that names nothing is of one payout alone. */
  readonly amount: bigint;
  readonly idempotencyKey: string;
  readonly railReference: string;
}

export function payoutOf(number: number): PaidPayout {
  return { amount: BigInt(1_000 + number), idempotencyKey: `bench ${number}`, railReference: `R${number}` };
}

/** Null: no rule may match it. */
export function ruleOf(number: number): Rule | null {
  if (number % 1_000 === 999) return null;
  if (number % 200 === 0) return 'amount_counterparty';
  const of20 = number % 20;
  if (of20 === 1 || of20 === 2) return 'bank_reference';
  if (of20 === 3) return 'reference_in_text';
  return of20 === 4 ? 'reference_cut' : 'end_to_end_id';
}

export interface DrawnLine {
  readonly amount: bigint;
  readonly endToEndId: string;
  readonly bankReference: string;
  readonly text: string;
  /** Of whoever stands on the other side. */
  readonly account: string;
}

const NONE = 'NOTPROVIDED';
const CUT = 20;
/** Shorter than what a rule takes for the beginning of a reference. */
const TOO_SHORT = 10;

export function lineOf(number: number, bookId: string): DrawnLine {
  const { amount, idempotencyKey, railReference } = payoutOf(number);
  const id = endToEndId(bookId, idempotencyKey);
  const account = `JO55BBBB${String(number).padStart(22, '0')}`;
  const line = {
    amount,
    endToEndId: id,
    bankReference: `S${number}`,
    text: `Salary of the month, staff ${number}`,
    account,
  };
  switch (ruleOf(number)) {
    case null:
      return { ...line, endToEndId: strangeId(number, id) };
    case 'amount_counterparty':
      return { ...line, endToEndId: NONE, account: RAIL_ACCOUNT };
    case 'bank_reference':
      return { ...line, endToEndId: NONE, bankReference: railReference };
    case 'reference_in_text':
      return { ...line, endToEndId: NONE, text: `Payout ${id.slice(0, 9)} ${id.slice(9)} with thanks` };
    case 'reference_cut':
      return { ...line, endToEndId: id.slice(0, CUT) };
    default:
      return line;
  }
}

/** With the amount of a payout: of somebody else, of nobody, or cut too short. */
function strangeId(number: number, id: string): string {
  return [`INV-${number}`, NONE, id.slice(0, TOO_SHORT)][Math.floor(number / 1_000) % 3]!;
}
