/** Reads totals behind the journal: sums of blocks of entries by account and day of effect (docs/decisions/reports.md). */
import { plainArray } from '../../../db/columns.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { BookId } from '../../book/book.ts';
import { type Block, LEVELS } from './blocks.ts';

/** How many blocks of each level there are. Index: journal_totals_pkey, one probe a level. */
export async function readFolded(db: Queryable, bookId: BookId): Promise<bigint[]> {
  const { rows } = await db.query<{ blocks: bigint }>({
    name: 'journal_totals.folded',
    text: `SELECT COALESCE((SELECT block + 1 FROM journal_totals WHERE book_id = $1 AND level = l ORDER BY block DESC LIMIT 1), 0) AS blocks
      FROM generate_series(0, $2::integer - 1) AS l ORDER BY l`,
    values: [bookId, LEVELS],
  });
  return rows.map(({ blocks }) => blocks);
}

/** What blocks have of an account: all of it, and of it what takes effect from one day to another. */
export interface BlocksOfAccount {
  readonly id: Uuid;
  readonly debits: bigint;
  readonly credits: bigint;
  readonly debitsWithin: bigint;
  readonly creditsWithin: bigint;
}

/**
 * Of each of these accounts. Reads a row for each block and day of it. With OFFSET each block is looked up by its key, whatever the planner
 * believes. Index: journal_totals_pkey.
 */
export async function sumBlocksOfAccounts(
  db: Queryable,
  bookId: BookId,
  {
    ids,
    blocks,
    from,
    to,
  }: { readonly ids: readonly Uuid[]; readonly blocks: readonly Block[]; readonly from: string; readonly to: string },
): Promise<BlocksOfAccount[]> {
  const within = (side: 'debits' | 'credits') =>
    `COALESCE(sum(t.${side}) FILTER (WHERE t.effective_on >= $5 AND t.effective_on <= $6), 0)::bigint AS "${side}Within"`;
  const { rows } = await db.query<BlocksOfAccount>({
    name: 'journal_totals.of_accounts',
    text: `SELECT w.id, COALESCE(sum(t.debits), 0)::bigint AS debits, COALESCE(sum(t.credits), 0)::bigint AS credits,
        ${within('debits')}, ${within('credits')}
      FROM unnest($2::uuid[]) AS w (id)
      LEFT JOIN unnest($3::smallint[], $4::bigint[]) AS c (level, block) ON true
      LEFT JOIN LATERAL (
        SELECT effective_on, debits, credits FROM journal_totals
        WHERE book_id = $1 AND level = c.level AND block = c.block AND account_id = w.id OFFSET 0
      ) AS t ON true
      GROUP BY w.id`,
    values: [
      bookId,
      plainArray([...ids]),
      plainArray(blocks.map(({ level }) => level)),
      plainArray(blocks.map(({ block }) => block)),
      from,
      to,
    ],
  });
  return rows;
}
