/** Steps that many routes share: run a command once under its key, find an object or answer that it does not exist. */

import { ApiError } from '../errors/errors.ts';
import type { Stored } from '../idempotency/idempotency-key.ts';
import { idempotencyKeys } from '../idempotency/idempotency-table.ts';
import type { OnceAnswer } from '../idempotency/once.ts';
import { runOnce } from '../idempotency/run-once.ts';
import type { Command, Refusal } from '../ledger/command/command.ts';
import type { Change } from '../ledger/resources/change-of.ts';
import type { Principal } from '../organisations/authenticate.ts';
import { encodeActor } from '../values/actor.ts';
import type { RouteAnswer, RouteRequest } from './route.ts';

/** The actor of a change, as events keep it. */
export function actorOf({ ownerKind, ownerId, keyId }: Principal): string {
  return encodeActor({ type: ownerKind, id: ownerId, keyId });
}

/** Who changes an object by a request, and which version of it the caller has seen. */
export function changedBy({ principal, requestId, ifMatch }: RouteRequest): Change {
  return { requestId, actor: actorOf(principal), ifMatch };
}

export function isLive({ mode }: Principal): boolean {
  return mode === 'live';
}

export function storedAnswer({ status, body, resourceId, replayed }: OnceAnswer): RouteAnswer {
  return { status, text: body, resourceId, replayed };
}

/** Runs a command once under the request's idempotency key. */
export async function runCommand(request: RouteRequest, command: Command<Stored | Refusal>): Promise<RouteAnswer> {
  const { runtime, principal, requestId, idempotencyKey } = request;
  const answer = await runOnce(runtime, {
    bookId: principal.bookId,
    key: idempotencyKey,
    fingerprint: request.fingerprint(),
    requestId,
    command,
  });
  return storedAnswer(answer);
}

/**
 * Throws ApiError `resource_not_found` for undefined. An object of another book gets the same answer as one that never
 * existed.
 */
export function found<Value>(value: Value | undefined, param = 'id', detail?: string): Value {
  if (value === undefined) throw new ApiError('resource_not_found', { param, ...(detail && { detail }) });
  return value;
}

/**
 * Whether the request's idempotency key is in use. A known key already has its answer, and no newer rule refuses the
 * request.
 */
export async function isKnownRequest({ runtime, principal, idempotencyKey }: RouteRequest): Promise<boolean> {
  if (idempotencyKey === null) return false;
  return (await idempotencyKeys.find(runtime.pool, principal.bookId, idempotencyKey)) !== undefined;
}
