/** What a message is about, as it was read before its command is made. */
import { findCardByReference } from '../../cards/card/card-store.ts';
import { cardTokens } from '../../cards/tokens/card-token-table.ts';
import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import { disputeIdsOf } from '../disputes/dispute-store.ts';
import { purchaseId } from '../purchase/purchase-id.ts';
import { type StoredPurchase, transactions } from '../purchase/purchase-table.ts';
import { type CardScopes, cardScopesOf } from './card-scopes.ts';
import type { PurchaseScope } from './purchase-scope.ts';
import type { CardNamed, ReceivedMessage } from './received-message.ts';

export interface ReadScope {
  readonly scope: PurchaseScope;
  readonly tokenId: Uuid | null;
}

/**
 * `anew`: what was read before was overtaken. Throws ApiError 404 for a purchase, card or token that is not there, and `parameter_missing`
 * where neither the message nor a purchase names the card.
 */
export async function readMessageScope(
  pool: Queryable,
  received: ReceivedMessage,
  { anew }: { anew: boolean },
): Promise<ReadScope> {
  const { bookId } = received;
  // An authorization begins nearly every purchase: it is read only where that turned out to be wrong.
  const isAssumedNew = received.type === 'authorization' && received.card !== null && !anew;
  const purchase = isAssumedNew ? undefined : await findPurchase(pool, received);
  const { cardId, tokenId, param } = await cardOf(pool, received, purchase);
  const card = await cardScopesOf(pool).of(bookId, cardId, { anew });
  if (card === undefined) throw notFound(param, 'There is no such card in this book.');
  const { id, networkReference } = named(received, purchase);
  return {
    scope: {
      ...{ bookId, purchaseId: id, networkReference, card, holds: purchase?.holds ?? 0 },
      disputes: purchase && purchase.disputes > 0 ? await disputeIdsOf(pool, bookId, purchase.id) : [],
      looksFor: looksFor(received, purchase),
    },
    tokenId,
  };
}

/** Of a purchase that exists, for commands that are not messages of its processor. */
export async function scopeOfPurchase(
  cardScopes: CardScopes,
  { bookId, purchase, anew }: { bookId: BookId; purchase: StoredPurchase; anew: boolean },
): Promise<PurchaseScope> {
  const card = await cardScopes.of(bookId, purchase.cardId, { anew });
  if (card === undefined) throw new Error(`Card ${purchase.cardId} of transaction ${purchase.id} is not there`);
  const { id, networkReference, holds } = purchase;
  return { bookId, purchaseId: id, networkReference, card, holds, disputes: [], looksFor: null };
}

function findPurchase(pool: Queryable, { bookId, of }: ReceivedMessage): Promise<StoredPurchase | undefined> {
  if ('networkReference' in of) return transactions.find(pool, bookId, purchaseId(bookId, of.networkReference));
  return transactions.find(pool, bookId, of.purchaseId).then((purchase) => {
    if (purchase === undefined) throw notFound('id', 'There is no such transaction in this book.');
    return purchase;
  });
}

function named({ bookId, of }: ReceivedMessage, purchase: StoredPurchase | undefined) {
  if ('networkReference' in of)
    return { id: purchaseId(bookId, of.networkReference), networkReference: of.networkReference };
  return { id: of.purchaseId, networkReference: purchase!.networkReference };
}

/** The card that the message names is checked against that of the purchase under the lock. */
async function cardOf(
  pool: Queryable,
  { bookId, card }: Pick<ReceivedMessage, 'bookId' | 'card'>,
  purchase: StoredPurchase | undefined,
): Promise<{ cardId: Uuid; tokenId: Uuid | null; param: string }> {
  if (card !== null) return { ...(await namedCard(pool, bookId, card)) };
  if (purchase === undefined)
    throw new ApiError('parameter_missing', {
      param: '/card',
      detail: 'No transaction has this network_reference yet: say the `card`, its `card_reference` or the `token`.',
    });
  return { cardId: purchase.cardId, tokenId: purchase.tokenId, param: '/card' };
}

async function namedCard(pool: Queryable, bookId: BookId, card: CardNamed) {
  if ('cardId' in card) return { cardId: card.cardId, tokenId: null, param: '/card' };
  if ('tokenId' in card) {
    const token = await cardTokens.find(pool, bookId, card.tokenId);
    if (token === undefined) throw notFound('/token', 'There is no such token in this book.');
    return { cardId: token.cardId, tokenId: token.id, param: '/token' };
  }
  const found = await findCardByReference(pool, bookId, card.cardReference);
  if (found === undefined) throw notFound('/card_reference', 'No card of this book has this reference.');
  return { cardId: found.id, tokenId: null, param: '/card_reference' };
}

/** A clearing is forced where nothing was authorized. */
export function looksFor({ type, merchant }: ReceivedMessage, purchase: StoredPurchase | undefined): string | null {
  if (type !== 'clearing' || (purchase !== undefined && purchase.amounts.authorized > 0n)) return null;
  return purchase?.facts.merchantId ?? merchant?.merchantId ?? null;
}

function notFound(param: string, detail: string): ApiError {
  return new ApiError('resource_not_found', { param, detail });
}
