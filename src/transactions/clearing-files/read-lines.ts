/** What lines are about, read before their command is made: a handful of statements for all of them. */
import { findCardsByReference } from '../../cards/card/card-store.ts';
import { cards } from '../../cards/card/card-table.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import { disputeIdsOf } from '../disputes/dispute-store.ts';
import { purchaseId } from '../purchase/purchase-id.ts';
import { type StoredPurchase, transactions } from '../purchase/purchase-table.ts';
import { type CardScope, cardScopesOf } from '../recording/card-scopes.ts';
import type { PurchaseScope } from '../recording/purchase-scope.ts';
import { looksFor } from '../recording/read-scope.ts';
import type { ReceivedMessage } from '../recording/received-message.ts';
import type { ClearingPart, PartLine } from './clearing-file-store.ts';
import { messageOfLine } from './message-of-line.ts';

export interface ReadLine {
  readonly line: PartLine;
  readonly received: ReceivedMessage;
  /** Null for a card that the book does not have, or that is another processor's. */
  readonly scope: PurchaseScope | null;
  /** Where it is, as far as was read. */
  readonly merchantId: string;
}

/** `anew`: what was read of cards before was overtaken. */
export async function readLines(
  pool: Pool,
  part: Pick<ClearingPart, 'ofBook' | 'processor'>,
  lines: readonly PartLine[],
  { requestId, actor, anew }: { requestId: Uuid; actor: string; anew: boolean },
): Promise<ReadLine[]> {
  const { ofBook: bookId } = part;
  const idOf = ({ networkReference }: PartLine) => purchaseId(bookId, networkReference);
  const purchases = await transactions.load(pool, bookId, [...new Set(lines.map(idOf))]);
  const received = lines.map((line) => messageOfLine(line, { bookId, requestId, actor }));
  const scopes = await readScopes(pool, part, received, {
    anew,
    cardOf: (at) => purchases.get(idOf(lines[at]!))?.cardId,
  });
  const disputes = await disputesOf(pool, bookId, [...purchases.values()]);
  return lines.map((line, at) => {
    const id = idOf(line);
    const purchase = purchases.get(id);
    const card = scopes[at];
    const merchantId = purchase?.facts.merchantId ?? line.merchantId;
    const of = { line, received: received[at]!, merchantId };
    if (card === undefined) return { ...of, scope: null };
    return {
      ...of,
      scope: {
        ...{ bookId, purchaseId: id, networkReference: line.networkReference, card, holds: purchase?.holds ?? 0 },
        disputes: disputes.get(id) ?? [],
        looksFor: looksFor(received[at]!, purchase),
      },
    };
  });
}

/** Of each line, undefined for a card that is not there. `cardOf`: of its purchase. */
async function readScopes(
  pool: Pool,
  { ofBook: bookId, processor }: Pick<ClearingPart, 'ofBook' | 'processor'>,
  received: readonly ReceivedMessage[],
  { anew, cardOf }: { anew: boolean; cardOf: (at: number) => Uuid | undefined },
): Promise<(CardScope | undefined)[]> {
  const references = received.flatMap(({ card }) =>
    card !== null && 'cardReference' in card ? [card.cardReference] : [],
  );
  const byReference = await findCardsByReference(pool, bookId, [...new Set(references)]);
  const named = received.map(({ card }, at) => {
    if (card === null) return cardOf(at);
    if ('cardId' in card) return card.cardId;
    return 'cardReference' in card ? byReference.get(card.cardReference)?.id : undefined;
  });
  const ids = [...new Set(named.filter((id) => id !== undefined))];
  const rows = await cards.load(pool, bookId, ids);
  const known = ids.filter((id) => rows.get(id)?.processor === processor);
  const scopes = new Map<Uuid, CardScope | undefined>();
  const read = async (id: Uuid) => void scopes.set(id, await cardScopesOf(pool).of(bookId, id, { anew }));
  await Promise.all(known.map(read));
  return named.map((id) => (id === undefined ? undefined : scopes.get(id)));
}

/** Few purchases have any. */
async function disputesOf(
  pool: Pool,
  bookId: BookId,
  purchases: readonly StoredPurchase[],
): Promise<Map<Uuid, readonly Uuid[]>> {
  const disputed = purchases.filter(({ disputes }) => disputes > 0);
  const read = async ({ id }: StoredPurchase) => [id, await disputeIdsOf(pool, bookId, id)] as const;
  return new Map(await Promise.all(disputed.map(read)));
}
