import type { Pool } from '../../db/pool.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import type { Uuid } from '../../values/ids.ts';
import { listParts, type PartLine, type ReportPart } from './report-store.ts';

/** A line of a report that became an exception. */
export interface ExceptionLine {
  readonly exceptionId: Uuid;
  readonly part: ReportPart;
  readonly line: PartLine;
  /** Of the file that it came in. */
  readonly reportSha256: Buffer;
  /** It was booked after all. */
  readonly isBooked: boolean;
}

/**
 * Undefined for an exception of anything but a settlement line. Indexes: settlement_lines_by_exception,
 * settlement_lines_by_settlement.
 */
export async function findExceptionLine(pool: Pool, exceptionId: Uuid): Promise<ExceptionLine | undefined> {
  const { rows } = await pool.query<{ id: Uuid; mode: Mode; is_booked: boolean }>(
    `SELECT l.id, b.mode, EXISTS (
       SELECT FROM settlement_lines booked WHERE booked.book_id = l.book_id AND booked.settlement_id = l.settlement_id
         AND booked.line_id = l.line_id AND booked.exception_id IS NULL
     ) AS is_booked
     FROM books b JOIN settlement_lines l ON l.book_id = b.id AND l.exception_id = $1 LIMIT 1`,
    [exceptionId],
  );
  const [named] = rows;
  if (!named) return undefined;
  const bookId = (await operatorBooks(pool))[named.mode];
  const found = await findReportLine(pool, bookId, named.id);
  return found && { exceptionId, isBooked: named.is_booked, ...found };
}

/** Indexes: acquirer_report_lines_pkey, acquirer_report_parts_pkey, acquirer_reports_pkey. */
async function findReportLine(
  pool: Pool,
  bookId: BookId,
  id: Uuid,
): Promise<Pick<ExceptionLine, 'part' | 'line' | 'reportSha256'> | undefined> {
  type Row = Omit<PartLine, 'lineId'> & { line_id: string; part_id: Uuid; report_id: Uuid; sha256: Buffer };
  const { rows } = await pool.query<Row>(
    `SELECT l.id, l.place, l.line_id, l.type, l.reference, l.gross, l.cost, l.part_id, p.report_id, r.sha256
     FROM acquirer_report_lines l
     JOIN acquirer_report_parts p ON p.book_id = l.book_id AND p.id = l.part_id
     JOIN acquirer_reports r ON r.book_id = p.book_id AND r.id = p.report_id
     WHERE l.book_id = $1 AND l.id = $2`,
    [bookId, id],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { line_id: lineId, part_id: partId, report_id: reportId, sha256: reportSha256, ...line } = row;
  const part = (await listParts(pool, { bookId, id: reportId })).find((one) => one.id === partId)!;
  return { line: { ...line, lineId }, part, reportSha256 };
}
