/** What a request to cancel a payout becomes: the payout is read for the accounts that it touches, which never change. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Uuid } from '../../values/ids.ts';
import { cancelPayout } from './cancel-payout.ts';
import { payouts } from './payout-table.ts';

export interface CancelRequest extends Asked {
  readonly payoutId: Uuid;
  readonly ifMatch?: number;
}

export const requestCancel: UseCase<OnceRuntime & { pool: Pool }, CancelRequest> = {
  async prepare({ pool }, input) {
    const payout = await payouts.find(pool, input.bookId, input.payoutId);
    if (!payout) throw new ApiError('resource_not_found', { param: 'id' });
    return { command: cancelPayout(input.bookId, payout, input) };
  },
};
