/** What banks sent: files by their bytes, notices from their lines, and findings that a person has to see. */
import { plainArray, textArray } from '../../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { RailNotice } from '../rail.ts';
import type { RailRows } from './bank-instruction-store.ts';

export interface InboxFile {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly name: string;
  readonly kind: string;
  readonly lines: number;
}

/** Index: bank_inbox_files_pkey. */
export async function isTaken(trx: Transaction, { bookId }: RailRows, sha256: string): Promise<boolean> {
  const { rowCount } = await trx.query(
    "SELECT FROM bank_inbox_files WHERE book_id = $1 AND sha256 = decode($2, 'hex') AND status = 'taken'",
    [bookId, sha256],
  );
  return rowCount === 1;
}

/** False where the same bytes are taken already. Waits for another transaction that takes them. Index: bank_inbox_files_pkey. */
export async function insertTaken(
  trx: Transaction,
  { bookId, rail }: RailRows,
  file: InboxFile,
  now: Instant,
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `INSERT INTO bank_inbox_files AS known (book_id, rail, sha256, name, status, kind, lines, created_at)
     VALUES ($1, $2, decode($3, 'hex'), $4, 'taken', $5, $6, $7)
     ON CONFLICT (book_id, sha256) DO UPDATE SET status = 'taken', kind = excluded.kind, lines = excluded.lines, reason = NULL
       WHERE known.status <> 'taken'`,
    [bookId, rail, file.sha256, file.name, file.kind, file.lines, new Date(now)],
  );
  return rowCount === 1;
}

/** Index: bank_inbox_files_pkey. */
export async function insertQuarantined(
  trx: Transaction,
  { bookId, rail }: RailRows,
  { sha256, name, reason }: Pick<InboxFile, 'sha256' | 'name'> & { reason: string },
  now: Instant,
): Promise<void> {
  await trx.query(
    `INSERT INTO bank_inbox_files (book_id, rail, sha256, name, status, reason, created_at)
     VALUES ($1, $2, decode($3, 'hex'), $4, 'quarantined', $5, $6) ON CONFLICT DO NOTHING`,
    [bookId, rail, sha256, name, reason, new Date(now)],
  );
}

export interface NewNotice {
  readonly lineId: Uuid;
  readonly originator: string | null;
  readonly endToEndId: string;
  readonly kind: RailNotice['kind'] | 'foreign';
  readonly amount: bigint | null;
  readonly code: string | null;
  readonly reference: string;
  readonly confirmedAmount: bigint | null;
  readonly confirmedCurrency: string | null;
  readonly place: number;
}

/** Those reported before are left as they are. Ids are minted here, in the order of the lines. Index: bank_notices_by_line. */
export async function insertNotices(
  trx: Transaction,
  { bookId, rail }: RailRows,
  notices: readonly NewNotice[],
  { sha256, now }: { sha256: string; now: Instant },
): Promise<void> {
  await trx.query(
    `INSERT INTO bank_notices (book_id, rail, sha256, created_at, id, line_id, originator, end_to_end_id, kind, amount, code,
       reference, confirmed_amount, confirmed_currency, place)
     SELECT $1, $2, decode($3, 'hex'), $4, given.*
     FROM unnest($5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::text[], $10::bigint[], $11::text[], $12::text[],
       $13::bigint[], $14::text[], $15::integer[]) AS given
     ON CONFLICT DO NOTHING`,
    [
      ...[bookId, rail, sha256, new Date(now)],
      plainArray(notices.map(() => newId())),
      plainArray(notices.map(({ lineId }) => lineId)),
      plainArray(notices.map(({ originator }) => originator)),
      textArray(notices.map(({ endToEndId }) => endToEndId)),
      textArray(notices.map(({ kind }) => kind)),
      plainArray(notices.map(({ amount }) => amount)),
      textArray(notices.map(({ code }) => code)),
      textArray(notices.map(({ reference }) => reference)),
      plainArray(notices.map(({ confirmedAmount }) => confirmedAmount)),
      textArray(notices.map(({ confirmedCurrency }) => confirmedCurrency)),
      plainArray(notices.map(({ place }) => place)),
    ],
  );
}

/** A notice with what its evidence needs beside the fields of every rail. */
export interface BankNotice extends RailNotice {
  readonly reported_by: { readonly file: string; readonly sha256: string; readonly line: number };
  /** The file of ours that it is in. Missing where the line is about none of ours. */
  readonly sent_in?: { readonly file: string; readonly message_id: string; readonly line: number };
}

/**
 * The oldest that are not acknowledged. A line that is about no payment of ours has no originator. Indexes: bank_notices_open,
 * bank_instructions_pkey, bank_files_pkey.
 */
export async function openBankNotices(
  pool: Pool,
  { bookId, rail }: RailRows,
  { limit, behind }: { limit: number; behind: Uuid },
): Promise<BankNotice[]> {
  const { rows } = await pool.query<{
    id: Uuid;
    originator: Uuid | null;
    end_to_end_id: string;
    kind: RailNotice['kind'];
    amount: bigint | null;
    code: string | null;
    reference: string;
    confirmed_amount: bigint | null;
    confirmed_currency: string | null;
    sha256: string;
    place: number;
    name: string;
    created_at: Instant;
    sent_file: string | null;
    message_id: string;
    line: number;
  }>(
    `SELECT n.id, n.originator, n.end_to_end_id, n.kind, n.amount, n.code, n.reference, n.confirmed_amount, n.confirmed_currency,
       encode(n.sha256, 'hex') AS sha256, n.place, f.name, n.created_at,
       sent.name AS sent_file, sent.message_id, i.line
     FROM bank_notices n JOIN intake_files f ON f.book_id = n.book_id AND f.sha256 = n.sha256
       LEFT JOIN bank_instructions i ON i.book_id = n.book_id AND i.end_to_end_id = n.end_to_end_id AND i.rail = n.rail
       LEFT JOIN bank_files sent ON sent.book_id = i.book_id AND sent.id = i.file_id
     WHERE n.book_id = $1 AND n.rail = $2 AND n.acknowledged_at IS NULL AND (n.originator IS NOT NULL OR n.kind = 'foreign')
       AND n.id > $4
     ORDER BY n.id LIMIT $3`,
    [bookId, rail, limit, behind],
  );
  return rows.map((row) => ({
    id: row.id,
    originator: row.originator ?? '',
    endToEndId: row.end_to_end_id,
    kind: row.kind,
    amount: row.amount,
    code: row.code,
    reference: row.reference,
    confirmed: {
      ...(row.confirmed_amount === null ? {} : { amount: row.confirmed_amount }),
      ...(row.confirmed_currency === null ? {} : { currency: row.confirmed_currency }),
    },
    createdAt: row.created_at,
    reported_by: { file: row.name, sha256: row.sha256, line: row.place },
    ...(row.sent_file === null ? {} : { sent_in: { file: row.sent_file, message_id: row.message_id, line: row.line } }),
  }));
}

/** Index: bank_notices_pkey. */
export async function acknowledgeBankNotices(
  pool: Pool,
  { bookId }: RailRows,
  ids: readonly Uuid[],
  now: Instant,
): Promise<void> {
  await pool.query(
    `UPDATE bank_notices SET acknowledged_at = $3
     WHERE book_id = $1 AND id = ANY ($2::uuid[]) AND acknowledged_at IS NULL`,
    [bookId, plainArray(ids), new Date(now)],
  );
}

/** An exception of the operator's. */
export interface BankFinding {
  readonly id: Uuid;
  readonly kind:
    | 'file_unknown'
    | 'file_missing'
    | 'file_rejected'
    | 'file_amount_mismatch'
    | 'file_quarantined'
    | 'file_account_unknown';
  /** Of the file that it is about. */
  readonly fileId: Uuid;
  readonly detail: string;
}

/** Each once, by its id. Index: bank_findings_pkey. */
export async function insertFindings(
  db: Queryable,
  { bookId, rail }: RailRows,
  findings: readonly BankFinding[],
  now: Instant,
): Promise<void> {
  if (findings.length === 0) return;
  await db.query(
    `INSERT INTO bank_findings (book_id, rail, id, kind, file_id, detail, created_at)
     SELECT $1, $2, given.*, $7 FROM unnest($3::uuid[], $4::text[], $5::uuid[], $6::text[]) AS given ON CONFLICT DO NOTHING`,
    [
      ...[bookId, rail],
      plainArray(findings.map(({ id }) => id)),
      textArray(findings.map(({ kind }) => kind)),
      plainArray(findings.map(({ fileId }) => fileId)),
      textArray(findings.map(({ detail }) => detail)),
      new Date(now),
    ],
  );
}

/** Index: bank_findings_pkey. */
export async function hasFinding(trx: Transaction, { bookId }: RailRows, id: Uuid): Promise<boolean> {
  const { rowCount } = await trx.query('SELECT FROM bank_findings WHERE book_id = $1 AND id = $2', [bookId, id]);
  return rowCount === 1;
}

/** Index: bank_findings_open. */
export async function listFindings(pool: Pool, { bookId, rail }: RailRows, limit: number): Promise<BankFinding[]> {
  const { rows } = await pool.query<{ id: Uuid; kind: BankFinding['kind']; file_id: Uuid; detail: string }>(
    `SELECT id, kind, file_id, detail FROM bank_findings
     WHERE book_id = $1 AND rail = $2 AND opened_at IS NULL ORDER BY id LIMIT $3`,
    [bookId, rail, limit],
  );
  return rows.map(({ file_id: fileId, ...rest }) => ({ ...rest, fileId }));
}

/** Index: bank_findings_pkey. */
export async function recordOpened(pool: Pool, { bookId }: RailRows, id: Uuid, now: Instant): Promise<void> {
  await pool.query('UPDATE bank_findings SET opened_at = $3 WHERE book_id = $1 AND id = $2 AND opened_at IS NULL', [
    bookId,
    id,
    new Date(now),
  ]);
}
