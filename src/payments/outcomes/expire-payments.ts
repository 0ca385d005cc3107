/** Expires, in the book's own time, authorizations that were not captured and payments whose payer did not act. */
import type { Appointment } from '../../group/appointment.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { markExpired } from '../actions/payment-steps.ts';
import { movedPayments } from '../operations/moved-operations.ts';
import { withdrawOperation } from '../operations/new-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import type { Payment } from '../payment/payment.ts';
import { payments } from '../payment/payment-table.ts';
import { readerTouches } from '../readers/payment-touches.ts';

/** When a payment with an operation at the acquirer is looked at again: it does not expire while the acquirer may still answer. */
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
    return expirePayments([...(await payments.load(pool, bookId, ids)).values()]);
  },
}));

/** Answers with how many expired. Those that are not over yet, or have an operation under way, are left for later. */
export function expirePayments(known: readonly Payment[]): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const ids = known.map(({ id }) => id);
  const requests = new Map(known.filter(isRequest).map(({ id, pendingOperation }) => [id, pendingOperation]));
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
      for (const id of draft.each(ids)) {
        const payment = draft.get(payments, id);
        if (payment?.expiresAt != null && payment.expiresAt <= moment.book)
          expired += expire(draft, payment, requests.get(id)) ? 1 : 0;
      }
      return draft.finish(expired);
    },
  };
}

/** False where an operation under way is waited for. `request`: the one that a request to pay was sent by. */
function expire(draft: Draft, payment: Payment, request: Uuid | null | undefined): boolean {
  if (payment.pendingOperation === null) {
    markExpired(draft, payment);
    return true;
  }
  if (payment.pendingOperation === request) withdraw(draft, payment, request);
  else {
    const { book, wall } = draft.moment;
    draft.put(payments, payment.id, { ...payment, expiresAt: book + LATER_MS, dueAt: wall + LATER_MS });
  }
  return false;
}

function isRequest({ sourceType }: Payment): boolean {
  return sourceType === 'cliq_request';
}

/**
 * Withdraws a request to pay. Its outcome by now ends the payment, and the request is not sent to the acquirer again.
 */
function withdraw(draft: Draft, payment: Payment, operationId: Uuid): void {
  draft.put(payments, payment.id, { ...payment, expiresAt: null, dueAt: null });
  withdrawOperation(draft, operationId, { isExpiry: true });
}
