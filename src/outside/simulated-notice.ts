import { deriveId, type Uuid } from '../values/ids.ts';

/**
 * The id of the notice by which a simulation makes a sandbox tell something. The same key, and the same request when it is prepared again,
 * tells the same thing, however often.
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
