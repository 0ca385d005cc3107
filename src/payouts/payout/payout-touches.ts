import { accountTouches } from '../../accounts/account-resource.ts';
import { accounts } from '../../ledger/account-table.ts';
import type { BookId } from '../../ledger/book.ts';
import { chartAccountId } from '../../ledger/chart.ts';
import type { Touch } from '../../ledger/command.ts';
import { holds } from '../../ledger/hold-table.ts';
import type { Payout } from './payout.ts';
import { payouts } from './payout-table.ts';

/** Everything a payout's commands touch: known from what of it never changes. */
export function payoutTouches(bookId: BookId, payout: Payout): Touch[] {
  return [
    { table: payouts, ids: [payout.id] },
    { table: holds, ids: [payout.holdId] },
    {
      table: accounts,
      ids: [
        payout.accountId,
        chartAccountId(bookId, 'payouts_in_transit', payout.currency),
        chartAccountId(bookId, 'pool', payout.currency),
        chartAccountId(bookId, 'due_operator', payout.currency),
      ],
    },
    ...(payout.destination.type === 'account'
      ? accountTouches({ accountId: payout.destination.accountId, currency: payout.currency })
      : []),
  ];
}

/** What a return touches beside: the account tells that its money is back. */
export function returnTouches({ accountId, currency }: Payout): Touch[] {
  return accountTouches({ accountId, currency });
}
