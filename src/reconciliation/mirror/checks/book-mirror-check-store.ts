/** Mirrored ranges with what the pool that they mirror has, with the range before them, and with their items. */
import { plainArray } from '../../../db/columns.ts';
import type { Pool, Queryable } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { ExpectedItem } from '../../items/expected-item.ts';
import { expectedItems } from '../../items/expected-item-table.ts';
import type { BookMirror } from '../book-mirror.ts';
import { bookMirrors } from '../book-mirror-table.ts';
import { mirroredItemId } from '../mirror-lines.ts';

export interface MirrorHistory {
  readonly mirror: BookMirror;
  readonly entries: readonly BookedStep[];
  /** The last line of the range before it; 0 for none. */
  readonly before: bigint;
  /** Of the pool in its own book, before the first line and behind the last. Null where there is no such line. */
  readonly poolBefore: bigint | null;
  readonly poolAfter: bigint | null;
  readonly items: readonly ExpectedItem[];
  /** What write-offs of the book have booked on these lines, as far as the range has such lines. */
  readonly writtenOff: bigint;
}

/** Indexes: book_mirror_pkey, book_mirror_by_line, postings' (book, account, line), expected_items_pkey, entries' (book, resource, step). */
export function readMirrorHistories(
  pool: Pool,
  bookId: BookId,
  { after, limit }: { after: Uuid | undefined; limit: number },
): Promise<MirrorHistory[]> {
  const where = "id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3";
  return histories(pool, bookId, { where, values: [after ?? null, limit] });
}

/** By id. Ids of other resources are skipped. Indexes: as above. */
export function readMirrorHistoriesById(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<MirrorHistory[]> {
  return histories(pool, bookId, { where: 'id = ANY ($2::uuid[])', values: [plainArray(ids)] });
}

function histories(
  pool: Pool,
  bookId: BookId,
  { where, values }: { where: string; values: readonly unknown[] },
): Promise<MirrorHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<{ before: bigint }>(
      `SELECT ${bookMirrors.selected('m')}, COALESCE((SELECT max(b.through_line) FROM book_mirror b
         WHERE b.book_id = $1 AND b.pool_account_id = m.pool_account_id AND b.through_line < m.through_line), 0) AS before
       FROM (SELECT * FROM book_mirror WHERE book_id = $1 AND ${where}) AS m ORDER BY m.id`,
      [bookId, ...values],
    );
    const found = rows.map((row) => ({ mirror: bookMirrors.fromRow(row), before: row.before }));
    const ids = found.map(({ mirror }) => mirror.id);
    const steps = await readStepsOf(trx, bookId, ids);
    const items = await expectedItems.load(trx, bookId, found.flatMap(itemIds));
    const balances = await readBalances(
      trx,
      found.flatMap(({ mirror: { ofBook, poolAccountId, fromLine, throughLine } }) => [
        { ofBook, poolAccountId, line: fromLine - 1n },
        { ofBook, poolAccountId, line: throughLine },
      ]),
    );
    const losses = await readWrittenOff(trx, bookId, found.map(({ mirror }) => mirror).filter(hasLosses));
    return found.map((one, at) => ({
      ...one,
      writtenOff: losses.get(one.mirror.id) ?? 0n,
      entries: steps.get(one.mirror.id) ?? [],
      items: itemIds(one).flatMap((id) => items.get(id) ?? []),
      poolBefore: one.mirror.fromLine === 1n ? 0n : balances[2 * at]!,
      poolAfter: balances[2 * at + 1]!,
    }));
  });
}

function itemIds({ mirror: { poolAccountId, fromLine, throughLine } }: Pick<MirrorHistory, 'mirror'>): Uuid[] {
  const ids: Uuid[] = [];
  for (let line = fromLine; line <= throughLine; line += 1n) ids.push(mirroredItemId(poolAccountId, line));
  return ids;
}

interface PoolLine {
  readonly ofBook: Uuid;
  readonly poolAccountId: Uuid;
  readonly line: bigint;
}

/** The balance behind each line, in the order asked for. Each is found by its own book's key. */
async function readBalances(db: Queryable, lines: readonly PoolLine[]): Promise<(bigint | null)[]> {
  const { rows } = await db.query<{ balance: bigint | null }>(
    `SELECT COALESCE(
       (SELECT debit_balance_after FROM postings p WHERE p.book_id = w.of_book AND p.debit_account_id = w.account AND p.debit_line = w.line),
       (SELECT credit_balance_after FROM postings p WHERE p.book_id = w.of_book AND p.credit_account_id = w.account AND p.credit_line = w.line)
     ) AS balance
     FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) WITH ORDINALITY AS w (of_book, account, line, at) ORDER BY w.at`,
    [
      plainArray(lines.map(({ ofBook }) => ofBook)),
      plainArray(lines.map(({ poolAccountId }) => poolAccountId)),
      plainArray(lines.map(({ line }) => String(line))),
    ],
  );
  return rows.map(({ balance }) => balance);
}

const hasLosses = ({ sides }: BookMirror) => sides.some(({ code }) => code === 'credit_losses');

/**
 * By range: what stands on its lines of transfers that a write-off of the operator's book names. Indexes: postings' (book, account, line), entries_pkey,
 * inbound_transfers_pkey, write_offs_pkey.
 */
async function readWrittenOff(
  db: Queryable,
  bookId: BookId,
  mirrors: readonly BookMirror[],
): Promise<Map<Uuid, bigint>> {
  if (mirrors.length === 0) return new Map();
  const { rows } = await db.query<{ id: Uuid; amount: bigint }>(
    `SELECT r.id, COALESCE(sum(p.amount), 0)::bigint AS amount
     FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::bigint[]) AS r (id, of_book, account, from_line, through_line)
     JOIN postings p ON p.book_id = r.of_book AND p.debit_account_id = r.account AND p.debit_line BETWEEN r.from_line AND r.through_line
     JOIN entries e ON e.book_id = p.book_id AND e.sequence = p.entry_sequence AND e.resource = 'inbound_transfer'
     JOIN inbound_transfers t ON t.book_id = e.book_id AND t.id = e.resource_id
     JOIN write_offs w ON w.book_id = $1 AND w.id = t.write_off_id AND w.of_book = t.book_id
     GROUP BY r.id`,
    [
      bookId,
      plainArray(mirrors.map(({ id }) => id)),
      plainArray(mirrors.map(({ ofBook }) => ofBook)),
      plainArray(mirrors.map(({ poolAccountId }) => poolAccountId)),
      plainArray(mirrors.map(({ fromLine }) => String(fromLine))),
      plainArray(mirrors.map(({ throughLine }) => String(throughLine))),
    ],
  );
  return new Map(rows.map(({ id, amount }) => [id, amount]));
}
