/** Test mode: a card is presented at a reader that asks for one, with a tip where the payer gives one. */
import type { Acquirers } from '../../acquirers/acquirers.ts';
import type { CardShown } from '../../acquirers/card.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { refuseTotals } from '../../ledger/command/lifetime-total.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { MAX_REQUEST_AMOUNT } from '../../money/amount.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import type { Clock } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { newOperation, startOperation } from '../operations/new-operation.ts';
import type { Payment } from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { payments } from '../payment/payment-table.ts';
import { requireAtSandbox } from '../payment/require-at-sandbox.ts';
import { exchangeCard } from '../sources/card.ts';
import { operationTouches, passedAccounts } from './payment-touches.ts';
import { allowedOnReader, type EntryMode, type Reader, type ReaderAction } from './reader.ts';
import { readerActionResource } from './reader-resource.ts';
import { findReader } from './reader-store.ts';
import { readerActions } from './reader-table.ts';

interface PresentRuntime extends OnceRuntime {
  readonly clock: Clock;
  readonly acquirers: Pick<Acquirers, 'get'>;
}

export interface PresentCard extends Asked {
  readonly readerId: Uuid;
  readonly number: string;
  readonly entryMode: EntryMode;
  readonly tip: bigint;
}

/** Test cards have no expiry of their own. */
const YEARS_LEFT = 3;

/** The card is exchanged before the commit. So a repeat is answered from its key, and presents nothing. */
export const presentCard: UseCase<PresentRuntime, PresentCard> = {
  keyFirst: true,
  async prepare(runtime, input) {
    const { pool, clock } = runtime;
    const { bookId, readerId, number } = input;
    const reader = await findReader(pool, bookId, readerId);
    if (!reader) throw new ApiError('resource_not_found', { param: 'id' });
    const action = reader.actionId === null ? undefined : await readerActions.find(pool, bookId, reader.actionId);
    const payment = action && (await payments.find(pool, bookId, action.paymentId));
    if (!payment) throw asksNothing(reader);
    requireAtSandbox(payment);
    const acquirer = runtime.acquirers.get(payment.acquirer);
    const expYear = new Date(clock.now()).getUTCFullYear() + YEARS_LEFT;
    const card = { number, expMonth: 12, expYear, cvc: null, name: null };
    // A card that is certain to be refused is not exchanged: the decision under the lock refuses it.
    const exchanged = refuseTap(payment, action, input)
      ? undefined
      : await exchangeCard(runtime, card, { bookId, acquirer, reusable: false, param: '' });
    return { command: tapCard(input, payment, exchanged) };
  },
};

function asksNothing(reader: Reader): ApiError {
  return new ApiError('state_conflict', {
    detail: 'The reader asks for no card now.',
    facts: { current_status: 'ready', allowed_actions: allowedOnReader(reader) },
  });
}

/** By payment and action as they are: under the lock, or as they were read before. */
function refuseTap(
  payment: Payment,
  action: ReaderAction,
  { tip, isOver = false }: { tip: bigint; isOver?: boolean },
): Refusal | undefined {
  if (action.status !== 'in_progress' || payment.pendingOperation !== null || isOver)
    return {
      refused: 'state_conflict',
      detail: 'The reader asks for no card now.',
      facts: { current_status: action.status, allowed_actions: [] },
    };
  if (payment.amount + tip <= MAX_REQUEST_AMOUNT) return undefined;
  return {
    refused: 'amount_above_maximum',
    param: '/tip',
    detail: 'The amount and its tip come to more than an amount may be.',
    facts: { limit: MAX_REQUEST_AMOUNT - payment.amount },
  };
}

/** requires_action → processing: amount and tip are authorized together. */
function tapCard(
  { bookId, requestId, actor, idempotencyKey, entryMode, tip }: PresentCard,
  known: Payment,
  exchanged: { card: CardShown; token: string } | undefined,
): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId, actor };
  const operationId = newId();
  return {
    ...origin,
    name: 'payment.present_card',
    touches: operationTouches(bookId, known, [{ id: operationId }]),
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const payment = draft.get(payments, known.id)!;
      const action = draft.get(readerActions, known.sourceFacts!.actionId!)!;
      const isOver = action.expiresAt <= moment.book;
      const refused = refuseTap(payment, action, { tip, isOver });
      if (refused) return draft.finish<Refusal>(refused);
      if (!exchanged) throw new StaleRead('What the reader asks for has changed meanwhile.');
      const amount = payment.amount + tip;
      const refusal = refuseTotals(draft, passedAccounts(bookId, payment), { amount, currency: payment.currency });
      if (refusal) return draft.finish<Refusal>({ ...refusal, param: '/tip' });
      const authorization = {
        id: operationId,
        kind: 'authorize' as const,
        amount,
        reference: endToEndId(bookId, `present ${payment.id} ${idempotencyKey ?? operationId}`),
        of: null,
        token: exchanged.token,
        final: payment.captureMode === 'automatic',
        requestId,
      };
      startOperation(draft, newOperation(payment, authorization, moment));
      advance(draft, readerActionResource, action, { entryMode });
      const tapped = advance(draft, paymentResource, payment, {
        status: 'processing',
        card: exchanged.card,
        amountTip: tip,
        pendingOperation: operationId,
      });
      return draft.finish(storedView(draft, paymentResource, tapped));
    },
  };
}
