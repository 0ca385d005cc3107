/** Expires what ran out of time: authorizations that nobody captured, and payers who did not act. By the book's own time. */
import type { Appointment } from '../appointment.ts';
import { newId, type Uuid } from '../ids.ts';
import { accounts } from '../ledger/account-table.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import { movedPayments } from './moved-operations.ts';
import type { Payment } from './payment.ts';
import { paymentOperations } from './payment-operation-table.ts';
import { markExpired } from './payment-steps.ts';
import { payments } from './payment-table.ts';
import { readerTouches } from './payment-touches.ts';

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
  const requests = new Map(known.filter(isRequest).map(({ id, pendingOperation }) => [id, pendingOperation]));
  const atReader = new Set(known.filter(({ sourceFacts }) => sourceFacts?.actionId).map(({ id }) => id));
  return {
    ...origin,
    name: 'payment.expire',
    touches: [
      { table: payments, ids },
      { table: paymentOperations, ids: [...requests.values()].filter((id) => id !== null) },
      ...known.flatMap(readerTouches),
      { table: accounts, ids: [...new Set(known.map(({ accountId }) => accountId))] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let expired = 0;
      for (const id of ids) {
        const payment = draft.get(payments, id);
        const isOver = payment?.expiresAt != null && payment.expiresAt <= moment.book;
        if (payment && isOver && payment.pendingOperation === null) {
          markExpired(draft, payment);
          expired++;
        } else {
          // Each payment keeps the ids of its events: an attempt after a lost answer finds others over than the one before.
          draft.mintId();
          if (atReader.has(id)) draft.mintId();
          const request = requests.get(id);
          if (payment && isOver && request && request === payment.pendingOperation) withdraw(draft, payment, request);
          else if (payment && isOver)
            draft.put(payments, id, { ...payment, expiresAt: moment.book + LATER_MS, dueAt: moment.wall + LATER_MS });
        }
      }
      return draft.finish(expired);
    },
  };
}

function isRequest({ sourceType }: Payment): boolean {
  return sourceType === 'cliq_request';
}

/** The acquirer is asked to take a request to pay back: what became of it by then ends the payment. */
function withdraw(draft: Draft, payment: Payment, operationId: Uuid): void {
  const operation = draft.get(paymentOperations, operationId)!;
  draft.put(payments, payment.id, { ...payment, expiresAt: null, dueAt: null });
  draft.put(paymentOperations, operationId, {
    ...operation,
    nextInquiryAt: draft.moment.wall,
    dueAt: draft.moment.wall,
  });
  draft.enqueue({ pool: 'payments', job: 'operation.inquire', id: operationId });
}
