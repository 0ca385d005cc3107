import { accountTouches } from '../../accounts/account/account-resource.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import type { Uuid } from '../../values/ids.ts';
import { countTouches } from '../limits/count-payout.ts';
import { payeeTouches } from '../payees/disable-payee.ts';
import type { Payout } from './payout.ts';
import { payouts } from './payout-table.ts';

/** The accounts that a payout passes on its way, those that do not exist yet among them: each must have room for it. */
export function accountsPassed(bookId: BookId, { accountId, currency, destination, fee }: Payout): Uuid[] {
  const ids = [accountId, chartAccountId(bookId, 'payouts_in_transit', currency)];
  ids.push(destination.type === 'account' ? destination.accountId : chartAccountId(bookId, 'pool', currency));
  if (fee > 0n) ids.push(chartAccountId(bookId, 'due_operator', currency));
  return ids;
}

/** The accounts that a step of a payout may read or move. */
export function accountsTouched(bookId: BookId, { accountId, currency, destination }: Payout): Uuid[] {
  const ids = [accountId];
  for (const code of ['payouts_in_transit', 'pool', 'due_operator'] as const)
    ids.push(chartAccountId(bookId, code, currency));
  if (destination.type === 'account') ids.push(destination.accountId);
  return ids;
}

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
    ...countTouches(bookId, payout),
    ...payeeTouches(payout.payee),
    ...arrivalTouches(payout),
  ];
}

/** An account of the book shows the money that arrives. */
export function arrivalTouches({ destination, currency }: Payout): Touch[] {
  return destination.type === 'account' ? accountTouches({ accountId: destination.accountId, currency }) : [];
}

/** What a return touches as well: the account announces that its money is back. */
export function returnTouches({ accountId, currency }: Payout): Touch[] {
  return accountTouches({ accountId, currency });
}
