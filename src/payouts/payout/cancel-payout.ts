/** Cancels a payout that is still pending. Once on its way, a payout is not called back. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { BookId } from '../../ledger/book.ts';
import { type Change, changeOf } from '../../ledger/change-of.ts';
import type { Command, Refusal } from '../../ledger/command.ts';
import type { Payout } from './payout.ts';
import { payoutResource } from './payout-resource.ts';
import { markCanceled } from './payout-steps.ts';
import { payoutTouches } from './payout-touches.ts';

export function cancelPayout(bookId: BookId, payout: Payout, change: Change): Command<Stored | Refusal> {
  const request = { ...change, id: payout.id, action: 'cancel', touches: payoutTouches(bookId, payout) };
  return changeOf(payoutResource, request, (draft, current) =>
    storedView(draft, payoutResource, markCanceled(draft, current)),
  );
}
