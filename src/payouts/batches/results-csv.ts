/** Results of a batch as a file, for people and programs. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { type CsvColumn, csvHeader, csvRow } from '../../values/csv-writing.ts';
import type { PayoutBatch } from './batch.ts';
import { type BatchResult, resultView } from './batch-result.ts';
import { readResults } from './batch-result-store.ts';

/** The items' view, and texts of the payouts that they have become: a list of items leaves those to the payouts. */
type ShownResult = ReturnType<typeof resultView> & Pick<BatchResult, 'payeeName' | 'description'>;

const plain = (
  name: Exclude<keyof ReturnType<typeof resultView>, 'object'>,
  shownAs: string = name,
): CsvColumn<ShownResult> => ({
  name: shownAs,
  is: 'plain',
  read: (shown) => shown[name],
});

const COLUMNS: readonly CsvColumn<ShownResult>[] = [
  plain('sequence', 'row'),
  plain('status'),
  plain('payout'),
  plain('amount'),
  plain('fee'),
  plain('currency'),
  plain('account'),
  { name: 'external_id', is: 'text', read: (shown) => shown.external_id },
  // Masked, as the payout shows it.
  { name: 'name', is: 'text', read: (shown) => shown.payeeName },
  { name: 'description', is: 'text', read: (shown) => shown.description },
  plain('end_to_end_id'),
  plain('failure_code'),
  { name: 'rail_reference', is: 'text', read: (shown) => shown.rail_reference },
];

/** Rows of one statement, and of one piece of the file. */
const PAGE_ROWS = 500;

/** All of them as CSV, in the order of the upload. */
export async function* resultsCsv(db: Queryable, bookId: BookId, batch: PayoutBatch): AsyncGenerator<string> {
  yield csvHeader(COLUMNS);
  for (let from = 1; from <= batch.items; from += PAGE_ROWS) {
    const range = { from, to: from + PAGE_ROWS - 1, limit: PAGE_ROWS, backwards: false };
    const results = await readResults(db, bookId, batch, range);
    const rows = results.map((result) => {
      const { payeeName, description } = result;
      return csvRow(COLUMNS, { ...resultView(result), payeeName, description });
    });
    yield rows.join('');
  }
}
