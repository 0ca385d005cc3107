/** The rows of clearing files, in a book of the operator's: written once, never changed. */
import type { DebitKind } from '../../cards/purchase/purchase-facts.ts';
import { plainArray, textArray } from '../../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { BadInput } from '../../intake/bad-input.ts';
import { type FileKeeper, inKeepingTransaction, keepFile } from '../../intake/sealed-file.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import { maskCardNumbers } from '../../values/card-number.ts';
import type { Instant } from '../../values/clock.ts';
import { newId, parsePublicId, type Uuid } from '../../values/ids.ts';
import { type CheckedFile, linesOf } from './check-file.ts';
import type { ClearingLine, ClearingType } from './clearing-line.ts';

/** A file as it is kept. */
export interface StoredClearingFile {
  readonly id: Uuid;
  /** Of the operator's. */
  readonly bookId: BookId;
  readonly processor: string;
  readonly sha256: string;
  readonly lines: number;
  /** The same bytes had come before. */
  readonly known: boolean;
}

/** What a file has for one program's book. */
export interface ClearingPart {
  /** Of the intake too (clearing-intake-table.ts). */
  readonly id: Uuid;
  /** Of the operator's, where its lines stand. */
  readonly fileBookId: BookId;
  /** The book whose it is; the operator's own for lines about programs that nobody knows. */
  readonly ofBook: BookId;
  readonly processor: string;
  readonly lines: number;
}

export interface PartLine extends ClearingLine {
  readonly id: Uuid;
  /** In its part, from 1. */
  readonly place: number;
  /** Of the file. */
  readonly row: number;
}

export interface ClearingFile extends CheckedFile {
  readonly processor: string;
  readonly mode: Mode;
  /** As the file was called, for people. */
  readonly name: string;
}

/**
 * Keeps a file whole or not at all, reading it again as it goes. The same bytes again are answered with the first file. Throws BadInput
 * where they have come from another processor, where none of the programs is a book of the mode, and where the file has changed meanwhile.
 */
export async function keepClearingFile(
  { pool, secretBox }: { readonly pool: Pool; readonly secretBox: SecretBox },
  file: ClearingFile,
  now: Instant,
): Promise<StoredClearingFile> {
  const { processor, mode, sha256, lines, name } = file;
  const bookId = (await operatorBooks(pool))[mode];
  const known = await findClearingFile(pool, bookId, sha256);
  if (known) return sameProcessor(known, processor);
  const books = await booksOf(pool, mode, [...file.programs.keys()]);
  if (books.size === 0) throw new BadInput(null, `No program of the file is a book in ${mode} mode.`);
  const id = newId();
  const kept = await inKeepingTransaction(pool, async (trx) => {
    const keeper = await keepFile(trx, secretBox, { bookId, sha256, kind: 'clearing_file', name, now });
    if (keeper === undefined) return false;
    await trx.query(
      'INSERT INTO clearing_files (book_id, id, processor, sha256, lines, created_at) VALUES ($1, $2, $3, $4, $5, $6)',
      [bookId, id, processor, Buffer.from(sha256, 'hex'), lines, new Date(now)],
    );
    const parts = await insertParts(trx, { id, bookId }, { file, books });
    await insertLines(trx, bookId, { file, keeper, partOf: (program) => parts.get(books.get(program) ?? bookId)! });
    return true;
  });
  if (kept) return { id, bookId, processor, sha256, lines, known: false };
  return sameProcessor((await findClearingFile(pool, bookId, sha256))!, processor);
}

function sameProcessor(known: StoredClearingFile, processor: string): StoredClearingFile {
  if (known.processor === processor) return known;
  throw new BadInput(null, `The same file has come as one of ${known.processor}.`);
}

/** Index: clearing_files_by_sha256. */
async function findClearingFile(
  db: Queryable,
  bookId: BookId,
  sha256: string,
): Promise<StoredClearingFile | undefined> {
  const { rows } = await db.query<{ id: Uuid; processor: string; lines: number }>(
    'SELECT id, processor, lines FROM clearing_files WHERE book_id = $1 AND sha256 = $2',
    [bookId, Buffer.from(sha256, 'hex')],
  );
  return rows[0] && { ...rows[0], bookId, sha256, known: true };
}

/** The books that programs name, of this mode. Index: books_pkey. */
async function booksOf(pool: Pool, mode: Mode, programs: readonly string[]): Promise<Map<string, BookId>> {
  const named = programs.flatMap((program) => {
    const id = parsePublicId('book', program);
    return id === undefined ? [] : [[program, id] as const];
  });
  const { rows } = await pool.query<{ id: BookId }>('SELECT id FROM books WHERE id = ANY ($1::uuid[]) AND mode = $2', [
    plainArray(named.map(([, id]) => id)),
    mode,
  ]);
  const known = new Set(rows.map(({ id }) => id));
  return new Map(named.filter(([, id]) => known.has(id)));
}

interface Part {
  readonly id: Uuid;
  /** Of its lines that were inserted. */
  places: number;
}

async function insertParts(
  trx: Transaction,
  { id: fileId, bookId }: { id: Uuid; bookId: BookId },
  { file, books }: { file: ClearingFile; books: ReadonlyMap<string, BookId> },
): Promise<Map<BookId, Part>> {
  const lines = new Map<BookId, number>();
  for (const [program, count] of file.programs) {
    const ofBook = books.get(program) ?? bookId;
    lines.set(ofBook, (lines.get(ofBook) ?? 0) + count);
  }
  const parts = new Map([...lines.keys()].map((ofBook) => [ofBook, { id: newId(), places: 0 }]));
  await trx.query(
    `INSERT INTO clearing_file_parts (book_id, id, file_id, of_book, lines)
     SELECT $1, id, $2, of_book, lines FROM unnest($3::uuid[], $4::uuid[], $5::integer[]) AS part (id, of_book, lines)`,
    [
      bookId,
      fileId,
      plainArray([...parts.values()].map(({ id }) => id)),
      plainArray([...parts.keys()]),
      plainArray([...lines.values()]),
    ],
  );
  return parts;
}

async function insertLines(
  trx: Transaction,
  bookId: BookId,
  { file, keeper, partOf }: { file: ClearingFile; keeper: FileKeeper; partOf: (program: string) => Part },
): Promise<void> {
  const read: Buffer[] = [];
  const keepRead = async () => {
    for (const bytes of read.splice(0)) await keeper.push(bytes);
  };
  for (const block of linesOf(file.file, (bytes) => read.push(bytes))) {
    await keepRead();
    await insertBlock(trx, bookId, block, partOf);
  }
  await keepRead();
  keeper.end();
}

async function insertBlock(
  trx: Transaction,
  bookId: BookId,
  block: readonly { readonly row: number; readonly line: ClearingLine }[],
  partOf: (program: string) => Part,
): Promise<void> {
  if (block.length === 0) return;
  const lines = block.map(({ line }) => line);
  const places = lines.map(({ program }) => {
    const part = partOf(program);
    part.places += 1;
    return { partId: part.id, place: part.places };
  });
  const plain = (pick: (line: ClearingLine) => string | bigint | number | boolean | null) =>
    plainArray(lines.map(pick));
  const text = (pick: (line: ClearingLine) => string | null) => textArray(lines.map(pick));
  await trx.query({
    name: 'clearing_lines.insert',
    text: INSERT_LINES,
    values: [
      bookId,
      plain(() => newId()),
      plainArray(places.map(({ partId }) => partId)),
      plainArray(places.map(({ place }) => place)),
      plainArray(block.map(({ row }) => row)),
      text(({ messageReference }) => messageReference),
      text(({ networkReference }) => networkReference),
      text(({ program }) => program),
      text(({ card }) => card),
      text(({ type }) => type),
      text(({ kind }) => kind),
      plain(({ amount }) => amount),
      text(({ currency }) => currency),
      plain(({ merchantAmount }) => merchantAmount?.amount ?? null),
      text(({ merchantAmount }) => merchantAmount?.currency ?? null),
      plain(({ sequence }) => sequence?.number ?? null),
      plain(({ sequence }) => sequence?.count ?? null),
      plain(({ isFinal }) => isFinal),
      text(({ mcc }) => mcc),
      text(({ merchantId }) => merchantId),
      text(({ merchantName }) => maskCardNumbers(merchantName)),
      text(({ merchantCountry }) => merchantCountry),
      plain(({ interchange }) => interchange),
      text(({ businessDate }) => businessDate),
      text(({ reverses }) => reverses),
    ],
  });
}

const LINE_COLUMNS = `id, part_id, place, row_number, message_reference, network_reference, program, card, type, kind, amount, currency,
  merchant_amount, merchant_currency, sequence_number, sequence_count, is_final, mcc, merchant_id, merchant_name, merchant_country,
  interchange, business_date, reverses`;

const INSERT_LINES = `INSERT INTO clearing_lines (book_id, ${LINE_COLUMNS})
  SELECT $1, ${LINE_COLUMNS} FROM unnest($2::uuid[], $3::uuid[], $4::integer[], $5::integer[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[], $14::bigint[], $15::text[], $16::smallint[], $17::smallint[],
    $18::boolean[], $19::text[], $20::text[], $21::text[], $22::text[], $23::bigint[], $24::text[], $25::text[]) AS line (${LINE_COLUMNS})`;

/** The parts of a file, in the order of their ids. Index: clearing_file_parts_by_file. */
export async function listClearingParts(
  db: Queryable,
  file: Pick<StoredClearingFile, 'bookId' | 'id'>,
): Promise<ClearingPart[]> {
  const { rows } = await db.query<{ id: Uuid; of_book: BookId; processor: string; lines: number }>(
    `SELECT p.id, p.of_book, f.processor, p.lines FROM clearing_file_parts p
     JOIN clearing_files f ON f.book_id = p.book_id AND f.id = p.file_id
     WHERE p.book_id = $1 AND p.file_id = $2 ORDER BY p.id`,
    [file.bookId, file.id],
  );
  return rows.map(({ of_book: ofBook, ...row }) => ({ ...row, ofBook, fileBookId: file.bookId }));
}

interface LineRow {
  readonly id: Uuid;
  readonly place: number;
  readonly row_number: number;
  readonly message_reference: string;
  readonly network_reference: string;
  readonly program: string;
  readonly card: string | null;
  readonly type: ClearingType;
  readonly kind: DebitKind | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly merchant_amount: bigint | null;
  readonly merchant_currency: string | null;
  readonly sequence_number: number | null;
  readonly sequence_count: number | null;
  readonly is_final: boolean | null;
  readonly mcc: string;
  readonly merchant_id: string;
  readonly merchant_name: string;
  readonly merchant_country: string;
  readonly interchange: bigint | null;
  readonly business_date: string | null;
  readonly reverses: string | null;
}

/** Lines of a part behind a place. Index: clearing_lines_in_order. */
export async function listPartLines(
  db: Queryable,
  part: Pick<ClearingPart, 'id' | 'fileBookId'>,
  { behind, limit }: { behind: number; limit: number },
): Promise<PartLine[]> {
  const { rows } = await db.query<LineRow>({
    name: 'clearing_lines.behind',
    text: `SELECT ${LINE_COLUMNS} FROM clearing_lines WHERE book_id = $1 AND part_id = $2 AND place > $3 ORDER BY place LIMIT $4`,
    values: [part.fileBookId, part.id, behind, limit],
  });
  return rows.map(lineFromRow);
}

/** A line that an exception of a book holds. */
export interface HeldLine {
  readonly exceptionId: Uuid;
  readonly part: ClearingPart;
  readonly line: PartLine;
  /** Of the file that it came in. */
  readonly sha256: Buffer;
}

/** Undefined where the exception is not about a line. Indexes: exceptions_pkey by book, clearing_lines_pkey. */
export async function findHeldLine(pool: Pool, exceptionId: Uuid): Promise<HeldLine | undefined> {
  const { rows: named } = await pool.query<{ line_id: Uuid; mode: Mode }>(
    `SELECT e.resource_id AS line_id, b.mode FROM books b
     JOIN exceptions e ON e.book_id = b.id AND e.id = $1 AND e.resource = 'clearing_line' LIMIT 1`,
    [exceptionId],
  );
  const [exception] = named;
  if (!exception) return undefined;
  const fileBookId = (await operatorBooks(pool))[exception.mode];
  const { rows } = await pool.query<
    LineRow & { part_id: Uuid; of_book: BookId; lines: number; processor: string; sha256: Buffer }
  >(
    `SELECT l.*, p.of_book, p.lines, f.processor, f.sha256 FROM clearing_lines l
     JOIN clearing_file_parts p ON p.book_id = l.book_id AND p.id = l.part_id
     JOIN clearing_files f ON f.book_id = p.book_id AND f.id = p.file_id
     WHERE l.book_id = $1 AND l.id = $2`,
    [fileBookId, exception.line_id],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { part_id: id, of_book: ofBook, lines, processor, sha256 } = row;
  return { exceptionId, part: { id, fileBookId, ofBook, processor, lines }, line: lineFromRow(row), sha256 };
}

function lineFromRow(row: LineRow): PartLine {
  const { merchant_amount: amount, sequence_number: number } = row;
  return {
    ...{ id: row.id, place: row.place, row: row.row_number },
    ...{ messageReference: row.message_reference, networkReference: row.network_reference },
    ...{ program: row.program, card: row.card, type: row.type, kind: row.kind },
    ...{ amount: row.amount, currency: row.currency },
    merchantAmount: amount === null ? null : { amount, currency: row.merchant_currency! },
    sequence: number === null ? null : { number, count: row.sequence_count! },
    isFinal: row.is_final,
    ...{ mcc: row.mcc, merchantId: row.merchant_id, merchantName: row.merchant_name },
    ...{ merchantCountry: row.merchant_country, interchange: row.interchange },
    ...{ businessDate: row.business_date, reverses: row.reverses },
  };
}
