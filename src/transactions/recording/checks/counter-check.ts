/**
 * Checks counters: what is used up of limits is what the purchases of the line, the account and the book use up; of a limit with a filter,
 * what those use up that it is for.
 */
import type { Counter } from '../../../cards/counters/counter.ts';
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import type { Uuid } from '../../../values/ids.ts';
import {
  type CounterHistory,
  readCounterHistories,
  readCounterHistoriesOf,
  readProgramLimitHistories,
} from './counter-check-store.ts';

export const counterCheck: RowCheck<CounterHistory, Uuid> = {
  name: 'counters of cards',
  pageRows: 50,
  read: ({ pool, book }, page) => readCounterHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readCounterHistoriesOf(pool, book.id, ids),
  readSince: ({ pool, book }, page) => readProgramLimitHistories(pool, book.id, page),
  check: checkCounter,
  placeOf: ({ counter }) => counter.id,
};

function checkCounter({ report }: CheckContext, { counter, counted }: CounterHistory): void {
  if (counted === undefined) return;
  const [expected, actual] = [textOf(counted), textOf(counter)];
  if (expected === actual) return;
  report({
    check: 'card_counter.sum',
    ids: { card_counter: counter.id, subject: counter.subjectId },
    expected,
    actual,
    detail: 'A counter is not the sum of what its purchases use up.',
  });
}

function textOf({ day, week, month, year, allTime, refunded }: Counter): string {
  const windows = [day, week, month, year].map(({ startsOn, amount, count }) => `${startsOn} ${amount}/${count}`);
  return `${windows.join(', ')}, all ${allTime.amount}/${allTime.count}, refunded ${refunded}`;
}
