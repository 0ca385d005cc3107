/** Checks collections of fees: each moved its amount, and its tax is that of its percentage. */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { splitFee } from '../fee-tax.ts';
import {
  type FeeCollectionHistory,
  readFeeCollectionHistories,
  readFeeCollectionHistoriesById,
} from './fee-collection-check-store.ts';

export const feeCollectionCheck: RowCheck<FeeCollectionHistory, Uuid> = {
  name: 'collections of fees',
  pageRows: 200,
  read: ({ pool, book }, page) => readFeeCollectionHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readFeeCollectionHistoriesById(pool, book.id, ids),
  check: checkFeeCollection,
  placeOf: ({ collection }, until) => behindNewIds(collection.id, until),
};

export const feeCollectionEquation = equationOf({
  rows: feeCollectionCheck,
  resources: ['fee_collection'],
  codes: ['due_operator', 'pool'],
  balancesOf: ({ collection: { id, currency, amount }, entries }) => [
    {
      ...({ resource: 'fee_collection', id, currency, entries } as const),
      chart: { due_operator: -amount, pool: amount },
      customers: [],
    },
  ],
});

function checkFeeCollection({ report }: CheckContext, { collection, entries }: FeeCollectionHistory): void {
  const { id, currency, amount, tax, taxBasisPoints, entryId } = collection;
  const ids = { fee_collection: publicId('feeCollection', id) };
  const expected = splitFee(amount, taxBasisPoints).tax;
  if (tax !== expected)
    report({
      check: 'fee_collection.tax',
      ids,
      expected: `${expected} ${currency}`,
      actual: `${tax} ${currency}`,
      detail: 'The tax is not what the percentage of the collection comes to.',
    });
  if (entries.length !== 1 || entries[0]!.id !== entryId)
    report({
      check: 'fee_collection.entry',
      ids,
      expected: `the entry ${publicId('entry', entryId)} alone`,
      actual: entries.map((entry) => publicId('entry', entry.id)).join(', ') || 'no entry',
      detail: 'A collection is booked by one entry, which it names.',
    });
}
