import { textArray } from '../../db/columns.ts';
import type { CreatedRange, Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import type { CardStatus, CardType } from './card.ts';
import { cards, type StoredCard } from './card-table.ts';

export interface CardFilter {
  readonly accountId?: Uuid | undefined;
  readonly statuses?: readonly CardStatus[] | undefined;
  readonly types?: readonly CardType[] | undefined;
  readonly created?: CreatedRange | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** A page of cards, newest first. Indexes: cards_by_account, cards_by_external_id, cards_by_status, metadata_index; else cards_pkey. */
export function listCards(
  db: Queryable,
  bookId: BookId,
  { accountId, statuses, types, created, externalId, metadata }: CardFilter,
  page: PageRequest,
): Promise<Page<StoredCard>> {
  const filter = {
    among: { account_id: valuesOf(accountId), external_id: valuesOf(externalId), status: statuses },
    equal: { type: types },
    created,
    metadata,
  };
  return listRows(db, { table: cards, object: 'card' }, { bookId, filter, page });
}

function valuesOf(value: string | undefined): string[] | undefined {
  return value === undefined ? undefined : [value];
}

/** The card that its processor knows by this reference. Index: cards_by_reference. */
export async function findCardByReference(
  db: Queryable,
  bookId: BookId,
  reference: string,
): Promise<StoredCard | undefined> {
  const { rows } = await db.query({
    name: 'cards.by_reference',
    text: `SELECT ${cards.selected()} FROM cards WHERE book_id = $1 AND card_reference = $2`,
    values: [bookId, reference],
  });
  return rows[0] && cards.fromRow(rows[0]);
}

/** The same of several, by their references. */
export async function findCardsByReference(
  db: Queryable,
  bookId: BookId,
  references: readonly string[],
): Promise<Map<string, StoredCard>> {
  if (references.length === 0) return new Map();
  const { rows } = await db.query({
    name: 'cards.by_references',
    text: `SELECT ${cards.selected()} FROM cards WHERE book_id = $1 AND card_reference = ANY ($2::text[])`,
    values: [bookId, textArray(references)],
  });
  const found = rows.map((row) => cards.fromRow(row));
  return new Map(found.map((card) => [card.cardReference!, card]));
}
