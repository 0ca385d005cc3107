import type { RouteRequest } from '../../../api/route.ts';
import { runUseCase } from '../../../api/run-use-case.ts';
import { messageKey } from '../../../idempotency/idempotency-key.ts';
import { readDecisionAnswer } from '../../decisions/api/decision-answer.ts';
import { type OnDecided, takingMessage } from '../receive-message.ts';
import type { ReceivedMessage } from '../received-message.ts';

/**
 * The reference of the message is its key: a repeat gets the first answer. Simulations have an Idempotency-Key as well.
 */
export function takeMessage(request: RouteRequest, message: ReceivedMessage) {
  const { dry_run: dryRun = false } = (request.query ?? {}) as { dry_run?: boolean };
  const idempotencyKey = messageKey(message.messageReference);
  const { idempotencyKey: callerKey } = request;
  const onDecided: OnDecided = ({ source: by, decision }) =>
    request.runtime.metrics.cardDecisions.decided(by, decision);
  const taking = takingMessage({ readAnswer: readDecisionAnswer, dryRun, onDecided });
  return runUseCase(request, taking, { ...message, idempotencyKey, callerKey, dryRun });
}
