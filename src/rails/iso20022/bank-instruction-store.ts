/** What was submitted to banks: all SQL of bank_instructions but for what makes and adopts a file (bank-file-store.ts). */
import { plainArray, textArray } from '../../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankInstruction, InstructionStatus } from './match-line.ts';

/** Whose rows: the rail's, in the operator's book. */
export interface RailRows {
  readonly bookId: BookId;
  readonly rail: string;
}

export interface StoredInstruction extends BankInstruction {
  readonly rail: string;
  readonly code: string | null;
  readonly silentAt: Instant | null;
  readonly returnedAt: Instant | null;
  readonly file: {
    readonly name: string;
    readonly messageId: string;
    readonly line: number;
    readonly isPublished: boolean;
  } | null;
}

export interface Submitted {
  readonly originator: Uuid;
  readonly endToEndId: string;
  readonly reference: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Payments of one payout batch stand together in a file. */
  readonly batch: Uuid | null;
  readonly payeeSealed: Buffer;
  readonly notAfter: Instant;
}

interface InstructionRow {
  end_to_end_id: string;
  rail: string;
  reference: string;
  originator: Uuid | null;
  amount: bigint;
  currency: string;
  status: InstructionStatus;
  code: string | null;
  silent_at: Instant | null;
  returned_at: Instant | null;
  name: string | null;
  message_id: string | null;
  line: number | null;
  is_published: boolean | null;
}

const COLUMNS = `i.end_to_end_id, i.rail, i.reference, i.originator, i.amount, i.currency, i.status, i.code, i.silent_at,
  i.returned_at, i.line, f.name, f.message_id, f.status = 'published' AS is_published`;
const INSTRUCTIONS = 'bank_instructions i LEFT JOIN bank_files f ON f.book_id = i.book_id AND f.id = i.file_id';

function toInstruction(row: InstructionRow): StoredInstruction {
  const { end_to_end_id: endToEndId, name, message_id: messageId, line } = row;
  return {
    endToEndId,
    rail: row.rail,
    reference: row.reference,
    originator: row.originator,
    amount: row.amount,
    currency: row.currency,
    status: row.status,
    code: row.code,
    silentAt: row.silent_at,
    returnedAt: row.returned_at,
    file: name === null ? null : { name, messageId: messageId!, line: line!, isPublished: row.is_published! },
  };
}

/**
 * Records an instruction once by its end-to-end id, unless its time has passed by the clock of the database (shifted by `clockAheadMs`), so
 * that a process paused before this statement cannot submit late. One that was read from a file in sent/ becomes its submitter's. Resolves
 * to the instruction as it is, undefined where it came too late. Index: bank_instructions_pkey.
 */
export async function recordInstruction(
  pool: Pool,
  { bookId, rail }: RailRows,
  { originator, endToEndId, reference, amount, currency, batch, payeeSealed, notAfter }: Submitted,
  clockAheadMs: number,
): Promise<StoredInstruction | undefined> {
  await pool.query(
    `WITH moment AS (SELECT clock_timestamp() + $9::bigint * interval '1 ms' AS now), claimed AS (
       UPDATE bank_notices SET originator = $4
       WHERE book_id = $1 AND end_to_end_id = $3 AND originator IS NULL AND kind <> 'foreign'
         AND EXISTS (SELECT FROM bank_instructions WHERE book_id = $1 AND end_to_end_id = $3 AND originator IS NULL
                       AND amount = $6 AND currency = $7)
     )
     INSERT INTO bank_instructions AS known
       (book_id, rail, end_to_end_id, originator, reference, amount, currency, payee_sealed, status, submitted_at, batch_id)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, 'waiting', now, $11::uuid FROM moment WHERE now <= $10
     ON CONFLICT (book_id, end_to_end_id) DO UPDATE SET originator = excluded.originator
       WHERE known.originator IS NULL AND known.amount = excluded.amount AND known.currency = excluded.currency`,
    [
      ...[bookId, rail, endToEndId, originator, reference, amount, currency, payeeSealed, clockAheadMs],
      ...[new Date(notAfter), batch],
    ],
  );
  return findInstruction(pool, bookId, endToEndId);
}

/** Index: bank_instructions_pkey. */
export async function findInstruction(
  db: Queryable,
  bookId: BookId,
  endToEndId: string,
): Promise<StoredInstruction | undefined> {
  const { rows } = await db.query<InstructionRow>(
    `SELECT ${COLUMNS} FROM ${INSTRUCTIONS} WHERE i.book_id = $1 AND i.end_to_end_id = $2`,
    [bookId, endToEndId],
  );
  return rows[0] && toInstruction(rows[0]);
}

/** Those that lines name, by either id. Indexes: bank_instructions_pkey, bank_instructions_by_reference. */
export async function findNamed(
  trx: Transaction,
  { bookId, rail }: RailRows,
  ids: { readonly endToEndIds: readonly string[]; readonly references: readonly string[] },
): Promise<StoredInstruction[]> {
  const { rows } = await trx.query<InstructionRow>(
    `SELECT ${COLUMNS} FROM ${INSTRUCTIONS}
     WHERE i.book_id = $1 AND i.rail = $2
       AND i.end_to_end_id IN (
         SELECT unnest($3::text[]) UNION
         SELECT end_to_end_id FROM bank_instructions WHERE book_id = $1 AND reference = ANY ($4::text[]))`,
    [bookId, rail, textArray(ids.endToEndIds), textArray(ids.references)],
  );
  return rows.map(toInstruction);
}

/**
 * All of a file, or of one of its payments: at most as many as a file has. Indexes: bank_files_by_message, bank_instructions_in_file.
 */
export async function findOfFile(
  trx: Transaction,
  { bookId, rail }: RailRows,
  { messageId, paymentInformationId }: { messageId: string; paymentInformationId: string | undefined },
): Promise<StoredInstruction[]> {
  const { rows } = await trx.query<InstructionRow>(
    `SELECT ${COLUMNS} FROM bank_files f JOIN bank_instructions i ON i.book_id = f.book_id AND i.file_id = f.id
     WHERE f.book_id = $1 AND f.rail = $2 AND f.message_id = $3 AND ($4::text IS NULL OR i.payment_information_id = $4)
     ORDER BY i.line`,
    [bookId, rail, messageId, paymentInformationId ?? null],
  );
  return rows.map(toInstruction);
}

export interface Outcome {
  readonly endToEndId: string;
  /** Null: the line changes no status. */
  readonly status: Extract<InstructionStatus, 'paid' | 'rejected'> | null;
  readonly code: string | null;
  /** Money came back. */
  readonly isReturned: boolean;
}

/** One row an id. Index: bank_instructions_pkey. */
export async function recordOutcomes(
  trx: Transaction,
  bookId: BookId,
  outcomes: readonly Outcome[],
  now: Instant,
): Promise<void> {
  await trx.query(
    `UPDATE bank_instructions AS i
     SET status = coalesce(reported.status, i.status), code = CASE WHEN reported.status IS NULL THEN i.code ELSE reported.code END,
       returned_at = CASE WHEN reported.returned THEN coalesce(i.returned_at, $6) ELSE i.returned_at END
     FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[]) AS reported (end_to_end_id, status, code, returned)
     WHERE i.book_id = $1 AND i.end_to_end_id = reported.end_to_end_id`,
    [
      bookId,
      textArray(outcomes.map(({ endToEndId }) => endToEndId)),
      textArray(outcomes.map(({ status }) => status)),
      textArray(outcomes.map(({ code }) => code)),
      plainArray(outcomes.map(({ isReturned }) => isReturned)),
      new Date(now),
    ],
  );
}

/** How a bank names an instruction that is in a file. */
export interface FiledInstruction {
  readonly paymentInformationId: string;
  /** YYYY-MM-DD. */
  readonly executionDay: string;
}

/** Of those that are in files, by end-to-end id. Index: bank_instructions_pkey. */
export async function readFiled(
  db: Queryable,
  bookId: BookId,
  endToEndIds: readonly string[],
): Promise<Map<string, FiledInstruction>> {
  const { rows } = await db.query<FiledInstruction & { id: string }>({
    name: 'bank_instructions.filed',
    text: `SELECT end_to_end_id AS id, payment_information_id AS "paymentInformationId", execution_day AS "executionDay"
      FROM bank_instructions
      WHERE book_id = $1 AND end_to_end_id = ANY ($2::text[]) AND payment_information_id IS NOT NULL AND execution_day IS NOT NULL`,
    values: [bookId, textArray(endToEndIds)],
  });
  return new Map(rows.map(({ id, ...filed }) => [id, filed]));
}
