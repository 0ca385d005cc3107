import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/** Which rows a line has, as they were read: a command names them before it is decided (line.ts). */
export interface LineRead {
  /** The first card of the line. */
  readonly lineId: Uuid;
  readonly cardIds: readonly Uuid[];
  /** Tokens that are not deactivated. */
  readonly tokenIds: readonly Uuid[];
  /** How many tokens it has had, deactivated ones too. */
  readonly tokens: number;
}

/** Undefined for a card that is not there. Indexes: cards_pkey, cards_by_line, card_tokens_by_line_id. One statement, so all is of one moment. */
export async function readLine(db: Queryable, bookId: BookId, cardId: Uuid): Promise<LineRead | undefined> {
  const { rows } = await db.query<{ line_id: Uuid; card_ids: Uuid[]; token_ids: Uuid[]; tokens: number }>({
    name: 'cards.read_line',
    text: `SELECT f.id AS line_id, f.line_tokens AS tokens, ARRAY (
        SELECT c.id FROM cards c WHERE c.book_id = f.book_id AND c.line_id = f.id ORDER BY c.id
      ) AS card_ids, ARRAY (
        SELECT t.id FROM card_tokens t WHERE t.book_id = f.book_id AND t.line_id = f.id AND t.status <> 'deactivated' ORDER BY t.id
      ) AS token_ids
      FROM cards o JOIN cards f ON f.book_id = o.book_id AND f.id = o.line_id WHERE o.book_id = $1 AND o.id = $2`,
    values: [bookId, cardId],
  });
  const [row] = rows;
  return row && { lineId: row.line_id, cardIds: row.card_ids, tokenIds: row.token_ids, tokens: row.tokens };
}
