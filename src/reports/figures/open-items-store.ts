/** Lines of an account with the resource that each is of. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { LineRange } from './activity-store.ts';

export interface ItemLine {
  readonly resource: string;
  readonly resourceId: Uuid;
  /** Of a credit what it adds, of a debit less than nothing. */
  readonly change: bigint;
  readonly effectiveAt: Instant;
}

const side = (name: 'debit' | 'credit', change: string) => `
  SELECT ${name}_line AS line, ${change} AS change, entry_sequence FROM postings
  WHERE book_id = $1 AND ${name}_account_id = $2 AND ${name}_line > $3 AND ${name}_line <= $4`;

/** In the order of the lines. Indexes: postings' (book, account, line), entries_pkey. */
export async function listItemLines(
  db: Queryable,
  bookId: BookId,
  { id, after, through }: LineRange,
): Promise<ItemLine[]> {
  const { rows } = await db.query<ItemLine>({
    name: 'postings.items',
    text: `SELECT e.resource, e.resource_id AS "resourceId", l.change, e.effective_at AS "effectiveAt"
      FROM (${side('debit', '-amount')} UNION ALL ${side('credit', 'amount')}) AS l
      CROSS JOIN LATERAL (
        SELECT resource, resource_id, effective_at FROM entries WHERE book_id = $1 AND sequence = l.entry_sequence LIMIT 1
      ) AS e ORDER BY l.line`,
    values: [bookId, id, after, through],
  });
  return rows;
}

/**
 * Of an acquirer's account: each line, as a part of the payments that it is of. The entry of a settlement is of all payments that its lines name; what
 * they leave of it is the settlement's own. Indexes: as above, payment_operations_pkey, payment_disputes_pkey, settlement_lines_by_settlement.
 */
export async function listPaymentLines(
  db: Queryable,
  bookId: BookId,
  { id, after, through }: LineRange,
): Promise<ItemLine[]> {
  const { rows } = await db.query<ItemLine>({
    name: 'postings.payment_items',
    text: `WITH l AS MATERIALIZED (
        SELECT l.line, l.change, e.id, e.resource, e.resource_id, e.effective_at
        FROM (${side('debit', '-amount')} UNION ALL ${side('credit', 'amount')}) AS l
        CROSS JOIN LATERAL (
          SELECT id, resource, resource_id, effective_at FROM entries WHERE book_id = $1 AND sequence = l.entry_sequence LIMIT 1
        ) AS e
      )
      SELECT CASE WHEN p.payment_id IS NULL THEN l.resource ELSE 'payment' END AS resource,
        COALESCE(p.payment_id, l.resource_id) AS "resourceId", p.change, l.effective_at AS "effectiveAt"
      FROM l CROSS JOIN LATERAL (
        SELECT payment_id, amount AS change FROM settlement_lines
          WHERE l.resource = 'settlement' AND book_id = $1 AND settlement_id = l.resource_id AND entry_id = l.id
        UNION ALL
        SELECT NULL, l.change - COALESCE((SELECT sum(amount) FROM settlement_lines
          WHERE book_id = $1 AND settlement_id = l.resource_id AND entry_id = l.id), 0)::bigint WHERE l.resource = 'settlement'
        UNION ALL
        SELECT COALESCE(
          (SELECT payment_id FROM payment_operations WHERE book_id = $1 AND id = l.resource_id),
          (SELECT payment_id FROM payment_disputes WHERE book_id = $1 AND id = l.resource_id)
        ), l.change WHERE l.resource <> 'settlement'
      ) AS p ORDER BY l.line`,
    values: [bookId, id, after, through],
  });
  return rows;
}

export interface WaitingAt {
  readonly id: Uuid;
  readonly accountId: Uuid;
  /** When the first of what is in it was captured; null of an empty one. */
  readonly since: Instant | null;
  readonly amount: bigint;
}

/**
 * What of each account waits for each of its days behind an entry, in a currency: its lines less the amounts that left it. Lines have the moment of their entry; of the last moment,
 * those of entries behind it do not count. Indexes: payment_shares_pkey, payment_share_lines_by_share, payment_releases_by_share, entries_pkey.
 */
export async function listWaiting(
  db: Queryable,
  bookId: BookId,
  {
    currency,
    through,
    after,
    limit,
  }: { readonly currency: string; readonly through: bigint; readonly after: Uuid; readonly limit: number },
): Promise<WaitingAt[]> {
  const { rows } = await db.query<WaitingAt>({
    name: 'payment_shares.at',
    text: `WITH last AS MATERIALIZED (SELECT posted_at FROM entries WHERE book_id = $1 AND sequence = $3),
      part AS MATERIALIZED (
        SELECT id, account_id FROM payment_shares WHERE book_id = $1 AND id > $4 AND currency = $2 ORDER BY id LIMIT $5
      ),
      later AS MATERIALIZED (
        SELECT resource_id FROM entries, last WHERE entries.book_id = $1 AND sequence > $3 AND sequence <= $3 + 10000
          AND entries.posted_at = last.posted_at
      )
      SELECT s.id, s.account_id AS "accountId", i.since, i.amount - r.amount AS amount FROM part s
      CROSS JOIN LATERAL (
        SELECT max(r.created_at) AS at, COALESCE(sum(r.amount), 0)::bigint AS amount FROM payment_releases r
        WHERE r.book_id = $1 AND r.share_id = s.id AND r.created_at <= (SELECT posted_at FROM last)
          AND r.id NOT IN (SELECT resource_id FROM later)
      ) AS r
      CROSS JOIN LATERAL (
        SELECT COALESCE(min(l.created_at) FILTER (WHERE r.at IS NULL OR l.created_at > r.at), min(l.created_at)) AS since, COALESCE(sum(l.amount), 0)::bigint AS amount
        FROM payment_share_lines l
        WHERE l.book_id = $1 AND l.share_id = s.id AND l.created_at <= (SELECT posted_at FROM last)
          AND NOT (l.created_at = (SELECT posted_at FROM last) AND l.operation_id IN (SELECT resource_id FROM later))
      ) AS i ORDER BY s.id`,
    values: [bookId, currency, through, after, limit],
  });
  return rows;
}
