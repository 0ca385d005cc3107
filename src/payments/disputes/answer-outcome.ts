/** Applies an acquirer's report of an answer to a dispute: of evidence, or of its acceptance. */
import type { OperationOutcome } from '../operations/operation-outcome.ts';
import { answeredTouches, keepAnswerWaiting, markAnswerRefused, markAnswerTaken } from './dispute-steps.ts';

export const answerOutcome: OperationOutcome = {
  touches: (_, { operation }) => answeredTouches(operation),
  succeed(draft, { operation }) {
    markAnswerTaken(draft, operation);
    return {};
  },
  fail(draft, { operation, report }) {
    markAnswerRefused(draft, operation, report.code ?? 'processing_error');
    return {};
  },
  wait(draft, operation, waiting) {
    keepAnswerWaiting(draft, operation, waiting);
  },
};
