/** A payer tries a card: the authorization is written before the acquirer is called, once for each attempt. */
import type { CardShown } from '../../acquirers/card.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { newOperation, startOperation } from '../operations/new-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { awaitsCard, type Payment } from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { payments } from '../payment/payment-table.ts';
import { attemptNumber } from './checkout-state.ts';

export interface TryCard {
  readonly payment: Pick<Payment, 'id'>;
  /** Of the form. */
  readonly attempt: number;
  /** The acquirer's token of the card. Null where the payer gives the card on the acquirer's page. */
  readonly token: string | null;
  readonly card: CardShown | null;
  readonly requestId: Uuid;
}

/**
 * requires_action → processing. Answers with whether the attempt began: a form that was sent twice, or is older than another
 * attempt, changes nothing.
 */
export function tryCard(
  bookId: BookId,
  { payment: { id }, attempt, token, card, requestId }: TryCard,
): Command<boolean> {
  const origin = { id: newId(), requestId };
  const operationId = newId();
  return {
    ...origin,
    name: 'payment.try_card',
    touches: [
      { table: payments, ids: [id] },
      { table: paymentOperations, ids: [operationId] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const payment = draft.get(payments, id);
      const isOpen = payment !== undefined && awaitsCard(payment) && payment.expiresAt! > moment.book;
      if (!isOpen || attempt !== attemptNumber(payment)) return draft.finish(false);
      const authorization = {
        id: operationId,
        kind: 'authorize' as const,
        amount: payment.amount,
        reference: endToEndId(bookId, `checkout ${id} ${attempt}`),
        of: null,
        token,
        final: payment.captureMode === 'automatic',
        requestId,
      };
      startOperation(draft, newOperation(payment, authorization, moment));
      advance(draft, paymentResource, payment, { status: 'processing', card, pendingOperation: operationId });
      return draft.finish(true);
    },
  };
}
