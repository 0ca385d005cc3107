import { deriveId, type Uuid } from '../../values/ids.ts';

/**
 * The id of the notice that a simulation makes a sandbox send. A repeated key, or a request that is prepared again,
 * gives the same notice.
 */
export function simulatedNoticeId({
  bookId,
  idempotencyKey,
  requestId,
}: {
  readonly bookId: Uuid;
  readonly idempotencyKey: string | null;
  readonly requestId: Uuid;
}): Uuid {
  return idempotencyKey === null
    ? deriveId('notice-of-request', bookId, requestId)
    : deriveId('notice', bookId, idempotencyKey);
}
