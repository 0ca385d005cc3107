import { type Asked, carryOut, type UseCase } from '../idempotency/use-case.ts';
import { actorOf, storedAnswer } from './answers.ts';
import type { ApiRuntime } from './api-runtime.ts';
import type { RouteAnswer, RouteRequest } from './route.ts';

/** Who asks, as every use case wants to know. */
export function askedBy(request: RouteRequest): Asked {
  const { principal, requestId, idempotencyKey } = request;
  const fingerprint = request.fingerprint();
  return { bookId: principal.bookId, actor: actorOf(principal), requestId, idempotencyKey, fingerprint };
}

/** Runs a use case for a request. What follows its commit outlives the answer, not the process: SIGTERM waits for it. */
export async function runUseCase<Input extends Asked>(
  request: RouteRequest,
  useCase: UseCase<ApiRuntime, Input>,
  input: Input,
): Promise<RouteAnswer> {
  return storedAnswer(await carryOut(request.runtime, useCase, input, request.services.following));
}
