/** The rows of files of opening balances, in the operator's book of the mode. Their bytes are sealed (intake/sealed-file.ts). */
import type { Queryable, Transaction } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface KeptOpenings {
  readonly id: Uuid;
  /** Hexadecimal. */
  readonly sha256: string;
  /** The customer's book. */
  readonly ofBook: BookId;
  /** Lines with an amount. */
  readonly lines: number;
  readonly totals: readonly { readonly currency: string; readonly amount: string }[];
  /** The ids of its transfers count up from here. Null until it is applied. */
  readonly transfersFrom: Uuid | null;
  readonly appliedAt: Instant | null;
}

interface Row {
  id: Uuid;
  sha256: string;
  of_book: BookId;
  lines: number;
  totals: KeptOpenings['totals'];
  transfers_from: Uuid | null;
  applied_at: Instant | null;
}

const COLUMNS = "id, encode(sha256, 'hex') AS sha256, of_book, lines, totals, transfers_from, applied_at";

function keptOpeningsOf(row: Row): KeptOpenings {
  return {
    id: row.id,
    sha256: row.sha256,
    ofBook: row.of_book,
    lines: row.lines,
    totals: row.totals,
    transfersFrom: row.transfers_from,
    appliedAt: row.applied_at,
  };
}

/** Changes nothing where the same bytes of the book are kept. Index: opening_files_by_bytes. */
export async function insertOpenings(
  trx: Transaction,
  bookId: BookId,
  { id, sha256, ofBook, lines, totals }: Omit<KeptOpenings, 'transfersFrom' | 'appliedAt'>,
  now: Instant,
): Promise<void> {
  await trx.query(
    `INSERT INTO opening_files (book_id, id, sha256, of_book, lines, totals, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT DO NOTHING`,
    [bookId, id, Buffer.from(sha256, 'hex'), ofBook, lines, JSON.stringify(totals), new Date(now)],
  );
}

/** Index: opening_files_by_bytes. */
export async function findOpeningsOf(
  db: Queryable,
  bookId: BookId,
  { ofBook, sha256 }: Pick<KeptOpenings, 'ofBook' | 'sha256'>,
): Promise<KeptOpenings | undefined> {
  const { rows } = await db.query<Row>(
    `SELECT ${COLUMNS} FROM opening_files WHERE book_id = $1 AND of_book = $2 AND sha256 = $3 AND sha256 IS NOT NULL`,
    [bookId, ofBook, Buffer.from(sha256, 'hex')],
  );
  return rows[0] && keptOpeningsOf(rows[0]);
}

/** Index: opening_files_pkey. */
export async function findOpenings(db: Queryable, bookId: BookId, id: Uuid): Promise<KeptOpenings | undefined> {
  const { rows } = await db.query<Row>(`SELECT ${COLUMNS} FROM opening_files WHERE book_id = $1 AND id = $2`, [
    bookId,
    id,
  ]);
  return rows[0] && keptOpeningsOf(rows[0]);
}

/** Where the ids of its transfers begin: the first to apply it decides. Index: opening_files_pkey. */
export async function beginTransfers(db: Queryable, bookId: BookId, id: Uuid, from: Uuid): Promise<Uuid> {
  const { rows } = await db.query<{ transfers_from: Uuid }>(
    `UPDATE opening_files SET transfers_from = COALESCE(transfers_from, $3) WHERE book_id = $1 AND id = $2
     RETURNING transfers_from`,
    [bookId, id, from],
  );
  return rows[0]!.transfers_from;
}

/** Index: opening_files_pkey. */
export async function endTransfers(db: Queryable, bookId: BookId, id: Uuid, now: Instant): Promise<void> {
  await db.query(
    'UPDATE opening_files SET applied_at = $3 WHERE book_id = $1 AND id = $2 AND applied_at IS NULL AND transfers_from IS NOT NULL',
    [bookId, id, new Date(now)],
  );
}

export interface OpeningHistory extends KeptOpenings {
  /** The stage of its exception; null without one. */
  readonly exception: string | null;
  /** What its transfers come to, by currency. */
  readonly booked: readonly { readonly currency: string; readonly lines: number; readonly amount: string }[];
}

/** A page of files with what they have booked. Indexes: opening_files_pkey, exceptions_by_resource, inbound_transfers_by_opening. */
export async function readOpeningHistories(
  db: Queryable,
  bookId: BookId,
  { after, limit }: { readonly after: Uuid; readonly limit: number },
): Promise<OpeningHistory[]> {
  const { rows } = await db.query<Row & { exception: string | null; booked: OpeningHistory['booked'] }>({
    name: 'verify.opening_files',
    text: `SELECT ${COLUMNS},
        (SELECT e.stage FROM exceptions e WHERE e.book_id = $1 AND e.resource_id = f.id AND e.resource = 'opening_file' LIMIT 1) AS exception,
        (SELECT COALESCE(jsonb_agg(jsonb_build_object('currency', b.currency, 'lines', b.lines, 'amount', b.amount::text) ORDER BY b.currency), '[]')
           FROM (SELECT t.currency, count(*)::integer AS lines, sum(t.amount) AS amount FROM inbound_transfers t
                 WHERE t.book_id = f.of_book AND t.opening_id = f.id AND t.opening_id IS NOT NULL GROUP BY t.currency) AS b) AS booked
      FROM opening_files f WHERE f.book_id = $1 AND f.id > $2 ORDER BY f.id LIMIT $3`,
    values: [bookId, after, limit],
  });
  return rows.map((row) => ({ ...keptOpeningsOf(row), exception: row.exception, booked: row.booked }));
}
