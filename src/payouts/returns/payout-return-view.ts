/** How the API shows a return. */

import type { Shown } from '../../ledger/rows/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { PayoutReturn } from './payout-return-table.ts';

export function payoutReturnView(one: PayoutReturn, { livemode }: Shown) {
  return {
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
  };
}
