import type { ClosingBlocker } from '../../ledger/command/closing-blocker.ts';
import { publicId } from '../../values/ids.ts';
import { openOfAccounts } from './open-purchases-store.ts';

type TransactionBlock = 'transactions_open' | 'transaction_disputes_open';

/** An account stays open while a card purchase of it holds something, or a dispute of one is undecided. */
export const purchasesOpen: ClosingBlocker<TransactionBlock> = {
  types: ['transactions_open', 'transaction_disputes_open'],
  touches: (accountId) => [{ table: openOfAccounts, ids: [accountId] }],
  find(draft, accountId) {
    const found = draft.get(openOfAccounts, accountId);
    if (!found) return undefined;
    const { transactionIds, transactionDisputeIds } = found;
    if (transactionIds.length > 0)
      return { type: 'transactions_open', transactions: transactionIds.map((id) => publicId('transaction', id)) };
    return transactionDisputeIds.length === 0
      ? undefined
      : {
          type: 'transaction_disputes_open',
          transaction_disputes: transactionDisputeIds.map((id) => publicId('transactionDispute', id)),
        };
  },
};
