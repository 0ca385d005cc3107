/** The rows of acquirers' reports, in a book of the operator's: written once, never changed. */
import { createHash } from 'node:crypto';
import { plainArray, textArray } from '../../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import { BadInput } from '../../intake/bad-input.ts';
import { keepFile } from '../../intake/intake-file-store.ts';
import type { BookId, Mode } from '../../ledger/book.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import type { Instant } from '../../values/clock.ts';
import { isUuid, newId, parsePublicId, type Uuid } from '../../values/ids.ts';
import type { LineType, ReportLine } from '../paydays/report.ts';

/** A report as it is kept. */
export interface StoredReport {
  readonly id: Uuid;
  /** Of the operator's. */
  readonly bookId: BookId;
  readonly acquirer: string;
  readonly lines: number;
  /** The same bytes had come before. */
  readonly known: boolean;
}

/** One book's share of a report in one currency: what its settlement is made of. */
export interface ReportPart {
  /** Of the settlement too. */
  readonly id: Uuid;
  readonly reportBookId: BookId;
  /** The book whose it is; the operator's own for lines about nobody we know. */
  readonly ofBook: BookId;
  readonly acquirer: string;
  readonly currency: string;
  readonly lines: number;
  readonly gross: bigint;
  readonly cost: bigint;
}

/** A line of a part, counted from 1. */
export interface PartLine {
  readonly id: Uuid;
  readonly place: number;
  readonly lineId: string;
  readonly type: LineType;
  readonly reference: string;
  readonly gross: bigint;
  readonly cost: bigint;
}

export interface ReportFile {
  readonly acquirer: string;
  readonly mode: Mode;
  readonly name: string;
  readonly bytes: Buffer;
  readonly lines: readonly ReportLine[];
}

/** Rows of one statement. */
const ROWS_AT_ONCE = 5_000;

/**
 * Keeps a report whole or not at all. The same bytes again are answered with the first report. Throws BadInput where they have come
 * from another acquirer, where another report has a line of this one, and where none of its merchants is a book of the mode.
 */
export async function keepReport(pool: Pool, file: ReportFile, now: Instant): Promise<StoredReport> {
  const { acquirer, mode, bytes, lines, name } = file;
  const bookId = (await operatorBooks(pool))[mode];
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const known = await findReport(pool, bookId, sha256);
  if (known) return sameAcquirer(known, acquirer);
  const books = await booksOf(pool, mode, lines);
  if (books.size === 0) throw new BadInput(null, `No merchant of the file is a book in ${mode} mode.`);
  const id = newId();
  const kept = await inTransaction(pool, async (trx) => {
    const fresh = await keepFile(trx, bookId, { sha256, kind: 'acquirer_report', name, bytes }, now);
    if (!fresh) return false;
    await refuseKnownLines(trx, { bookId, acquirer }, lines);
    await trx.query(
      `INSERT INTO acquirer_reports (book_id, id, acquirer, sha256, lines, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [bookId, id, acquirer, Buffer.from(sha256, 'hex'), lines.length, new Date(now)],
    );
    await insertParts(
      trx,
      { id, bookId, acquirer },
      lines.map((line) => ({ line, ofBook: books.get(line.merchant) ?? bookId })),
    );
    return true;
  });
  if (kept) return { id, bookId, acquirer, lines: lines.length, known: false };
  return sameAcquirer((await findReport(pool, bookId, sha256))!, acquirer);
}

function sameAcquirer(known: StoredReport, acquirer: string): StoredReport {
  if (known.acquirer === acquirer) return known;
  throw new BadInput(null, `The same file has come as a report of ${known.acquirer}.`);
}

/** Index: acquirer_reports_by_sha256. */
async function findReport(db: Queryable, bookId: BookId, sha256: string): Promise<StoredReport | undefined> {
  const { rows } = await db.query<{ id: Uuid; acquirer: string; lines: number }>(
    'SELECT id, acquirer, lines FROM acquirer_reports WHERE book_id = $1 AND sha256 = $2',
    [bookId, Buffer.from(sha256, 'hex')],
  );
  return rows[0] && { ...rows[0], bookId, known: true };
}

/** The books that merchants name, of this mode. Index: books_pkey. */
async function booksOf(pool: Pool, mode: Mode, lines: readonly ReportLine[]): Promise<Map<string, BookId>> {
  const named = new Map<string, BookId>();
  for (const { merchant } of lines) {
    const id = parsePublicId('book', merchant) ?? (isUuid(merchant) ? merchant : undefined);
    if (id !== undefined) named.set(merchant, id);
  }
  const { rows } = await pool.query<{ id: BookId }>('SELECT id FROM books WHERE id = ANY ($1::uuid[]) AND mode = $2', [
    plainArray([...new Set(named.values())]),
    mode,
  ]);
  const known = new Set(rows.map(({ id }) => id));
  return new Map([...named].filter(([, id]) => known.has(id)));
}

/** Index: acquirer_report_lines_by_line_id. */
async function refuseKnownLines(
  trx: Transaction,
  { bookId, acquirer }: { bookId: BookId; acquirer: string },
  lines: readonly ReportLine[],
): Promise<void> {
  for (let at = 0; at < lines.length; at += ROWS_AT_ONCE) {
    const some = lines.slice(at, at + ROWS_AT_ONCE);
    const { rows } = await trx.query<{ line_id: string }>(
      `SELECT line_id FROM acquirer_report_lines WHERE book_id = $1 AND acquirer = $2 AND line_id = ANY ($3::text[]) LIMIT 1`,
      [bookId, acquirer, textArray(some.map(({ lineId }) => lineId))],
    );
    const [known] = rows;
    if (known)
      throw new BadInput(
        some.find(({ lineId }) => lineId === known.line_id)!.row,
        `The line ${known.line_id} has come in another report of ${acquirer}.`,
      );
  }
}

async function insertParts(
  trx: Transaction,
  { id: reportId, bookId, acquirer }: { id: Uuid; bookId: BookId; acquirer: string },
  lines: readonly { line: ReportLine; ofBook: BookId }[],
): Promise<void> {
  const parts = new Map<string, { id: Uuid; ofBook: BookId; currency: string; lines: ReportLine[] }>();
  for (const { line, ofBook } of lines) {
    const key = `${ofBook} ${line.currency}`;
    const part = parts.get(key) ?? { id: newId(), ofBook, currency: line.currency, lines: [] };
    parts.set(key, part);
    part.lines.push(line);
  }
  const all = [...parts.values()];
  const sumOf = (some: readonly ReportLine[], pick: (line: ReportLine) => bigint) =>
    some.reduce((sum, line) => sum + pick(line), 0n);
  await trx.query(
    `INSERT INTO acquirer_report_parts (book_id, id, report_id, of_book, currency, lines, gross, cost)
     SELECT $1, id, $2, of_book, currency, lines, gross, cost
     FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::integer[], $7::bigint[], $8::bigint[])
       AS part (id, of_book, currency, lines, gross, cost)`,
    [
      bookId,
      reportId,
      plainArray(all.map(({ id }) => id)),
      plainArray(all.map(({ ofBook }) => ofBook)),
      textArray(all.map(({ currency }) => currency)),
      plainArray(all.map((part) => part.lines.length)),
      plainArray(all.map((part) => sumOf(part.lines, ({ gross }) => gross))),
      plainArray(all.map((part) => sumOf(part.lines, ({ cost }) => cost))),
    ],
  );
  const rows = all.flatMap((part) => part.lines.map((line, at) => ({ ...line, partId: part.id, place: at + 1 })));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE);
    await trx.query(
      `INSERT INTO acquirer_report_lines (book_id, id, part_id, place, row_number, acquirer, merchant, line_id, type, reference,
         currency, gross, cost, net)
       SELECT $1, id, part_id, place, row_number, $2, merchant, line_id, type, reference, currency, gross, cost, net
       FROM unnest($3::uuid[], $4::uuid[], $5::integer[], $6::integer[], $7::text[], $8::text[], $9::text[], $10::text[],
           $11::text[], $12::bigint[], $13::bigint[], $14::bigint[])
         AS line (id, part_id, place, row_number, merchant, line_id, type, reference, currency, gross, cost, net)`,
      [
        bookId,
        acquirer,
        plainArray(some.map(() => newId())),
        plainArray(some.map(({ partId }) => partId)),
        plainArray(some.map(({ place }) => place)),
        plainArray(some.map(({ row }) => row)),
        textArray(some.map(({ merchant }) => merchant)),
        textArray(some.map(({ lineId }) => lineId)),
        textArray(some.map(({ type }) => type)),
        textArray(some.map(({ reference }) => reference)),
        textArray(some.map(({ currency }) => currency)),
        plainArray(some.map(({ gross }) => gross)),
        plainArray(some.map(({ cost }) => cost)),
        plainArray(some.map(({ net }) => net)),
      ],
    );
  }
}

/** The parts of a report, in the order of their ids. Index: acquirer_report_parts_by_report. */
export async function listParts(db: Queryable, report: Pick<StoredReport, 'bookId' | 'id'>): Promise<ReportPart[]> {
  const { rows } = await db.query<{
    id: Uuid;
    of_book: BookId;
    acquirer: string;
    currency: string;
    lines: number;
    gross: bigint;
    cost: bigint;
  }>(
    `SELECT p.id, p.of_book, r.acquirer, p.currency, p.lines, p.gross, p.cost FROM acquirer_report_parts p
     JOIN acquirer_reports r ON r.book_id = p.book_id AND r.id = p.report_id
     WHERE p.book_id = $1 AND p.report_id = $2 ORDER BY p.id`,
    [report.bookId, report.id],
  );
  return rows.map(({ of_book, ...row }) => ({ ...row, ofBook: of_book, reportBookId: report.bookId }));
}

/** Lines of a part behind a place. Index: acquirer_report_lines_by_part. */
export async function listPartLines(
  db: Queryable,
  part: Pick<ReportPart, 'id' | 'reportBookId'>,
  { behind, limit }: { behind: number; limit: number },
): Promise<PartLine[]> {
  const { rows } = await db.query<{
    id: Uuid;
    place: number;
    line_id: string;
    type: LineType;
    reference: string;
    gross: bigint;
    cost: bigint;
  }>(
    `SELECT id, place, line_id, type, reference, gross, cost FROM acquirer_report_lines
     WHERE book_id = $1 AND part_id = $2 AND place > $3 ORDER BY place LIMIT $4`,
    [part.reportBookId, part.id, behind, limit],
  );
  return rows.map(({ line_id, ...row }) => ({ ...row, lineId: line_id }));
}
