/**
 * Changes a card's cardholder, external id and metadata. An issued card keeps the name that is on it: the processor
 * receives the new name with the card that replaces it.
 */
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { differenceFrom } from '../../ledger/events/previous-attributes.ts';
import { changeOf, unkept } from '../../ledger/resources/change-of.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { maskName } from '../../outside/masks/mask-name.ts';
import type { Cardholder } from '../../processors/processor.ts';
import type { Uuid } from '../../values/ids.ts';
import { cardResource, isAnswered, refusedAs } from './card-resource.ts';
import { cards, type StoredCard } from './card-table.ts';
import { openCardholder, sealCardholder } from './cardholder.ts';

export interface UpdateCard extends Asked {
  readonly cardId: Uuid;
  readonly ifMatch?: number | undefined;
  /** Takes the place of all that was there. */
  readonly cardholder?: Cardholder | undefined;
  readonly externalId?: string | null | undefined;
  readonly metadata?: Record<string, string> | undefined;
}

export const requestCardUpdate: UseCase<{ readonly pool: Pool; readonly secretBox: SecretBox }, UpdateCard> = {
  async prepare({ pool, secretBox }, input) {
    const { bookId, cardId, requestId, actor, ifMatch, cardholder, externalId, metadata } = input;
    const known = cardholder && (await cards.find(pool, bookId, cardId));
    const holder = cardholder && changedHolder(secretBox, { cardholder, known }, { bookId, cardId });
    const salt = newSalt();
    const request = { id: cardId, action: 'update', requestId, actor, ifMatch };
    const command = changeOf<StoredCard, Stored>(cardResource, request, (draft, card) => {
      // The instruction that makes the card is the same on every attempt.
      if (holder && !isAnswered(card)) throw unkept(refusedAs(card, 'The processor has not issued the card yet.'));
      const change = differenceFrom(card, {
        ...holder,
        externalId: externalId === undefined ? card.externalId : externalId,
        metadata: metadata ?? card.metadata,
      });
      if (change === undefined) return storedView(draft, cardResource, card);
      if (change.metadata) indexMetadata(draft, change.metadata, { object: 'card', objectId: card.id });
      // Null of an erased card.
      const textSalt = card.textSalt ?? salt;
      const updated = advance(draft, cardResource, card, { ...change, textSalt }, { event: 'card.updated' });
      return storedView(draft, cardResource, updated);
    });
    return { command };
  },
};

type Holder = Pick<StoredCard, 'cardholderSealed' | 'cardholderMasked' | 'cardholderReference'>;

/** Undefined where the card has the same cardholder: sealing makes other bytes of the same name. */
function changedHolder(
  secretBox: SecretBox,
  { cardholder, known }: { cardholder: Cardholder; known: StoredCard | undefined },
  of: { bookId: Uuid; cardId: Uuid },
): Holder | undefined {
  const before = known && openCardholder(secretBox, known, of.bookId);
  if (before && isSame(before, cardholder)) return undefined;
  return {
    cardholderSealed: sealCardholder(secretBox, cardholder, of),
    cardholderMasked: maskName(cardholder.name),
    cardholderReference: cardholder.reference,
  };
}

function isSame(one: Cardholder, other: Cardholder): boolean {
  return differenceFrom<object>({ ...one }, { ...other }) === undefined;
}
