/** All SQL of checkpoints. Rows are only inserted; the database refuses any other change. */

import { plainArray } from '../db/columns.ts';
import { atCursor } from '../db/cursor.ts';
import { build, keyset, type Page, type PageRequest, pageOf, runBuilt } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import type { Book, BookId, Mode } from '../ledger/book/book.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { Checkpoint } from './checkpoint.ts';

/** A checkpoint with the peaks of its trees, from which the next checkpoint continues. */
export interface StoredCheckpoint extends Checkpoint {
  readonly peaks: readonly Buffer[];
  readonly eventPeaks: readonly Buffer[];
}

interface CheckpointRow {
  book_id: string;
  mode: Mode;
  id: string;
  tree_size: bigint;
  event_tree_size: bigint;
  root_hash: Buffer;
  chain_hash: Buffer;
  event_root_hash: Buffer;
  peaks: Buffer;
  event_peaks: Buffer;
  public_key: Buffer;
  signature: Buffer;
  created_at: Instant;
}

const HASH_BYTES = 32;
/** The most that another machine's clock may be ahead. */
const CLOCKS_DIFFER_MS = 60_000;
const OWN_COLUMNS =
  'book_id, id, tree_size, event_tree_size, root_hash, chain_hash, event_root_hash, peaks, event_peaks, public_key, signature, created_at';
/** The mode comes from the book and never changes. */
const COLUMNS = `${OWN_COLUMNS}, (SELECT mode FROM books WHERE books.id = checkpoints.book_id) AS mode`;

function checkpointFromRow(row: CheckpointRow): StoredCheckpoint {
  return {
    bookId: row.book_id,
    mode: row.mode,
    id: row.id,
    treeSize: row.tree_size,
    eventTreeSize: row.event_tree_size,
    rootHash: row.root_hash,
    chainHash: row.chain_hash,
    eventRootHash: row.event_root_hash,
    peaks: hashesIn(row.peaks),
    eventPeaks: hashesIn(row.event_peaks),
    publicKey: row.public_key,
    signature: row.signature,
    createdAt: row.created_at,
  };
}

function hashesIn(bytes: Buffer): Buffer[] {
  const count = bytes.length / HASH_BYTES;
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}

/** False when another process has inserted a checkpoint of the same sizes. */
export async function insertCheckpoint(db: Queryable, checkpoint: StoredCheckpoint): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'checkpoints.insert',
    text: `INSERT INTO checkpoints (${OWN_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      ON CONFLICT (book_id, tree_size, event_tree_size) DO NOTHING`,
    values: [
      checkpoint.bookId,
      checkpoint.id,
      checkpoint.treeSize,
      checkpoint.eventTreeSize,
      checkpoint.rootHash,
      checkpoint.chainHash,
      checkpoint.eventRootHash,
      Buffer.concat(checkpoint.peaks),
      Buffer.concat(checkpoint.eventPeaks),
      checkpoint.publicKey,
      checkpoint.signature,
      new Date(checkpoint.createdAt),
    ],
  });
  return rowCount === 1;
}

/** The checkpoint that covers most. Index: checkpoints_pkey, from its end. */
export async function findNewestCheckpoint(db: Queryable, bookId: BookId): Promise<StoredCheckpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>({
    name: 'checkpoints.newest',
    text: `SELECT ${COLUMNS} FROM checkpoints WHERE book_id = $1 ORDER BY tree_size DESC, event_tree_size DESC LIMIT 1`,
    values: [bookId],
  });
  return rows[0] && checkpointFromRow(rows[0]);
}

/**
 * The checkpoint that covers most among those that cover no more than the book has. Index: checkpoints_pkey, from its
 * end, past the checkpoints that cover more, which a sound book does not have.
 */
export async function findNewestCheckpointWithin(db: Queryable, book: Book): Promise<StoredCheckpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>({
    name: 'checkpoints.newest_within',
    text: `SELECT ${COLUMNS} FROM checkpoints WHERE book_id = $1 AND tree_size <= $2 AND event_tree_size <= $3
      ORDER BY tree_size DESC, event_tree_size DESC LIMIT 1`,
    values: [book.id, book.entrySequence, book.eventSequence],
  });
  return rows[0] && checkpointFromRow(rows[0]);
}

/** Index: checkpoints_pkey. */
export async function findCheckpointOfSize(
  db: Queryable,
  { bookId, treeSize, eventTreeSize }: Checkpoint,
): Promise<StoredCheckpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>({
    name: 'checkpoints.of_size',
    text: `SELECT ${COLUMNS} FROM checkpoints WHERE book_id = $1 AND tree_size = $2 AND event_tree_size = $3`,
    values: [bookId, treeSize, eventTreeSize],
  });
  return rows[0] && checkpointFromRow(rows[0]);
}

export async function findCheckpoint(db: Queryable, bookId: BookId, id: Uuid): Promise<StoredCheckpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>({
    name: 'checkpoints.find',
    text: `SELECT ${COLUMNS} FROM checkpoints WHERE book_id = $1 AND id = $2`,
    values: [bookId, id],
  });
  return rows[0] && checkpointFromRow(rows[0]);
}

/** The previous checkpoint: the one that covers most among those that cover less. Index: checkpoints_pkey. */
export async function findCheckpointBefore(
  db: Queryable,
  { bookId, treeSize, eventTreeSize }: Checkpoint,
): Promise<StoredCheckpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>({
    name: 'checkpoints.before',
    text: `SELECT ${COLUMNS} FROM checkpoints WHERE book_id = $1 AND (tree_size, event_tree_size) < ($2, $3)
      ORDER BY tree_size DESC, event_tree_size DESC LIMIT 1`,
    values: [bookId, treeSize, eventTreeSize],
  });
  return rows[0] && checkpointFromRow(rows[0]);
}

/**
 * Newest first; ids are in order of creation. Index: checkpoints_book_id_id_key. Throws ApiError `cursor_invalid` for a cursor that
 * is no checkpoint of the book.
 */
export async function listCheckpoints(
  db: Queryable,
  bookId: BookId,
  page: PageRequest,
): Promise<Page<StoredCheckpoint>> {
  const all = { table: 'checkpoints', id: 'id', equal: { book_id: bookId } };
  await atCursor(db, { all }, { page, column: 'id' });
  const query = build('checkpoints').select(build.raw(COLUMNS)).where('book_id', bookId).whereNotNull('id');
  const { rows, hasMore } = pageOf(await runBuilt<CheckpointRow>(db, keyset(query, page, 'id')), page);
  return { rows: rows.map(checkpointFromRow), hasMore };
}

/** A page of checkpoints, from the one that covers least. Index: checkpoints_pkey. */
export async function readCheckpoints(
  db: Queryable,
  bookId: BookId,
  page: { after: Pick<Checkpoint, 'treeSize' | 'eventTreeSize'> | undefined; limit: number },
): Promise<StoredCheckpoint[]> {
  const { rows } = await db.query<CheckpointRow>({
    name: 'checkpoints.read',
    text: `SELECT ${COLUMNS} FROM checkpoints WHERE book_id = $1 AND (tree_size, event_tree_size) > ($2, $3)
      ORDER BY tree_size, event_tree_size LIMIT $4`,
    values: [bookId, page.after?.treeSize ?? -1n, page.after?.eventTreeSize ?? -1n, page.limit],
  });
  return rows.map(checkpointFromRow);
}

/**
 * Lists books that are due for a checkpoint, in the order of their ids. A book is due when it has new entries or events
 * since its newest checkpoint, and that checkpoint is absent or was made by `madeBefore`. A checkpoint beyond the
 * book's end or dated in the future does not delay the next one. A book is also due when it is shorter than its newest
 * checkpoint and that checkpoint names one of `keyIds`. Reads each book's row and the end of its checkpoints' key
 * range. Indexes: books_pkey, checkpoints_pkey.
 */
export async function findBooksToCheckpoint(
  db: Queryable,
  page: { madeBefore: Instant; now: Instant; keyIds: readonly string[]; after: BookId | undefined; limit: number },
): Promise<BookId[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'checkpoints.due',
    text: `SELECT b.id FROM books b LEFT JOIN LATERAL (
        SELECT tree_size, event_tree_size, created_at FROM checkpoints c
        WHERE c.book_id = b.id AND c.tree_size <= b.entry_sequence AND c.event_tree_size <= b.event_sequence
        ORDER BY tree_size DESC, event_tree_size DESC LIMIT 1
      ) c ON true LEFT JOIN LATERAL (
        SELECT tree_size, event_tree_size, public_key FROM checkpoints n WHERE n.book_id = b.id
        ORDER BY tree_size DESC, event_tree_size DESC LIMIT 1
      ) n ON n.tree_size > b.entry_sequence OR n.event_tree_size > b.event_sequence
      WHERE b.id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000')
        AND (
          (c.created_at IS NULL OR c.created_at <= $1 OR c.created_at > $4)
            AND b.entry_sequence + b.event_sequence > COALESCE(c.tree_size + c.event_tree_size, 0)
          OR 'ed25519:' || encode(sha256(n.public_key), 'hex') = ANY ($5::text[])
        )
      ORDER BY b.id LIMIT $3`,
    values: [
      new Date(page.madeBefore),
      page.after ?? null,
      page.limit,
      new Date(page.now + CLOCKS_DIFFER_MS),
      plainArray(page.keyIds),
    ],
  });
  return rows.map(({ id }) => id);
}

/** The one that covers least among those that cover an entry: the same one whenever it is asked for. Index: checkpoints_pkey. */
export async function findFirstCovering(
  db: Queryable,
  bookId: BookId,
  sequence: bigint,
): Promise<StoredCheckpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>({
    name: 'checkpoints.first_covering',
    text: `SELECT ${COLUMNS} FROM checkpoints WHERE book_id = $1 AND tree_size >= $2
      ORDER BY tree_size, event_tree_size LIMIT 1`,
    values: [bookId, sequence],
  });
  return rows[0] && checkpointFromRow(rows[0]);
}
