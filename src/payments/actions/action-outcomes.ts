/** What an acquirer's report means for what an integrator asked of a payment (act-on-payment.ts): a line for each kind. */
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { OperationEnd, OperationOutcome, Reported } from '../operations/operation-outcome.ts';
import { expectPayday, paydayTouches } from '../paydays/payday.ts';
import type { Payment } from '../payment/payment.ts';
import { moneyTouches } from '../readers/payment-touches.ts';
import { type ReleaseTerms, readRelease, shareTouches } from '../shares/earn-share.ts';
import { markCaptured, markIncremented, markUnchanged, markVoided } from './payment-steps.ts';

export const captureOutcome: OperationOutcome<ReleaseTerms> = {
  read: readRelease,
  touches: (bookId, { payment, read }) => captureTouches(bookId, payment, read),
  succeed(draft, { payment, operation, read: { release } }) {
    const { change, entry } = markCaptured(draft, payment, { operation, release });
    expectPayday(draft);
    return { change, entries: [entry] };
  },
  fail: leaveUnchanged,
};

export const voidOutcome: OperationOutcome = {
  touches: () => [],
  succeed(draft, { payment }) {
    markVoided(draft, payment);
    return {};
  },
  fail: leaveUnchanged,
};

export const incrementOutcome: OperationOutcome = {
  touches: () => [],
  succeed(draft, { payment, operation }) {
    markIncremented(draft, payment, operation);
    return {};
  },
  fail: leaveUnchanged,
};

function leaveUnchanged(draft: Draft, { payment }: Reported<unknown>): OperationEnd {
  markUnchanged(draft, payment);
  return {};
}

/** Of what is captured: the accounts that it passes, the shares that it may add to, and the payday that it is paid on. */
export function captureTouches(bookId: BookId, payment: Payment, { today, release }: ReleaseTerms): Touch[] {
  return [
    ...moneyTouches(bookId, payment),
    ...shareTouches(bookId, payment, release, today),
    ...paydayTouches(bookId, today),
  ];
}
