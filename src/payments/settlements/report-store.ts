/** The rows of acquirers' reports, in a book of the operator's: written once, never changed. */
import { plainArray, textArray } from '../../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { BadInput } from '../../intake/bad-input.ts';
import { type FileKeeper, inKeepingTransaction, keepFile } from '../../intake/sealed-file.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import type { Instant } from '../../values/clock.ts';
import { isUuid, newId, parsePublicId, type Uuid } from '../../values/ids.ts';
import { type CheckedReport, type ReportShare, reportLines, shareKey } from '../paydays/check-report.ts';
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
  /** The book of its lines; the operator's own for lines that match no book. */
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

export interface ReportFile extends CheckedReport {
  readonly acquirer: string;
  readonly mode: Mode;
  readonly name: string;
}

/**
 * Keeps a report whole or not at all, reading it again as it goes. The same bytes again are answered with the first report. Throws BadInput
 * where they have come from another acquirer, where another report has a line of this one, where none of its merchants is a book of the
 * mode, and where the file has changed meanwhile.
 */
export async function keepReport(
  { pool, secretBox }: { readonly pool: Pool; readonly secretBox: SecretBox },
  file: ReportFile,
  now: Instant,
): Promise<StoredReport> {
  const { acquirer, mode, sha256, lines, shares, name } = file;
  const bookId = (await operatorBooks(pool))[mode];
  const known = await findReport(pool, bookId, sha256);
  if (known) return sameAcquirer(known, acquirer);
  const books = await booksOf(pool, mode, shares);
  if (books.size === 0) throw new BadInput(null, `No merchant of the file is a book in ${mode} mode.`);
  const id = newId();
  const kept = await inKeepingTransaction(pool, async (trx) => {
    const keeper = await keepFile(trx, secretBox, { bookId, sha256, kind: 'acquirer_report', name, now });
    if (keeper === undefined) return false;
    await trx.query(
      `INSERT INTO acquirer_reports (book_id, id, acquirer, sha256, lines, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [bookId, id, acquirer, Buffer.from(sha256, 'hex'), lines, new Date(now)],
    );
    const parts = await insertParts(trx, { id, bookId }, { shares, books });
    await insertLines(trx, { bookId, acquirer }, { file, keeper, parts });
    return true;
  });
  if (kept) return { id, bookId, acquirer, lines, known: false };
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
async function booksOf(pool: Pool, mode: Mode, shares: readonly ReportShare[]): Promise<Map<string, BookId>> {
  const named = new Map<string, BookId>();
  for (const { merchant } of shares) {
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

interface Part {
  readonly id: Uuid;
  readonly ofBook: BookId;
  readonly currency: string;
  lines: number;
  gross: bigint;
  cost: bigint;
  /** Of its lines that were inserted. */
  places: number;
}

/** One for each book and currency. Resolves to them by the share of a merchant (`shareKey`). */
async function insertParts(
  trx: Transaction,
  { id: reportId, bookId }: { id: Uuid; bookId: BookId },
  { shares, books }: { shares: readonly ReportShare[]; books: ReadonlyMap<string, BookId> },
): Promise<Map<string, Part>> {
  const parts = new Map<string, Part>();
  const byShare = new Map<string, Part>();
  for (const share of shares) {
    const { merchant, currency } = share;
    const ofBook = books.get(merchant) ?? bookId;
    const key = `${ofBook} ${currency}`;
    const part = parts.get(key) ?? { id: newId(), ofBook, currency, lines: 0, gross: 0n, cost: 0n, places: 0 };
    part.lines += share.lines;
    part.gross += share.gross;
    part.cost += share.cost;
    parts.set(key, part);
    byShare.set(shareKey(share), part);
  }
  const all = [...parts.values()];
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
      plainArray(all.map(({ lines }) => lines)),
      plainArray(all.map(({ gross }) => gross)),
      plainArray(all.map(({ cost }) => cost)),
    ],
  );
  return byShare;
}

async function insertLines(
  trx: Transaction,
  of: { bookId: BookId; acquirer: string },
  { file, keeper, parts }: { file: ReportFile; keeper: FileKeeper; parts: ReadonlyMap<string, Part> },
): Promise<void> {
  const read: Buffer[] = [];
  const keepRead = async () => {
    for (const bytes of read.splice(0)) await keeper.push(bytes);
  };
  for (const block of reportLines(file.readAgain, (bytes) => read.push(bytes))) {
    await keepRead();
    if (block.length === 0) continue;
    await refuseKnownLines(trx, of, block);
    await insertBlock(trx, of, block, parts);
  }
  await keepRead();
  keeper.end();
}

/** Those of this report that are inserted already have other ids. Index: acquirer_report_lines_by_line_id. */
async function refuseKnownLines(
  trx: Transaction,
  { bookId, acquirer }: { bookId: BookId; acquirer: string },
  block: readonly ReportLine[],
): Promise<void> {
  const { rows } = await trx.query<{ line_id: string }>(
    `SELECT line_id FROM acquirer_report_lines WHERE book_id = $1 AND acquirer = $2 AND line_id = ANY ($3::text[]) LIMIT 1`,
    [bookId, acquirer, textArray(block.map(({ lineId }) => lineId))],
  );
  const [known] = rows;
  if (known)
    throw new BadInput(
      block.find(({ lineId }) => lineId === known.line_id)!.row,
      `The line ${known.line_id} has come in another report of ${acquirer}.`,
    );
}

async function insertBlock(
  trx: Transaction,
  { bookId, acquirer }: { bookId: BookId; acquirer: string },
  block: readonly ReportLine[],
  parts: ReadonlyMap<string, Part>,
): Promise<void> {
  const places = block.map((line) => {
    const part = parts.get(shareKey(line));
    if (part === undefined) throw new BadInput(line.row, 'The file has changed while it was read.');
    part.places += 1;
    return { partId: part.id, place: part.places };
  });
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
      plainArray(block.map(() => newId())),
      plainArray(places.map(({ partId }) => partId)),
      plainArray(places.map(({ place }) => place)),
      plainArray(block.map(({ row }) => row)),
      textArray(block.map(({ merchant }) => merchant)),
      textArray(block.map(({ lineId }) => lineId)),
      textArray(block.map(({ type }) => type)),
      textArray(block.map(({ reference }) => reference)),
      textArray(block.map(({ currency }) => currency)),
      plainArray(block.map(({ gross }) => gross)),
      plainArray(block.map(({ cost }) => cost)),
      plainArray(block.map(({ net }) => net)),
    ],
  );
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
