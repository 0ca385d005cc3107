/** Cancels what a reader is asked to do, and with it the payment: nothing else could pay that. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { changeOf, stateConflict } from '../../ledger/resources/change-of.ts';
import type { Uuid } from '../../values/ids.ts';
import { payments } from '../payment/payment-table.ts';
import { operationTouches } from '../readers/payment-touches.ts';
import type { ReaderAction } from '../readers/reader.ts';
import { readerActionResource } from '../readers/reader-resource.ts';
import { readerActions } from '../readers/reader-table.ts';
import { markVoided } from './payment-steps.ts';

export interface ActionRequest extends Asked {
  readonly readerId: Uuid;
  readonly actionId: Uuid;
  readonly ifMatch?: number | undefined;
}

export const requestActionCancel: UseCase<{ pool: Pool }, ActionRequest> = {
  async prepare({ pool }, { bookId, readerId, actionId, requestId, actor, ifMatch }) {
    const known = await readerActions.find(pool, bookId, actionId);
    if (known?.readerId !== readerId) throw new ApiError('resource_not_found', { param: 'action' });
    const payment = (await payments.find(pool, bookId, known.paymentId))!;
    const touches = operationTouches(bookId, payment, []);
    const change = {
      id: actionId,
      action: 'cancel',
      requestId,
      actor,
      ifMatch,
      touches,
    };
    const command = changeOf<ReaderAction, Stored>(readerActionResource, change, (draft, action) => {
      const current = draft.get(payments, action.paymentId)!;
      // A card was presented, and the acquirer has not answered yet.
      if (current.pendingOperation !== null)
        return {
          ...stateConflict(draft, readerActionResource, action, 'cancel'),
          detail: 'A card was presented, and the acquirer has not answered yet.',
        };
      markVoided(draft, current);
      return storedView(draft, readerActionResource, draft.get(readerActions, actionId)!);
    });
    return { command };
  },
};
