/**
 * Checks periods: the journal has the last entry of each as it was when its days were closed, and the book is closed through every day that
 * a period closes. That no entry came into closed days is checked with the lines of other days (effective-line-check.ts).
 */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { type PeriodRow, readPeriods } from './period-check-store.ts';

export const periodCheck: RowCheck<PeriodRow, Uuid> = {
  name: 'periods',
  pageRows: 500,
  read: ({ pool, book }, page) => readPeriods(pool, book.id, page),
  check: checkPeriod,
  placeOf: ({ id }, until) => behindNewIds(id, until),
};

function checkPeriod({ report }: CheckContext, row: PeriodRow): void {
  const ids = { period: publicId('period', row.id), sequence: `${row.throughSequence}` };
  // A refused period has its findings.
  if (row.status !== 'refused' && row.throughSequence > 0n && row.hash !== row.chainHash)
    report({
      check: 'period.chain_hash',
      ids,
      expected: row.chainHash,
      actual: row.hash ?? 'no entry',
      detail: 'The last entry of a period is not the one that was there when its days were closed.',
    });
  const isStanding = row.status === 'closed' || row.status === 'pending';
  if (isStanding && (row.closedThrough === null || row.closedThrough < row.through))
    report({
      check: 'period.closed_through',
      ids,
      expected: `${row.through} or later`,
      actual: row.closedThrough ?? 'null',
      detail: 'Days of a period are open in the book, and nobody has opened them.',
    });
}
