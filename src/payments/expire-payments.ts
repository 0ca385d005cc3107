/** Expires what ran out of time: authorizations that nobody captured, and payers who did not act. By the book's own time. */
import type { Appointment } from '../appointment.ts';
import { newId } from '../ids.ts';
import { accounts } from '../ledger/account-table.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import { advance } from '../ledger/resource.ts';
import { movedPayments } from './moved-operations.ts';
import type { Payment } from './payment.ts';
import { paymentResource } from './payment-resource.ts';
import { settleIfPaid } from './payment-settled.ts';
import { payments } from './payment-table.ts';

/** The time of an operation under way is at least over then: nothing is expired while the acquirer may still answer. */
const LATER_MS = 60_000;

export const paymentExpiries: readonly Appointment[] = (
  ['requires_action', 'authorized', 'partially_captured'] as const
).map((status) => ({
  name: `payments that expire (${status})`,
  rows: movedPayments,
  status,
  column: 'expires_at',
  pool: 'ledger',
  job: 'payment.expire',
  async command(pool, bookId, ids) {
    return expirePayments(bookId, [...(await payments.load(pool, bookId, ids)).values()]);
  },
}));

/** Answers with how many expired. Those that are not over yet, or have an operation under way, are left for later. */
export function expirePayments(_bookId: BookId, known: readonly Payment[]): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const ids = known.map(({ id }) => id);
  return {
    ...origin,
    name: 'payment.expire',
    touches: [
      { table: payments, ids },
      { table: accounts, ids: [...new Set(known.map(({ accountId }) => accountId))] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let expired = 0;
      for (const id of ids) {
        const payment = draft.get(payments, id);
        const isOver = payment?.expiresAt != null && payment.expiresAt <= moment.book;
        if (payment && isOver && payment.pendingOperation === null) {
          expirePayment(draft, payment);
          expired++;
        } else {
          // Each payment keeps the id of its event: an attempt after a lost answer finds others over than the one before.
          draft.mintId();
          if (payment && isOver)
            draft.put(payments, id, { ...payment, expiresAt: moment.book + LATER_MS, dueAt: moment.wall + LATER_MS });
        }
      }
      return draft.finish(expired);
    },
  };
}

/** What was captured stays: the rest is given up. */
function expirePayment(draft: Draft, payment: Payment): Payment {
  const over = { expiresAt: null, dueAt: null, nextAction: null };
  if (payment.amountCaptured > 0n)
    return settleIfPaid(
      draft,
      advance(draft, paymentResource, payment, { ...over, status: 'captured' }, { event: 'payment.captured' }),
    );
  return advance(draft, paymentResource, payment, { ...over, status: 'expired' }, { event: 'payment.expired' });
}
