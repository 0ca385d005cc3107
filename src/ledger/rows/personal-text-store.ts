/** Fills personal text into stored rows: one query for a page or a batch, none if no row has a reference. */
import { hexArray, plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../book/book.ts';
import { filledIn, parseReferences } from './personal-text.ts';

/** A row that may contain markers, and the references that may be filled in. */
export interface KeptRow {
  readonly textReferences: string | null;
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** The texts that these rows refer to, by reference. Erased texts are absent. Index: personal_texts_pkey. */
export async function loadTexts(
  db: Queryable,
  bookId: BookId,
  rows: readonly KeptRow[],
): Promise<ReadonlyMap<string, string>> {
  const references = new Set<string>();
  for (const row of rows) for (const reference of parseReferences(row.textReferences)) references.add(reference);
  if (references.size === 0) return NO_TEXTS;
  const { rows: texts } = await db.query<{ reference: string; text: string }>({
    name: 'personal_texts.load',
    text: `SELECT encode(reference, 'hex') AS reference, text FROM personal_texts
      WHERE book_id = $1 AND reference = ANY ($2::bytea[])`,
    values: [bookId, hexArray([...references])],
  });
  return new Map(texts.map(({ reference, text }) => [reference, text]));
}

export type Filled<Row> = Row & {
  /** The texts that were filled in. */
  readonly texts: readonly string[];
};

const NOTHING: readonly string[] = [];

type KeptPayload = KeptRow & { readonly payload: string };

/** The payloads of events as they are sent. */
export async function fillPayloads<Row extends KeptPayload>(
  db: Queryable,
  bookId: BookId,
  rows: readonly Row[],
): Promise<Filled<Row>[]> {
  const texts = await loadTexts(db, bookId, rows);
  return rows.map((row) => fillPayload(row, texts));
}

/** The same for events of several books. */
export async function fillPayloadsOfBooks<Row extends KeptPayload & { readonly bookId: BookId }>(
  db: Queryable,
  rows: readonly Row[],
): Promise<Filled<Row>[]> {
  const texts = await loadTextsOfBooks(db, rows);
  return rows.map((row) => fillPayload(row, texts.get(row.bookId) ?? NO_TEXTS));
}

function fillPayload<Row extends KeptPayload>(row: Row, texts: ReadonlyMap<string, string>): Filled<Row> {
  const { payload, textReferences } = row;
  if (textReferences === null) return { ...row, texts: NOTHING };
  return {
    ...row,
    payload: filledIn(payload, textReferences, texts),
    texts: parseReferences(textReferences).flatMap((reference) => texts.get(reference) ?? []),
  };
}

/** The texts of each book by reference. Index: personal_texts_pkey, which LIMIT 1 forces. */
async function loadTextsOfBooks(
  db: Queryable,
  rows: readonly (KeptRow & { readonly bookId: BookId })[],
): Promise<ReadonlyMap<BookId, ReadonlyMap<string, string>>> {
  const ofBooks = new Map<BookId, Set<string>>();
  for (const { bookId, textReferences } of rows) {
    if (textReferences === null) continue;
    const references = ofBooks.get(bookId) ?? new Set();
    ofBooks.set(bookId, references);
    for (const reference of parseReferences(textReferences)) references.add(reference);
  }
  const found = new Map<BookId, Map<string, string>>();
  if (ofBooks.size === 0) return found;
  const keys = [...ofBooks].flatMap(([bookId, references]) =>
    [...references].map((reference) => ({ bookId, reference })),
  );
  const { rows: texts } = await db.query<{ book_id: BookId; reference: string; text: string }>({
    name: 'personal_texts.load_pairs',
    text: `SELECT k.book_id, encode(k.reference, 'hex') AS reference, t.text
      FROM unnest($1::uuid[], $2::bytea[]) AS k (book_id, reference)
      CROSS JOIN LATERAL (SELECT text FROM personal_texts
        WHERE personal_texts.book_id = k.book_id AND personal_texts.reference = k.reference LIMIT 1) AS t`,
    values: [plainArray(keys.map(({ bookId }) => bookId)), hexArray(keys.map(({ reference }) => reference))],
  });
  for (const { book_id: bookId, reference, text } of texts) {
    const ofBook = found.get(bookId);
    if (ofBook) ofBook.set(reference, text);
    else found.set(bookId, new Map([[reference, text]]));
  }
  return found;
}

/** SQL of the size of what is filled into a row, for pages that are bounded in bytes. Index: personal_texts_pkey. */
export function textBytes(row: string): string {
  return `COALESCE((SELECT sum(octet_length(t.text)) FROM unnest(string_to_array(${row}.text_references, ' ')) AS named (reference)
    JOIN personal_texts t ON t.book_id = ${row}.book_id AND t.reference = decode(named.reference, 'hex')), 0)`;
}
