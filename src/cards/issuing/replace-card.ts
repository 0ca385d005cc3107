/**
 * Replacing a card: the one that follows it is made, and what closes at once closes in the same commit. Controls, usage and tokens belong to
 * the line; the integrator's own reference and metadata are those of one card, and stay with it.
 */
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { changeOf } from '../../ledger/resources/change-of.ts';
import { advance, begin } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { ReplacementReason } from '../card/card.ts';
import { replaceCard, type Successor } from '../card/card-line.ts';
import { cardResource, refusedAs } from '../card/card-resource.ts';
import { cards, type StoredCard } from '../card/card-table.ts';
import { openCardholder, openShipping, type Shipping, sealCardholder, sealShipping } from '../card/cardholder.ts';
import { closeCards } from '../lines/close-cards.ts';
import { CARDS_PER_LINE_MAX, countInLine, lineIn, lineTouches } from '../lines/line.ts';
import { readLine } from '../lines/line-store.ts';
import { startOperation } from '../operations/new-operation.ts';
import { refuseShipping } from './request-card.ts';

export interface ReplaceInput extends Asked {
  readonly cardId: Uuid;
  readonly ifMatch?: number | undefined;
  readonly reason: ReplacementReason;
  /** Null: where the card before it was sent. */
  readonly shipping: Shipping | null;
}

/** Name and addresses, sealed for the card that follows. */
type Sealed = Pick<StoredCard, 'cardholderSealed' | 'shippingSealed'>;

export const requestReplacement: UseCase<{ readonly pool: Pool; readonly secretBox: SecretBox }, ReplaceInput> = {
  async prepare({ pool, secretBox }, input) {
    const { bookId, cardId, requestId, actor, ifMatch } = input;
    const [card, line] = await Promise.all([cards.find(pool, bookId, cardId), readLine(pool, bookId, cardId)]);
    if (!card || !line) throw new ApiError('resource_not_found', { param: 'id' });
    const successorId = newId();
    const salt = newSalt();
    const sealed = sealAnew(secretBox, { card, shipping: input.shipping }, { bookId, cardId: successorId });
    const request = { id: cardId, action: 'replace', requestId, actor, ifMatch, touches: lineTouches(line) };
    const command = changeOf<StoredCard, Stored>(cardResource, request, (draft, current) => {
      const refusal = refuseReplacement(current, { read: card, cards: line.cardIds.length });
      if (refusal) return refusal;
      const { cards: ofLine, tokens } = lineIn(draft, line);
      const { successor, closings } = replaceCard(ofLine, current, input.reason);
      const next = newCard(draft, successor, { id: successorId, current, sealed: sealed!, salt, requestId });
      advance(draft, cardResource, current, { replacedBy: next.id }, { event: 'card.replaced' });
      const body = begin(draft, cardResource, next, 'card.created');
      countInLine(draft, next.lineId, { cards: 1 });
      closeCards(draft, { cards: [...ofLine, next], tokens }, closings, requestId);
      startOperation(draft, next, {
        kind: 'replace',
        reference: endToEndId(bookId, `card ${current.id} replace ${input.idempotencyKey ?? next.id}`),
        state: next.status,
        requestId,
      });
      return { status: 202, body, resource: 'card', resourceId: next.id };
    });
    return { command };
  },
};

/** Undefined where the name is erased, or no address of the card is known yet: the decision refuses either. */
function sealAnew(
  secretBox: SecretBox,
  { card, shipping: given }: { card: StoredCard; shipping: Shipping | null },
  of: { bookId: BookId; cardId: Uuid },
): Sealed | undefined {
  const cardholder = openCardholder(secretBox, card, of.bookId);
  if (cardholder === null) return undefined;
  const shipping = given ?? openShipping(secretBox, card, of.bookId);
  refuseShipping(card.type, shipping);
  return {
    cardholderSealed: sealCardholder(secretBox, cardholder, of),
    shippingSealed: shipping === null ? null : sealShipping(secretBox, shipping, of),
  };
}

/** Throws StaleRead where name or address have changed since they were read. */
function refuseReplacement(card: StoredCard, at: { read: StoredCard; cards: number }): Refusal | undefined {
  if (!isSame(card.cardholderSealed, at.read.cardholderSealed) || !isSame(card.shippingSealed, at.read.shippingSealed))
    throw new StaleRead('The cardholder has changed meanwhile. Send the request again.');
  if (card.cardholderSealed === null)
    return refusedAs(card, 'The name of the cardholder was erased. Give the card one by PATCH, then replace it.');
  if (at.cards >= CARDS_PER_LINE_MAX)
    return {
      refused: 'limit_exceeded',
      detail: `At most ${CARDS_PER_LINE_MAX} cards replace one another. Make a new card.`,
      facts: { limit: BigInt(CARDS_PER_LINE_MAX) },
    };
  return undefined;
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

function newCard(
  draft: Draft,
  successor: Successor,
  of: { id: Uuid; current: StoredCard; sealed: Sealed; salt: Buffer; requestId: Uuid },
): StoredCard {
  const { current, sealed } = of;
  const { book } = draft.moment;
  return {
    id: of.id,
    lineId: successor.lineId,
    lineCards: 1,
    lineTokens: 0,
    status: successor.status,
    type: successor.type,
    accountId: successor.accountId,
    currency: current.currency,
    processor: current.processor,
    cardReference: null,
    lastFour: null,
    network: null,
    expMonth: null,
    expYear: null,
    pinStatus: successor.pinStatus,
    pinFailures: successor.pinFailures,
    shippingStatus: sealed.shippingSealed === null ? null : 'ordered',
    replacementFor: successor.replacementFor,
    replacementReason: successor.replacementReason,
    replacedBy: null,
    closedReason: null,
    lockedTo: successor.lockedTo,
    cardholderSealed: sealed.cardholderSealed,
    cardholderMasked: current.cardholderMasked,
    cardholderReference: current.cardholderReference,
    shippingSealed: sealed.shippingSealed,
    externalId: null,
    metadata: {},
    textSalt: of.salt,
    requestId: of.requestId,
    version: 1,
    createdAt: book,
    updatedAt: book,
  };
}
