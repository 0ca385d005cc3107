/** Files for banks: their rows and steps, and which instructions are in them. */
import { instantArray, plainArray, textArray } from '../../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../../db/pool.ts';
import type { SealedPlace } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import type { RailRows } from './bank-instruction-store.ts';

export type BankFileStatus =
  /** Name, MsgId, bytes and payments are committed. The next round of any process writes it into staging/. */
  | 'made'
  /** The copy of one attempt is the file. It is linked into sent/ and renamed into outbox/. */
  | 'staged'
  /** In the outbox, or taken by the bank. Never written again. */
  | 'published';

export interface BankFile {
  readonly id: Uuid;
  readonly name: string;
  readonly messageId: string;
  /** Null once it is published. */
  readonly contentSealed: Buffer | null;
  readonly sha256: string;
  readonly status: BankFileStatus;
  readonly attempt: string | null;
}

/** Where the bytes of a file are sealed, and those of an instruction's payee. */
export const contentPlace = (bookId: BookId, id: Uuid): SealedPlace => ({
  bookId,
  ...{ table: 'bank_files', column: 'content_sealed', rowId: id },
});
export const payeePlaceOf = (bookId: BookId, endToEndId: string): SealedPlace => ({
  bookId,
  ...{ table: 'bank_instructions', column: 'payee_sealed', rowId: endToEndId },
});

/** Why nothing is filed: a file that the database does not explain. */
export interface Pause {
  readonly kind: 'file_unknown' | 'file_missing';
  readonly file: string;
}

/** Locks the rail's row, so that one process makes a file at a time. Undefined where nothing pauses it. Index: bank_rails_pkey. */
export async function lockRail(trx: Transaction, { bookId, rail }: RailRows, now: Instant): Promise<Pause | undefined> {
  await trx.query('INSERT INTO bank_rails (book_id, rail, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    bookId,
    rail,
    new Date(now),
  ]);
  return pauseIn(
    await trx.query<PauseRow>(
      'SELECT paused_kind, paused_file FROM bank_rails WHERE book_id = $1 AND rail = $2 FOR UPDATE',
      [bookId, rail],
    ),
  );
}

/** Index: bank_rails_pkey. */
export async function findPause(db: Queryable, { bookId, rail }: RailRows): Promise<Pause | undefined> {
  return pauseIn(
    await db.query<PauseRow>('SELECT paused_kind, paused_file FROM bank_rails WHERE book_id = $1 AND rail = $2', [
      bookId,
      rail,
    ]),
  );
}

interface PauseRow {
  paused_kind: Pause['kind'] | null;
  paused_file: string | null;
}

function pauseIn({ rows }: { rows: readonly PauseRow[] }): Pause | undefined {
  const [row] = rows;
  return row === undefined || row.paused_kind === null ? undefined : { kind: row.paused_kind, file: row.paused_file! };
}

/** The first reason stays. Index: bank_rails_pkey. */
export async function recordPause(trx: Transaction, rows: RailRows, pause: Pause, now: Instant): Promise<void> {
  await lockRail(trx, rows, now);
  await trx.query(
    `UPDATE bank_rails SET paused_at = $3, paused_kind = $4, paused_file = $5
     WHERE book_id = $1 AND rail = $2 AND paused_at IS NULL`,
    [rows.bookId, rows.rail, new Date(now), pause.kind, pause.file],
  );
}

/** Index: bank_rails_pkey. */
export async function endPause(trx: Transaction, { bookId, rail }: RailRows, kind: Pause['kind']): Promise<void> {
  await trx.query(
    `UPDATE bank_rails SET paused_at = NULL, paused_kind = NULL, paused_file = NULL
     WHERE book_id = $1 AND rail = $2 AND paused_kind = $3`,
    [bookId, rail, kind],
  );
}

/** An instruction that no file has yet. */
export interface WaitingInstruction {
  readonly endToEndId: string;
  readonly reference: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly batch: Uuid | null;
  readonly payeeSealed: Buffer;
  readonly submittedAt: Instant;
}

/** Up to a limit of those that wait, without the books that an operator keeps back. */
interface SomeWaiting {
  readonly limit: number;
  readonly without: readonly BookId[];
}

/** One that was adopted is of no book that is known. */
const WAITS = "status = 'waiting' AND (originator = ANY ($4::uuid[])) IS NOT TRUE";

/** The longest waiting. Index: bank_instructions_waiting. */
export async function listWaiting(
  db: Queryable,
  { bookId, rail }: RailRows,
  { limit, without }: SomeWaiting,
): Promise<WaitingInstruction[]> {
  const { rows } = await db.query<{
    end_to_end_id: string;
    reference: string;
    amount: bigint;
    currency: string;
    batch_id: Uuid | null;
    payee_sealed: Buffer;
    submitted_at: Instant;
  }>(
    `SELECT end_to_end_id, reference, amount, currency, batch_id, payee_sealed, submitted_at FROM bank_instructions
     WHERE book_id = $1 AND rail = $2 AND ${WAITS} ORDER BY submitted_at LIMIT $3`,
    [bookId, rail, limit, plainArray(without)],
  );
  return rows.map((row) => ({
    endToEndId: row.end_to_end_id,
    reference: row.reference,
    amount: row.amount,
    currency: row.currency,
    batch: row.batch_id,
    payeeSealed: row.payee_sealed,
    submittedAt: row.submitted_at,
  }));
}

/** How many wait, up to the limit, and since when the first does. Index: bank_instructions_waiting. */
export async function readWaiting(
  db: Queryable,
  { bookId, rail }: RailRows,
  { limit, without }: SomeWaiting,
): Promise<{ count: number; since: Instant | null }> {
  const { rows } = await db.query<{ count: bigint; since: Instant | null }>(
    `SELECT count(*) AS count, min(submitted_at) AS since FROM (
       SELECT submitted_at FROM bank_instructions WHERE book_id = $1 AND rail = $2 AND ${WAITS}
       ORDER BY submitted_at LIMIT $3) AS waiting`,
    [bookId, rail, limit, plainArray(without)],
  );
  return { count: Number(rows[0]!.count), since: rows[0]!.since };
}

export interface FiledInstruction {
  readonly endToEndId: string;
  readonly line: number;
  readonly paymentInformationId: string;
  readonly executionDay: string;
  readonly silentAt: Instant;
}

/** The file and its instructions, in the transaction that locked the rail. Index: bank_instructions_pkey. */
export async function insertFile(
  trx: Transaction,
  { bookId, rail }: RailRows,
  { file, filed, now }: { file: BankFile; filed: readonly FiledInstruction[]; now: Instant },
): Promise<void> {
  await trx.query(
    `INSERT INTO bank_files (book_id, id, rail, name, message_id, content_sealed, sha256, payments, status, attempt,
       created_at, published_at)
     VALUES ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), $8, $9, $10, $11, CASE WHEN $9 = 'published' THEN $11::timestamptz END)`,
    [
      ...[bookId, file.id, rail, file.name, file.messageId, file.contentSealed, file.sha256, filed.length],
      ...[file.status, file.attempt, new Date(now)],
    ],
  );
  const { rowCount } = await trx.query(
    `UPDATE bank_instructions AS i SET status = 'filed', payee_sealed = NULL, file_id = $2, line = given.line,
       payment_information_id = given.payment_information_id, execution_day = given.execution_day, silent_at = given.silent_at
     FROM unnest($3::text[], $4::integer[], $5::text[], $6::text[], $7::timestamptz[])
       AS given (end_to_end_id, line, payment_information_id, execution_day, silent_at)
     WHERE i.book_id = $1 AND i.end_to_end_id = given.end_to_end_id AND i.status = 'waiting'`,
    [
      bookId,
      file.id,
      textArray(filed.map(({ endToEndId }) => endToEndId)),
      plainArray(filed.map(({ line }) => line)),
      textArray(filed.map(({ paymentInformationId }) => paymentInformationId)),
      textArray(filed.map(({ executionDay }) => executionDay)),
      instantArray(filed.map(({ silentAt }) => silentAt)),
    ],
  );
  if (rowCount !== filed.length)
    throw new Error(`The file ${file.name} has ${filed.length} payments, of which ${rowCount} waited for a file`);
}

interface FileRow {
  id: Uuid;
  name: string;
  message_id: string;
  content_sealed: Buffer | null;
  sha256: string;
  status: BankFileStatus;
  attempt: string | null;
}

const FILE_COLUMNS = `id, name, message_id, content_sealed, encode(sha256, 'hex') AS sha256, status, attempt`;

function toFile({ message_id: messageId, content_sealed: contentSealed, ...rest }: FileRow): BankFile {
  return { ...rest, messageId, contentSealed };
}

/** The oldest behind this one that is not published; ids are time-ordered. Index: bank_files_open. */
export async function findOpenFile(
  db: Queryable,
  { bookId, rail }: RailRows,
  after: Uuid,
): Promise<BankFile | undefined> {
  const { rows } = await db.query<FileRow>(
    `SELECT ${FILE_COLUMNS} FROM bank_files
     WHERE book_id = $1 AND rail = $2 AND status <> 'published' AND id > $3 ORDER BY id LIMIT 1`,
    [bookId, rail, after],
  );
  return rows[0] && toFile(rows[0]);
}

/** One that is not published. Index: bank_files_by_name. */
export async function findOpenNamed(
  db: Queryable,
  { bookId, rail }: RailRows,
  name: string,
): Promise<BankFile | undefined> {
  const { rows } = await db.query<FileRow>(
    `SELECT ${FILE_COLUMNS} FROM bank_files WHERE book_id = $1 AND rail = $2 AND name = $3 AND status <> 'published'`,
    [bookId, rail, name],
  );
  return rows[0] && toFile(rows[0]);
}

/** Whether a file has payments of any of these books. Index: bank_instructions_in_file. */
export async function hasPaymentsOf(
  db: Queryable,
  { bookId }: RailRows,
  { fileId, books }: { readonly fileId: Uuid; readonly books: readonly BookId[] },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT FROM bank_instructions WHERE book_id = $1 AND file_id = $2 AND originator = ANY ($3::uuid[]) LIMIT 1',
    [bookId, fileId, plainArray(books)],
  );
  return rowCount === 1;
}

/** False when another attempt is the file already. Index: bank_files_pkey. */
export async function recordStaged(
  pool: Pool,
  { bookId }: RailRows,
  { id, attempt, now }: { id: Uuid; attempt: string; now: Instant },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE bank_files SET status = 'staged', attempt = $3, staged_at = $4
     WHERE book_id = $1 AND id = $2 AND status = 'made'`,
    [bookId, id, attempt, new Date(now)],
  );
  return rowCount === 1;
}

/** Its bytes are written once more, by another attempt. Index: bank_files_pkey. */
export async function recordUnstaged(trx: Transaction, { bookId }: RailRows, id: Uuid): Promise<void> {
  await trx.query(
    `UPDATE bank_files SET status = 'made', attempt = NULL, staged_at = NULL
     WHERE book_id = $1 AND id = $2 AND status = 'staged'`,
    [bookId, id],
  );
}

/**
 * The bank has it from now on: silence is counted from the execution of today where a pause has kept the file back beyond its own.
 * Indexes: bank_files_pkey, bank_instructions_in_file.
 */
export async function recordPublished(
  pool: Pool,
  { bookId }: RailRows,
  { id, silentAt, now }: { readonly id: Uuid; readonly silentAt: Instant; readonly now: Instant },
): Promise<void> {
  await pool.query(
    `WITH published AS (
       UPDATE bank_files SET status = 'published', published_at = $3, content_sealed = NULL
       WHERE book_id = $1 AND id = $2 AND status = 'staged' RETURNING id)
     UPDATE bank_instructions AS i SET silent_at = $4 FROM published
     WHERE i.book_id = $1 AND i.file_id = published.id AND i.silent_at < $4`,
    [bookId, id, new Date(now), new Date(silentAt)],
  );
}

/** Those of these names that have a row. Index: bank_files_by_name. */
export async function knownNames(
  db: Queryable,
  { bookId, rail }: RailRows,
  names: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ name: string }>(
    'SELECT name FROM bank_files WHERE book_id = $1 AND rail = $2 AND name = ANY ($3::text[])',
    [bookId, rail, textArray(names)],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Those that the bank may have, in the order in which they were made. Index: bank_files_pkey. */
export async function listPublished(
  db: Queryable,
  { bookId, rail }: RailRows,
  { after = BEFORE_ALL_IDS, limit }: { after: Uuid | undefined; limit: number },
): Promise<{ id: Uuid; name: string; sha256: string }[]> {
  const { rows } = await db.query<{ id: Uuid; name: string; sha256: string }>(
    `SELECT id, name, encode(sha256, 'hex') AS sha256 FROM bank_files
     WHERE book_id = $1 AND rail = $2 AND status = 'published' AND id > $3 ORDER BY id LIMIT $4`,
    [bookId, rail, after, limit],
  );
  return rows;
}

/** A payment of a file in sent/ that the database does not know. */
export interface AdoptedInstruction extends FiledInstruction {
  readonly reference: string;
  readonly amount: bigint;
  readonly currency: string;
}

/**
 * Records what a file in sent/ carries as waiting, so that insertFile takes it: one that was submitted again meanwhile waits already.
 * Resolves to the ids that another file has: those are in two files at the bank. Index: bank_instructions_pkey.
 */
export async function insertAdopted(
  trx: Transaction,
  { bookId, rail }: RailRows,
  adopted: readonly AdoptedInstruction[],
  now: Instant,
): Promise<Set<string>> {
  await trx.query(
    `INSERT INTO bank_instructions (book_id, rail, end_to_end_id, reference, amount, currency, status, submitted_at)
     SELECT $1, $2, given.*, 'waiting', $7
     FROM unnest($3::text[], $4::text[], $5::bigint[], $6::text[]) AS given (end_to_end_id, reference, amount, currency)
     ON CONFLICT DO NOTHING`,
    [
      ...[bookId, rail],
      textArray(adopted.map(({ endToEndId }) => endToEndId)),
      textArray(adopted.map(({ reference }) => reference)),
      plainArray(adopted.map(({ amount }) => amount)),
      textArray(adopted.map(({ currency }) => currency)),
      new Date(now),
    ],
  );
  const { rows } = await trx.query<{ end_to_end_id: string }>(
    `SELECT end_to_end_id FROM bank_instructions
     WHERE book_id = $1 AND end_to_end_id = ANY ($2::text[]) AND status <> 'waiting'`,
    [bookId, textArray(adopted.map(({ endToEndId }) => endToEndId))],
  );
  return new Set(rows.map((row) => row.end_to_end_id));
}

/** Values that are sealed until the file is published, for rekeying: payees of what waits, and bytes of open files. */
export const SEALED_OF_BANKS = {
  bank_files: { column: 'content_sealed', key: 'id', place: contentPlace },
  bank_instructions: { column: 'payee_sealed', key: 'end_to_end_id', place: payeePlaceOf },
} as const;
