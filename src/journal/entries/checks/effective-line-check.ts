/**
 * Checks that the log of effective days has no rows but those of entries that were asked for, and of the system's own whose day was
 * closed or that mirror an earlier one, and that no line takes effect on a day that was closed before. That it has theirs, and as they are in the journal, is checked
 * with the entries (manual-entry-check.ts).
 */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { type LoggedLine, readLoggedLines } from './effective-line-check-store.ts';

interface Place {
  readonly accountId: Uuid;
  readonly line: bigint;
}

export const effectiveLineCheck: RowCheck<LoggedLine, Place> = {
  name: 'lines of other days',
  pageRows: 1_000,
  read: ({ pool, book }, page) => readLoggedLines(pool, book.id, page),
  check: checkLoggedLine,
  placeOf: ({ accountId, line }) => ({ accountId, line }),
};

function checkLoggedLine({ report }: CheckContext, row: LoggedLine): void {
  const ids = { account: publicId('account', row.accountId), line: `${row.line}`, sequence: `${row.sequence}` };
  if (row.closedBefore !== null && row.effectiveOn <= row.closedBefore)
    report({
      check: 'effective_line.closed_day',
      ids,
      expected: `a day behind ${row.closedBefore}`,
      actual: row.effectiveOn,
      detail: 'An entry takes effect on a day that was closed when it was posted, and that nobody has opened.',
    });
  if (row.lineSequence === row.sequence && row.hasOwnDay) return;
  report({
    check: 'effective_line.entry',
    ids,
    expected: `a line of entry ${row.sequence}, which has a day of its own`,
    actual: row.lineSequence === null ? 'no line' : `a line of entry ${row.lineSequence}`,
    detail: 'The log of effective days has a line that no entry of another day has: balances by effect are wrong.',
  });
}
