/** What an acquirer's report means for an authorization: the payer passes a challenge first, or the acquirer decides. */
import type { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { OperationOutcome } from '../operations/operation-outcome.ts';
import { operationResources } from '../operations/operation-resources.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { expectPayday } from '../paydays/payday.ts';
import { type ReleaseTerms, readRelease } from '../shares/earn-share.ts';
import { captureTouches } from './action-outcomes.ts';
import {
  markAuthorized,
  markChallenged,
  markDeclined,
  markExpired,
  markRequested,
  markVoided,
} from './payment-steps.ts';

/** One that captures at once reads and touches what a capture does; any other moves no money. */
export const authorizeOutcome: OperationOutcome<ReleaseTerms | null> = {
  read: async (runtime, bookId, { final }) => (final ? readRelease(runtime, bookId) : null),
  touches: (bookId, { payment, operation, read }) => (operation.final ? captureTouches(bookId, payment, read!) : []),
  succeed(draft, { payment, operation, report, read }) {
    markAuthorized(draft, payment, { operation, report, release: read?.release });
    if (operation.final) expectPayday(draft);
    return {};
  },
  fail(draft, { payment, report: { status, isExpiry, code, networkCode } }) {
    if (status === 'canceled' && isExpiry && payment.sourceType === 'cliq_request') markExpired(draft, payment);
    else if (status === 'canceled') markVoided(draft, payment);
    else markDeclined(draft, payment, { code: code ?? 'generic_decline', networkCode: networkCode ?? null });
    return {};
  },
  challenge(draft, { payment, operation, report }) {
    const { challenge: given } = report;
    if (given === undefined && payment.sourceType !== 'cliq_request') return undefined;
    if (operation.status === 'requires_action') return keepChallenged(draft, operation);
    if (given === undefined) markRequested(draft, payment);
    else markChallenged(draft, payment, given);
    // The acquirer reports the outcome by a notice. It is asked for it once the payer's time is over.
    const until = given?.expiresAt ?? draft.moment.wall + (payment.expiresAt! - draft.moment.book);
    return advance(draft, operationResources.authorize, operation, {
      status: 'requires_action',
      acquirerReference: report.reference ?? operation.acquirerReference,
      payerUntil: given ? until : (operation.payerUntil ?? until),
      dueAt: until,
      nextInquiryAt: until,
    });
  },
  /** The payer passed the challenge while it was ended for being late. Nothing is held for it any more. */
  cancelLate(draft, { payment }) {
    if (payment.status !== 'authorized' || payment.pendingOperation !== null) return false;
    markVoided(draft, payment);
    return true;
  },
};

/** An inquiry before the challenge has expired, by a repeated job: the payer keeps the whole time. */
function keepChallenged(draft: Draft, operation: PaymentOperation): PaymentOperation | undefined {
  const { payerUntil: over, withdrawn } = operation;
  if (over === null || over <= draft.moment.wall || withdrawn) return undefined;
  return advance(draft, operationResources.authorize, operation, { dueAt: over, nextInquiryAt: over });
}
