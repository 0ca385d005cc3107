import { plainArray } from '../../../db/columns.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Instant } from '../../../values/clock.ts';
import type { Uuid } from '../../../values/ids.ts';

/** The row of a manual entry with its entry, and with what it reverses. Texts are of SQL: equal ones are equal postings. */
export interface ManualEntryRow {
  readonly id: Uuid;
  readonly sequence: bigint;
  /** Null without an entry of that sequence. */
  readonly entryId: Uuid | null;
  readonly resource: string | null;
  readonly resourceId: Uuid | null;
  readonly reverses: Uuid | null;
  /** The reversal that the row of reversals names. */
  readonly reversedBy: Uuid | null;
  /** The postings as the opposite of them would be, and those of the entry that it reverses. */
  readonly opposite: string | null;
  readonly original: string | null;
  /** Origins of accounts that one posting joins, where it must not. */
  readonly joined: string | null;
  readonly postedAt: Instant | null;
  readonly effectiveAt: Instant | null;
  readonly occurredOn: string | null;
  readonly timeZone: string;
  /** Its lines, `account line change`, in order. */
  readonly lines: string | null;
  /** The same as the log of effective days has them, each with `posted_on effective_on`. */
  readonly logged: string | null;
}

/** Indexes: manual_entries_pkey, entries_pkey and entries_book_id_id_key, postings_pkey, entry_reversals_pkey, accounts_pkey, effective_lines_pkey. */
export async function readManualEntries(
  db: Queryable,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<ManualEntryRow[]> {
  const { rows } = await db.query<ManualEntryRow>({
    name: 'verify.manual_entries',
    text: checked(
      "book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3",
    ),
    values: [bookId, page.after ?? null, page.limit],
  });
  return rows;
}

/** The same by id. Ids of other resources are skipped. */
export async function readManualEntriesById(
  db: Queryable,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<ManualEntryRow[]> {
  const { rows } = await db.query<ManualEntryRow>({
    name: 'verify.manual_entries_by_id',
    text: checked('book_id = $1 AND id = ANY ($2::uuid[])'),
    values: [bookId, plainArray(ids)],
  });
  return rows;
}

const postingsOf = (sequence: string, first: string, second: string, order: string) => `(
  SELECT string_agg(p.${first} || ' ' || p.${second} || ' ' || p.amount, ',' ORDER BY p.ordinal ${order})
  FROM postings p WHERE p.book_id = $1 AND p.entry_sequence = ${sequence})`;

/**
 * The lines of the postings of the entry: each once on either side. OFFSET 0 keeps the order of joins
 * (docs/decisions/kept-plans.md).
 */
const LINES = `(SELECT s.account_id, s.line, s.side, p.amount FROM postings p
  CROSS JOIN LATERAL (VALUES (p.debit_account_id, p.debit_line, 'debit'), (p.credit_account_id, p.credit_line, 'credit'))
    AS s (account_id, line, side)
  WHERE p.book_id = $1 AND p.entry_sequence = e.sequence OFFSET 0) s`;
const accountOf = (id: string) => `(SELECT code, side FROM accounts WHERE book_id = $1 AND id = ${id} OFFSET 0)`;

function checked(which: string): string {
  return `SELECT m.id, m.sequence, e.id AS "entryId", e.resource, e.resource_id AS "resourceId", e.reverses,
      r.reversal_id AS "reversedBy",
      CASE WHEN e.reverses IS NOT NULL THEN ${postingsOf('e.sequence', 'credit_account_id', 'debit_account_id', 'DESC')} END AS opposite,
      CASE WHEN o.sequence IS NOT NULL THEN ${postingsOf('o.sequence', 'debit_account_id', 'credit_account_id', 'ASC')} END AS original,
      (SELECT d.code || ' and ' || c.code
        FROM (SELECT * FROM postings WHERE book_id = $1 AND entry_sequence = e.sequence OFFSET 0) p
        CROSS JOIN LATERAL ${accountOf('p.debit_account_id')} d
        CROSS JOIN LATERAL ${accountOf('p.credit_account_id')} c
        WHERE d.code <> c.code OR d.code NOT IN ('customer', 'own') LIMIT 1) AS joined,
      e.posted_at AS "postedAt", e.effective_at AS "effectiveAt", e.occurred_on AS "occurredOn",
      (SELECT time_zone FROM books WHERE id = $1) AS "timeZone",
      (SELECT string_agg(s.account_id || ' ' || s.line || ' ' || CASE WHEN a.side = s.side THEN s.amount ELSE -s.amount END, ','
          ORDER BY s.account_id, s.line)
        FROM ${LINES} CROSS JOIN LATERAL ${accountOf('s.account_id')} a
        WHERE e.effective_at <> e.posted_at) AS lines,
      (SELECT string_agg(l.account_id || ' ' || l.line || ' ' || l.change || ' ' || l.posted_on || ' ' || l.effective_on, ','
          ORDER BY l.account_id, l.line)
        FROM ${LINES} CROSS JOIN LATERAL (
          SELECT * FROM effective_lines WHERE book_id = $1 AND account_id = s.account_id AND line = s.line OFFSET 0) l) AS logged
    FROM (SELECT * FROM manual_entries WHERE ${which}) m
    LEFT JOIN LATERAL (SELECT * FROM entries WHERE book_id = $1 AND sequence = m.sequence OFFSET 0) e ON true
    LEFT JOIN LATERAL (SELECT sequence FROM entries WHERE book_id = $1 AND id = e.reverses OFFSET 0) o ON true
    LEFT JOIN LATERAL (SELECT reversal_id FROM entry_reversals WHERE book_id = $1 AND entry_id = e.reverses OFFSET 0) r ON true
    ORDER BY m.id`;
}
