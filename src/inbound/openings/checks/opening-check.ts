/**
 * Checks files of opening balances: each is before people, nothing of it is booked before two of them have approved it, and once it is applied its
 * transfers are its lines. What each transfer booked is compared by a check of its own (accounts/checks).
 */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';
import { type OpeningHistory, readOpeningHistories } from '../opening-file-store.ts';

/** Each has up to 100,000 transfers. Ids are of the file's, and not of when it was applied: the audit reads all of them. */
export const openingCheck: RowCheck<OpeningHistory, Uuid> = {
  name: 'files of opening balances',
  pageRows: 10,
  read: ({ pool, book }, { after, limit }) =>
    readOpeningHistories(pool, book.id, { after: after ?? BEFORE_ALL_IDS, limit }),
  check: checkOpenings,
  placeOf: ({ id }) => id,
};

function checkOpenings({ report }: CheckContext, file: OpeningHistory): void {
  const { id, exception, appliedAt, lines, totals, booked } = file;
  const find = (check: `opening_file.${string}`, expected: string, actual: string, detail: string) => {
    if (expected !== actual) report({ check, ids: { opening_file: id }, expected, actual, detail });
  };
  const bookedLines = booked.reduce((sum, one) => sum + one.lines, 0);
  if (bookedLines > 0 || appliedAt !== null)
    find('opening_file.approved', 'approved', exception ?? 'no exception', 'It is booked, and nobody has approved it.');
  if (appliedAt === null) {
    if (bookedLines > lines)
      find('opening_file.lines', `at most ${lines}`, String(bookedLines), 'More is booked than the file has.');
    return;
  }
  // Accounts of an amount of zero have no line, and a currency of such accounts alone has no sum.
  const stated = totals.filter(({ amount }) => amount !== '0').map(({ currency, amount }) => `${amount} ${currency}`);
  const moved = booked.map(({ currency, amount }) => `${amount} ${currency}`);
  find(
    'opening_file.lines',
    `${lines}: ${stated.toSorted().join(', ')}`,
    `${bookedLines}: ${moved.toSorted().join(', ')}`,
    'What is booked is not what the file has.',
  );
}
