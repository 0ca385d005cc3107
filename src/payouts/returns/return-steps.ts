/** The step of a payout that comes back: what it changes, what it books, and what it announces (return-payout.ts decides whether). */
import { expectArrival } from '../../accounts/account/tell-arrival.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { failureCodeOf } from '../../rails/failure-codes.ts';
import type { Uuid } from '../../values/ids.ts';
import { disableAfter } from '../payees/disable-payee.ts';
import type { Payout } from '../payout/payout.ts';
import { payoutResource } from '../payout/payout-resource.ts';
import { returnToClosed } from '../payout/payout-steps.ts';
import { payoutReturns } from './payout-return-table.ts';

/** paid → returned when nothing is left outside; a partial return stays paid. The account gets it back whatever its state. */
export function bookReturn(
  draft: Draft,
  payout: Payout,
  part: { id: Uuid; amount: bigint; reason: string | null },
): Payout {
  const { returnsApart } = draft.forms;
  const announceArrival = expectArrival(draft, payout.accountId);
  const entry = draft.post({
    ...(returnsApart
      ? { resource: 'payout_return', resourceId: part.id, step: 'returned' }
      : { resource: 'payout', resourceId: payout.id, step: `returned_${payout.returns + 1}` }),
    creditClosed: returnToClosed(draft, payout),
    postings: [{ debit: draft.chart('pool', payout.currency).id, credit: payout.accountId, amount: part.amount }],
  });
  draft.put(payoutReturns, part.id, {
    id: part.id,
    payoutId: payout.id,
    amount: part.amount,
    currency: payout.currency,
    reason: part.reason,
    entryId: entry.id,
    createdAt: draft.moment.book,
  });
  const amountReturned = payout.amountReturned + part.amount;
  const returned = advance(
    draft,
    payoutResource,
    payout,
    {
      status: amountReturned === payout.amount ? 'returned' : 'paid',
      amountReturned,
      returns: returnsApart ? payout.returns : payout.returns + 1,
    },
    {
      event: 'payout.returned',
      entries: [entry],
    },
  );
  announceArrival(entry);
  disableAfter(draft, payout.payee, { failureCode: failureCodeOf(part.reason), reason: 'returned' });
  return returned;
}
