/** What an acquirer's report means for a refund: it may fail after it has succeeded, and its money goes back either way. */
import type { Uuid } from '../../values/ids.ts';
import type { OperationOutcome } from '../operations/operation-outcome.ts';
import { expectPayday, paydayTouches } from '../paydays/payday.ts';
import { moneyTouches } from '../readers/payment-touches.ts';
import { readToday, type Today } from '../shares/earn-share.ts';
import { readWayBack, wayBackTouches } from './give-back.ts';
import { failRefund, failRefundLate, succeedRefund } from './refund-steps.ts';

export interface RefundTerms {
  readonly today: Today;
  /** The shares that its money may go back to: the acquirer may have paid its captures meanwhile (readWayBack). */
  readonly movedShares: readonly Uuid[];
}

export const refundOutcome: OperationOutcome<RefundTerms> = {
  async read(runtime, bookId, operation) {
    const today = await readToday(runtime, bookId);
    return { today, movedShares: await readWayBack(runtime.pool, bookId, operation) };
  },
  touches: (bookId, { payment, operation, read: { today, movedShares } }) => [
    ...moneyTouches(bookId, payment),
    ...wayBackTouches(operation, movedShares),
    ...paydayTouches(bookId, today),
  ],
  succeed(draft, { payment, operation }) {
    const entries = succeedRefund(draft, payment, operation);
    expectPayday(draft);
    return { entries, event: 'refund.succeeded' };
  },
  fail(draft, { payment, operation }) {
    const failed = failRefund(draft, payment, operation);
    expectPayday(draft);
    return { ...failed, event: 'refund.failed' };
  },
  failLate(draft, { payment, operation }) {
    const failed = failRefundLate(draft, payment, operation);
    expectPayday(draft);
    return { ...failed, event: 'refund.failed' };
  },
};
