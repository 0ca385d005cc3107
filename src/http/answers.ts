/** What many routes do: run a command once under its key, find an object or say that there is none. */
import { ApiError } from '../errors.ts';
import type { Stored } from '../idempotency/idempotency-key.ts';
import { findIdempotencyKey } from '../idempotency/idempotency-store.ts';
import type { OnceAnswer } from '../idempotency/once.ts';
import { runOnce } from '../idempotency/run-once.ts';
import { publicId } from '../ids.ts';
import type { Command, Refusal } from '../ledger/command.ts';
import type { Principal } from '../organisations/authenticate.ts';
import type { RouteAnswer, RouteRequest } from './route.ts';

/** Who did it, as events and timelines tell. */
export function actorOf({ keyId }: Principal): string {
  return `api_key:${publicId('apiKey', keyId)}`;
}

export function isLive({ mode }: Principal): boolean {
  return mode === 'live';
}

export function storedAnswer({ status, body, replayed }: OnceAnswer): RouteAnswer {
  return { status, text: body, replayed };
}

/** Carries out a command once under the request's key. */
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

/** Another book's objects and those that never were look the same from here. */
export function found<Value>(value: Value | undefined, param = 'id'): Value {
  if (value === undefined) throw new ApiError('resource_not_found', { param });
  return value;
}

/** Whether the request's idempotency key is taken: then it has an answer already, and no rule of today refuses it. */
export async function isKnownRequest({ runtime, principal, idempotencyKey }: RouteRequest): Promise<boolean> {
  if (idempotencyKey === null) return false;
  return (await findIdempotencyKey(runtime.pool, principal.bookId, idempotencyKey)) !== undefined;
}
