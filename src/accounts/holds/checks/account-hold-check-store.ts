import { plainArray } from '../../../db/columns.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Instant } from '../../../values/clock.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { AccountHold } from '../account-hold.ts';
import { accountHolds } from '../account-hold-table.ts';

/** A hold that the API placed, with the ledger's hold. */
export interface HoldHistory {
  readonly hold: AccountHold;
  readonly stuckAt: Instant | null;
  /** Status, amount, remaining and expiry of the ledger's hold; null without such a hold. */
  readonly ledger: string | null;
  readonly captured: bigint;
  readonly released: bigint;
}

interface HoldRow {
  stuck_at: Instant | null;
  ledger: string | null;
  captured: bigint;
  released: bigint;
  [column: string]: unknown;
}

/** Reads a page of placed holds, each with the ledger's hold of its id. One statement, so all is of one moment. Indexes: the primary keys. */
export async function readHoldHistories(
  db: Queryable,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<HoldHistory[]> {
  const { rows } = await db.query<HoldRow>({
    name: 'verify.account_holds',
    text: withSteps(
      "book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3",
    ),
    values: [bookId, page.after ?? null, page.limit],
  });
  return rows.map(historyFromRow);
}

/** The same by id. Ids of other resources are skipped. Indexes: the primary keys. */
export async function readHoldHistoriesById(
  db: Queryable,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<HoldHistory[]> {
  const { rows } = await db.query<HoldRow>({
    name: 'verify.account_holds_by_id',
    text: withSteps('book_id = $1 AND id = ANY ($2::uuid[])'),
    values: [bookId, plainArray(ids)],
  });
  return rows.map(historyFromRow);
}

function withSteps(which: string): string {
  return `SELECT ${accountHolds.selected('p')}, p.stuck_at, s.captured AS steps_captured, s.released AS steps_released,
        h.account_id || ' ' || h.status || ' ' || h.amount || ' ' || h.remaining || ' ' || COALESCE((extract(epoch FROM h.expires_at) * 1000)::bigint::text, 'none') AS ledger
      FROM (SELECT * FROM account_holds WHERE ${which}) p
      LEFT JOIN holds h ON h.book_id = p.book_id AND h.id = p.id AND h.resource = 'hold' AND h.resource_id = p.id
      CROSS JOIN LATERAL (
        SELECT COALESCE(sum(amount) FILTER (WHERE kind = 'captured'), 0)::bigint AS captured,
          COALESCE(sum(amount) FILTER (WHERE kind = 'released'), 0)::bigint AS released
        FROM hold_steps WHERE book_id = p.book_id AND hold_id = p.id
      ) s
      ORDER BY p.id`;
}

function historyFromRow(row: HoldRow): HoldHistory {
  return {
    hold: accountHolds.fromRow(row),
    stuckAt: row.stuck_at,
    ledger: row.ledger,
    captured: row.steps_captured as bigint,
    released: row.steps_released as bigint,
  };
}
