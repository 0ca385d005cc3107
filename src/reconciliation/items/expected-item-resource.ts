import type { ShownResource } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull, resourceReference } from '../../values/ids.ts';
import type { ExpectedItem } from './expected-item.ts';
import { expectedItems } from './expected-item-table.ts';

/** The mirror has events of what made it, and matches have those of what shows it. */
export const expectedItemResource: ShownResource<ExpectedItem> = {
  name: 'expected_item',
  table: expectedItems,
  parent: null,
  events: [],
  books: false,
  view: (item, { livemode }) => ({
    id: publicId('expectedItem', item.id),
    object: 'expected_item',
    livemode,
    status: item.status,
    party: item.party,
    bank_account: publicIdOrNull('bankAccount', item.bankAccountId),
    account: item.clearing === 'account' ? publicId('account', item.clearingAccountId) : null,
    direction: item.direction,
    amount: item.amount,
    amount_open: item.amountOpen,
    currency: item.currency,
    currency_exponent: currencyExponent(item.currency),
    expected_on: item.expectedOn,
    book: publicId('book', item.ofBook),
    resource: item.resource,
    resource_id: resourceReference(item.resource, item.resourceId),
    references: [...new Set([item.endToEndId, item.bankReference, item.documentReference])].filter(
      (one) => one !== null,
    ),
    batch: item.batchId,
    exception: publicIdOrNull('exception', item.exceptionId),
    journal_entries: [item.entryId, item.openingEntryId].filter((id) => id !== null).map((id) => publicId('entry', id)),
    created_at: formatInstant(item.createdAt),
  }),
};
