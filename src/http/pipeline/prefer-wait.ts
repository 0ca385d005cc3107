/**
 * `Prefer: wait` (RFC 7240): the answer waits until its object has left its first statuses, and states the preference
 * applied.
 */
import type { Request } from 'express';
import { isLive } from '../../api/answers.ts';
import { type Preference, readPreference } from '../../api/request-headers.ts';
import type { Route, RouteAnswer } from '../../api/route.ts';
import type { WaitersByTable } from '../../api/waits.ts';
import { systemClock } from '../../values/clock.ts';
import { toJson } from '../../values/json.ts';

/** What the request prefers, or what its route does by default. */
export function preferenceOf(route: Route, request: Request): Preference {
  if (route.waits === undefined) return NO_PREFERENCE;
  return readPreference(request.headers.prefer) ?? route.waits.byDefault;
}

const NO_PREFERENCE: Preference = { seconds: undefined, applied: undefined };

/**
 * The answer with the object as it is once the wait is over. A refusal, and an answer without an object, does not wait.
 */
export async function awaitedAnswer(
  route: Route,
  request: Request,
  answer: RouteAnswer,
  { seconds, waiters }: { seconds: number; waiters: WaitersByTable },
): Promise<RouteAnswer> {
  const { waits } = route;
  const { resourceId: id, status } = answer;
  if (waits === undefined || id === undefined || status >= 300) return answer;
  const { context } = request;
  const { bookId } = context.principal!;
  const wait = {
    bookId,
    id,
    seconds,
    livemode: isLive(context.principal!),
    wall: systemClock.now(),
    signal: abortedOnClose(request),
  };
  const latest = await context.aside(waits.latest(waiters, wait));
  if (latest === undefined) return answer;
  const done = latest.isDone ? (waits.doneStatus ?? status) : status;
  return { ...answer, status: done, text: toJson(latest.view) };
}

export function abortedOnClose(request: Request): AbortSignal {
  const controller = new AbortController();
  if (request.socket.destroyed) controller.abort();
  else request.res?.once('close', () => controller.abort());
  return controller.signal;
}
