/** Cancels a payout that is not on its way yet. Once it is, a payout is not called back. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Payout } from './payout.ts';
import { payoutResource } from './payout-resource.ts';
import { markCanceled } from './payout-steps.ts';
import { payouts } from './payout-table.ts';
import { payoutTouches } from './payout-touches.ts';

export function cancelPayout(bookId: BookId, payout: Payout, change: Change): Command<Stored | Refusal> {
  const request = { ...change, id: payout.id, action: 'cancel', touches: payoutTouches(bookId, payout) };
  return changeOf(payoutResource, request, (draft, current) =>
    storedView(draft, payoutResource, markCanceled(draft, current)),
  );
}

interface CancelRequest extends Asked {
  readonly payoutId: Uuid;
  readonly ifMatch?: number;
}

/** The payout is read for the accounts that it touches, which never change. */
export const requestCancel: UseCase<OnceRuntime & { pool: Pool }, CancelRequest> = {
  async prepare({ pool }, input) {
    const payout = await payouts.find(pool, input.bookId, input.payoutId);
    if (!payout) throw new ApiError('resource_not_found', { param: 'id' });
    return { command: cancelPayout(input.bookId, payout, input) };
  },
};
