/** How a cardholder's dispute is shown, and what may be asked of it. */
import type { Resource, Shown, Transitions } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { DisputeStatus } from './dispute.ts';
import { type StoredDispute, transactionDisputes } from './dispute-table.ts';

export const TRANSACTION_DISPUTE_TRANSITIONS: Transitions<DisputeStatus> = {
  opened: ['submitted', 'withdrawn'],
  submitted: ['won', 'lost', 'withdrawn'],
  won: [],
  lost: [],
  withdrawn: [],
};

export type DisputeAction = 'submit' | 'withdraw' | 'win' | 'lose';

const ACTIONS: Readonly<Record<DisputeStatus, readonly DisputeAction[]>> = {
  opened: ['submit', 'withdraw'],
  submitted: ['withdraw', 'win', 'lose'],
  won: [],
  lost: [],
  withdrawn: [],
};

export const transactionDisputeResource: Resource<StoredDispute, Shown> = {
  name: 'transaction_dispute',
  noun: 'dispute',
  table: transactionDisputes,
  parent: { name: 'transaction', column: 'transaction_id' },
  events: [
    'transaction_dispute.opened',
    'transaction_dispute.submitted',
    'transaction_dispute.won',
    'transaction_dispute.lost',
    'transaction_dispute.withdrawn',
  ],
  books: true,
  lineText: {
    of: { table: 'transactions', key: 'id', column: 'transaction_id' },
    counterparty: "p.merchant ->> 'name'",
  },
  phrase: 'dispute of a transaction',
  changed: (dispute, change) => ({ ...dispute, ...change }),
  transitions: TRANSACTION_DISPUTE_TRANSITIONS,
  allowedActions: ({ status }) => ACTIONS[status],
  view: (dispute, { livemode }) => disputeView(dispute, livemode),
};

function disputeView(dispute: StoredDispute, livemode: boolean) {
  return {
    id: publicId('transactionDispute', dispute.id),
    object: 'transaction_dispute',
    livemode,
    status: dispute.status,
    transaction: publicId('transaction', dispute.transactionId),
    account: publicId('account', dispute.accountId),
    amount: dispute.amount,
    amount_credited: dispute.credited,
    currency: dispute.currency,
    currency_exponent: currencyExponent(dispute.currency),
    reason: dispute.reason,
    allowed_actions: ACTIONS[dispute.status],
    journal_entries: dispute.entryIds.map((id) => publicId('entry', id)),
    request_id: publicId('request', dispute.requestId),
    version: dispute.version,
    created_at: formatInstant(dispute.createdAt),
    updated_at: formatInstant(dispute.updatedAt),
  };
}
