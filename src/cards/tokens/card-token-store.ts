import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Walk } from '../../db/walk.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import type { CardTokenStatus } from './card-token.ts';
import { cardTokens, type StoredCardToken } from './card-token-table.ts';

/** A page of the tokens of a line, newest first. Index: card_tokens_by_line_id. */
export function listTokensOfLine(
  db: Queryable,
  { bookId, lineId, statuses }: { bookId: BookId; lineId: Uuid; statuses?: readonly CardTokenStatus[] | undefined },
  page: PageRequest,
): Promise<Page<StoredCardToken>> {
  const owner = { line_id: lineId };
  const walk: Walk = {
    table: cardTokens.name,
    id: 'id',
    equal: { book_id: bookId, ...owner },
    predicate: 'line_id IS NOT NULL',
  };
  return listRows(
    db,
    { table: cardTokens },
    { bookId, owner, filter: { equal: { status: statuses }, walks: [walk] }, page },
  );
}

/** The token that its network knows by this reference. Index: card_tokens_by_reference. */
export async function findTokenByReference(
  db: Queryable,
  bookId: BookId,
  reference: string,
): Promise<StoredCardToken | undefined> {
  const { rows } = await db.query({
    name: 'card_tokens.by_reference',
    text: `SELECT ${cardTokens.selected()} FROM card_tokens WHERE book_id = $1 AND token_reference = $2`,
    values: [bookId, reference],
  });
  return rows[0] && cardTokens.fromRow(rows[0]);
}
