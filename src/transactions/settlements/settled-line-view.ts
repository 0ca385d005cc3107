import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import type { SettledLine } from './settlement-store.ts';

export function settledLineView(line: SettledLine, livemode: boolean) {
  const isDispute = line.resource === 'transaction_dispute';
  return {
    sequence: line.line,
    object: 'scheme_settlement_line',
    livemode,
    type: line.step,
    amount: line.amount,
    currency: line.currency,
    currency_exponent: currencyExponent(line.currency),
    transaction: publicId('transaction', line.transactionId),
    network_reference: line.networkReference,
    event: publicIdOrNull('transactionMessage', isDispute ? null : line.resourceId),
    dispute: publicIdOrNull('transactionDispute', isDispute ? line.resourceId : null),
    interchange: line.interchange,
    journal_entry: publicId('entry', line.entryId),
    posted_at: formatInstant(line.postedAt),
  };
}
