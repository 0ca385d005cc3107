/** Checks what is used of limits: it is what the payouts of the day and the month have, without those that failed or were canceled. */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import type { Uuid } from '../../../values/ids.ts';
import { type CounterSums, readCounterSums } from './payout-counter-check-store.ts';

export const payoutCounterCheck: RowCheck<CounterSums, Uuid> = {
  name: 'counters of payouts',
  // Each reads the payouts of a month.
  pageRows: 10,
  read: ({ pool, book }, page) => readCounterSums(pool, book.id, page),
  check: checkCounter,
  placeOf: ({ counter }) => counter.id,
};

function checkCounter({ report }: CheckContext, { counter, day, month }: CounterSums): void {
  const expected = textOf(counter.day, day, month);
  const actual = textOf(counter.day, counter.dayAmount, counter.monthAmount);
  if (expected === actual) return;
  report({
    check: 'payout_counter.sum',
    ids: { payout_counter: counter.id },
    expected,
    actual,
    detail: `What is used of limits in ${counter.currency} is not what payouts have used.`,
  });
}

const textOf = (day: string, dayAmount: bigint, monthAmount: bigint) => `${day} ${dayAmount}, month ${monthAmount}`;
