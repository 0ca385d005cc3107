/**
 * An integrator's actions on a card. They count in our decisions with their commit; the processor is notified
 * afterwards.
 */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import type { CardAction, CardStatus } from '../card/card.ts';
import { cardsOfNumber, closingsByActivation } from '../card/card-line.ts';
import { UNBLOCKED_PIN } from '../card/card-pin.ts';
import { cardResource } from '../card/card-resource.ts';
import { cards, type StoredCard } from '../card/card-table.ts';
import { closeCards, leaveLine } from '../lines/close-cards.ts';
import { lineIn, lineTouches } from '../lines/line.ts';
import { type LineRead, readLine } from '../lines/line-store.ts';
import { startPinOperation, startStateOperation } from '../operations/new-operation.ts';

export interface CardActionInput extends Asked {
  readonly cardId: Uuid;
  readonly ifMatch?: number | undefined;
}

type Act = (draft: Draft, card: StoredCard, asked: { readonly line: LineRead; readonly requestId: Uuid }) => StoredCard;

const ACTS: Readonly<Record<Exclude<CardAction, 'replace'>, Act>> = {
  /** Activating a card that replaces others closes them. */
  activate(draft, card, { line: read, requestId }) {
    const line = lineIn(draft, read);
    closeCards(draft, line, closingsByActivation(line.cards, card), requestId);
    return moveTo(draft, card.id, { status: 'active', event: 'card.activated', requestId });
  },
  freeze: (draft, card, { requestId }) => moveTo(draft, card.id, { status: 'frozen', event: 'card.frozen', requestId }),
  unfreeze: (draft, card, { requestId }) =>
    moveTo(draft, card.id, { status: 'active', event: 'card.unfrozen', requestId }),
  close(draft, card, { line, requestId }) {
    const read = lineIn(draft, line);
    const closing = { cardId: card.id, closedReason: 'requested' } as const;
    closeCards(draft, read, [closing], requestId);
    // One that never worked takes no card's place.
    if (card.status === 'pending_activation') leaveLine(draft, read, closing);
    return draft.get(cards, card.id)!;
  },
  /** Reported by whoever sends cards; the processor knows it. */
  ship: (draft, card) => advance(draft, cardResource, card, { shippingStatus: 'shipped' }, { event: 'card.shipped' }),
  /** The processor knows one PIN of a number, and is notified once, of a card that it has issued. */
  unblock_pin(draft, card, { line: read, requestId }) {
    const unblocked = cardsOfNumber(lineIn(draft, read).cards, card)
      .filter(({ pinStatus }) => pinStatus === 'blocked')
      .map((one) => advance(draft, cardResource, one, UNBLOCKED_PIN, { event: 'card.pin_unblocked' }));
    const own = unblocked.find(({ id }) => id === card.id)!;
    const issued = [own, ...unblocked].find(({ cardReference }) => cardReference !== null);
    startPinOperation(draft, issued ?? own, requestId);
    return own;
  },
};

export const requestActivation = acting('activate');
export const requestFreeze = acting('freeze');
export const requestUnfreeze = acting('unfreeze');
export const requestClosing = acting('close');
export const requestShipped = acting('ship');
export const requestUnblockedPin = acting('unblock_pin');

function moveTo(
  draft: Draft,
  cardId: Uuid,
  { status, event, requestId }: { status: Exclude<CardStatus, 'closed'>; event: string; requestId: Uuid },
): StoredCard {
  const moved = advance(draft, cardResource, draft.get(cards, cardId)!, { status }, { event });
  startStateOperation(draft, moved, requestId);
  return moved;
}

function acting(action: keyof typeof ACTS): UseCase<{ readonly pool: Pool }, CardActionInput> {
  return {
    async prepare({ pool }, input) {
      const line = await readLine(pool, input.bookId, input.cardId);
      if (!line) throw new ApiError('resource_not_found', { param: 'id' });
      return { command: actOnCard(action, line, input) };
    },
  };
}

/** Throws StaleRead where the line has changed since it was read. */
export function actOnCard(
  action: keyof typeof ACTS,
  line: LineRead,
  { cardId, requestId, actor, ifMatch }: Pick<CardActionInput, 'cardId' | 'requestId' | 'actor' | 'ifMatch'>,
): Command<Stored | Refusal> {
  const request = { id: cardId, action, requestId, actor, ifMatch, touches: lineTouches(line) };
  return changeOf<StoredCard, Stored>(cardResource, request, (draft, card) =>
    storedView(draft, cardResource, ACTS[action](draft, card, { line, requestId })),
  );
}
