import { plainArray } from '../../../db/columns.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';
import type { CardStatus } from '../card.ts';
import { cards, type StoredCard } from '../card-table.ts';

/** A card with counts of its line and its newest operations, in one statement: all of one moment. */
export interface CardHistory {
  readonly card: StoredCard;
  /** Of its line: how many cards and tokens there are. */
  readonly cards: number;
  readonly tokens: number;
  /** Cards that are part of the line, and that no other follows. */
  readonly newest: number;
  readonly openCards: number;
  readonly openTokens: number;
  /** The state that was sent to its processor last, or is about to be. Null where no operation is of a state. */
  readonly sentState: CardStatus | null;
  /** What makes it, where that is not decided. */
  readonly isBeingMade: boolean;
}

interface FactsRow {
  readonly line_has_cards: number;
  readonly line_has_tokens: number;
  readonly newest: number;
  readonly open_cards: number;
  readonly open_tokens: number;
  readonly sent_state: CardStatus | null;
  readonly is_being_made: boolean;
}

/** Reads a page of cards. Indexes: cards_pkey, cards_by_line, card_tokens_by_line_id, card_operations_by_card. */
export function readCardHistories(
  db: Queryable,
  bookId: BookId,
  { after = BEFORE_ALL_IDS, limit }: { after: Uuid | undefined; limit: number },
): Promise<CardHistory[]> {
  const text = withFacts('book_id = $1 AND id > $2::uuid ORDER BY id LIMIT $3');
  return read(db, { name: 'verify.cards', text, values: [bookId, after, limit] });
}

/** The same by id. Ids of other resources are skipped. */
export function readCardHistoriesById(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<CardHistory[]> {
  const text = withFacts('book_id = $1 AND id = ANY ($2::uuid[])');
  return read(db, { name: 'verify.cards_by_id', text, values: [bookId, plainArray(ids)] });
}

/** OFFSET 0: docs/decisions/kept-plans.md. */
function withFacts(which: string): string {
  return `SELECT ${cards.selected('o')}, l.line_has_cards, l.newest, l.open_cards, t.line_has_tokens, t.open_tokens,
      s.sent_state, m.is_being_made
    FROM (SELECT * FROM cards WHERE ${which}) o
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS line_has_cards,
        (count(*) FILTER (WHERE c.replaced_by IS NULL AND (c.replacement_for IS NULL OR b.replaced_by = c.id)))::integer
          AS newest,
        (count(*) FILTER (WHERE c.status <> 'closed'))::integer AS open_cards
      FROM cards c LEFT JOIN LATERAL (
        SELECT replaced_by FROM cards WHERE book_id = c.book_id AND id = c.replacement_for OFFSET 0) b ON true
      WHERE c.book_id = o.book_id AND c.line_id = o.line_id
    ) l
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS line_has_tokens,
        (count(*) FILTER (WHERE k.status <> 'deactivated'))::integer AS open_tokens
      FROM card_tokens k WHERE k.book_id = o.book_id AND k.line_id = o.line_id
    ) t
    CROSS JOIN LATERAL (
      SELECT (SELECT p.state FROM card_operations p
        WHERE p.book_id = o.book_id AND p.card_id = o.id AND p.state IS NOT NULL
        ORDER BY p.state_version DESC NULLS LAST LIMIT 1) AS sent_state
    ) s
    CROSS JOIN LATERAL (
      SELECT EXISTS (SELECT FROM card_operations p WHERE p.book_id = o.book_id AND p.card_id = o.id
        AND p.kind IN ('issue', 'replace') AND p.status = 'pending') AS is_being_made
    ) m
    ORDER BY o.id`;
}

async function read(db: Queryable, query: { name: string; text: string; values: unknown[] }): Promise<CardHistory[]> {
  const { rows } = await db.query<FactsRow>(query);
  return rows.map((row) => ({
    card: cards.fromRow(row),
    cards: row.line_has_cards,
    tokens: row.line_has_tokens,
    newest: row.newest,
    openCards: row.open_cards,
    openTokens: row.open_tokens,
    sentState: row.sent_state,
    isBeingMade: row.is_being_made,
  }));
}
