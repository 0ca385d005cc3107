/** What became of an item of a batch. */
import { currencyExponent } from '../../money/currency.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import type { PayoutStatus } from '../payout/payout.ts';
import type { BatchItem } from './batch-item.ts';

export interface BatchResult {
  readonly item: BatchItem;
  readonly accountId: Uuid;
  readonly status: PayoutStatus | 'waiting';
  readonly isPayout: boolean;
  readonly failureCode: string | null;
  readonly railReference: string | null;
  /** Of the payee, masked. Null before there is a payout. */
  readonly payeeName: string | null;
  /** Null before there is a payout. */
  readonly description: string | null;
}

export function resultView({ item, accountId, status, isPayout, failureCode, railReference }: BatchResult) {
  return {
    object: 'payout_batch_item',
    sequence: item.rowNumber,
    status,
    payout: isPayout ? publicId('payout', item.payoutId) : null,
    amount: item.amount,
    fee: item.fee,
    currency: item.currency,
    currency_exponent: currencyExponent(item.currency),
    account: publicId('account', accountId),
    external_id: item.externalId,
    end_to_end_id: item.endToEndId,
    failure_code: failureCode,
    rail_reference: railReference,
  };
}
