import { plainArray } from '../../../db/columns.ts';
import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import { sumOfLines } from '../settlement-store.ts';
import { type SchemeSettlement, schemeSettlements } from '../settlement-table.ts';

/** A settlement with what its lines come to, as of one moment. */
export interface SettlementHistory {
  readonly settlement: SchemeSettlement;
  readonly lines: bigint;
  readonly net: bigint;
  /** The last line of the settlement before it; 0 for the first. */
  readonly before: bigint;
  readonly entries: readonly BookedStep[];
}

type Page = { after: Uuid | undefined; limit: number };

/** Indexes: scheme_settlements_pkey, scheme_settlements_by_line, those of sumOfLines, entries' (book, resource, step). */
export function readSettlementHistories(
  pool: Pool,
  bookId: BookId,
  { after, limit }: Page,
): Promise<SettlementHistory[]> {
  return withLines(pool, bookId, {
    which: "book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3",
    values: [after ?? null, limit],
  });
}

/** By id. Ids of other resources are skipped. */
export function readSettlementHistoriesById(
  pool: Pool,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<SettlementHistory[]> {
  return withLines(pool, bookId, { which: 'book_id = $1 AND id = ANY ($2::uuid[])', values: [plainArray(ids)] });
}

function withLines(
  pool: Pool,
  bookId: BookId,
  { which, values }: { which: string; values: readonly unknown[] },
): Promise<SettlementHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<{ before: bigint }>(
      `SELECT ${schemeSettlements.selected('s')}, COALESCE((
         SELECT max(b.through_line) FROM scheme_settlements b
         WHERE b.book_id = $1 AND b.currency = s.currency AND b.through_line < s.through_line), 0) AS before
       FROM (SELECT * FROM scheme_settlements WHERE ${which}) s ORDER BY s.id`,
      [bookId, ...values],
    );
    const found = rows.map((row) => ({ settlement: schemeSettlements.fromRow(row), before: row.before }));
    const steps = await readStepsOf(
      trx,
      bookId,
      found.map(({ settlement }) => settlement.id),
    );
    const histories: SettlementHistory[] = [];
    for (const { settlement, before } of found) {
      const { lines, net } = await sumOfLines(trx, bookId, settlement);
      histories.push({ settlement, before, lines, net, entries: steps.get(settlement.id) ?? [] });
    }
    return histories;
  });
}
