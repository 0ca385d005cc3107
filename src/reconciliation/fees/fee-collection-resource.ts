import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { percentText } from '../../money/percent-by-currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { FeeCollection } from './fee-collection.ts';
import { feeCollections } from './fee-collection-table.ts';

export const feeCollectionResource: Resource<FeeCollection, Shown> = {
  name: 'fee_collection',
  table: feeCollections,
  parent: null,
  events: ['fee_collection.posted'],
  books: true,
  lineText: {},
  changed: (collection, change) => ({ ...collection, ...change }),
  view: ({ id, day, currency, amount, tax, taxBasisPoints, entryId, ...row }, { livemode }) => ({
    id: publicId('feeCollection', id),
    object: 'fee_collection',
    livemode,
    day,
    currency,
    currency_exponent: currencyExponent(currency),
    amount,
    tax,
    tax_percent: percentText(taxBasisPoints),
    journal_entries: [publicId('entry', entryId)],
    version: row.version,
    created_at: formatInstant(row.createdAt),
    updated_at: formatInstant(row.updatedAt),
  }),
};
