import type { BookedStep } from '../../../group/steps-store.ts';
import type { Uuid } from '../../../values/ids.ts';

/** Debits less credits of an account. */
export function debitsOf(steps: readonly BookedStep[], accountId: Uuid): bigint {
  let sum = 0n;
  for (const { debitAccountId, creditAccountId, amount } of steps.flatMap(({ postings }) => postings)) {
    if (debitAccountId === accountId) sum += amount;
    if (creditAccountId === accountId) sum -= amount;
  }
  return sum;
}
