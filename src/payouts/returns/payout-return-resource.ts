import type { ShownResource } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { type PayoutReturn, payoutReturns } from './payout-return-table.ts';

export const payoutReturnResource: ShownResource<PayoutReturn> = {
  name: 'payout_return',
  phrase: 'return',
  table: payoutReturns,
  parent: { name: 'payout', column: 'payout_id' },
  events: [],
  books: true,
  lineText: {
    of: { table: 'payouts', key: 'id', column: 'payout_id' },
    externalId: 'p.external_id',
    endToEndId: 'p.end_to_end_id',
    counterparty: "NULLIF(concat_ws(' ', p.destination_details ->> 'name_masked', p.destination_masked), '')",
    description: 'r.reason',
  },
  view: (one, { livemode }) => ({
    id: publicId('payoutReturn', one.id),
    object: 'payout_return',
    livemode,
    payout: publicId('payout', one.payoutId),
    amount: one.amount,
    currency: one.currency,
    currency_exponent: currencyExponent(one.currency),
    reason: one.reason,
    journal_entries: [publicId('entry', one.entryId)],
    created_at: formatInstant(one.createdAt),
  }),
};
