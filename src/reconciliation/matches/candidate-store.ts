/** Lines that nothing explains, and the items that they may be: by what the lines name, and by days. */
import { plainArray, textArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import type { BankLine } from '../lines/bank-line.ts';
import { bankLines } from '../lines/bank-line-table.ts';
import { type BankMatch, MATCH_ITEMS_MAX } from './bank-match.ts';
import { bankMatches } from './bank-match-table.ts';

export interface LinePlace {
  readonly bookedOn: string;
  readonly id: Uuid;
}

interface UnmatchedLines {
  readonly bankAccountId: Uuid;
  readonly after: LinePlace;
  readonly limit: number;
}

/** Lines of a bank account of which something is open, in the order of their days. Index: bank_lines_unmatched. */
export function listUnmatchedLines(db: Queryable, bookId: BookId, of: UnmatchedLines): Promise<BankLine[]> {
  return unmatched(db, bookId, { ...of, column: 'bank_account_id', accountId: of.bankAccountId });
}

/** Lines that are compared with an account of the book, of which something is open. Index: bank_lines_compared_unmatched. */
export function listUnmatchedCompared(
  db: Queryable,
  bookId: BookId,
  of: Omit<UnmatchedLines, 'bankAccountId'> & { readonly comparedAccountId: Uuid },
): Promise<BankLine[]> {
  return unmatched(db, bookId, { ...of, column: 'compared_account_id', accountId: of.comparedAccountId });
}

interface Unmatched extends Omit<UnmatchedLines, 'bankAccountId'> {
  readonly column: 'bank_account_id' | 'compared_account_id';
  readonly accountId: Uuid;
}

async function unmatched(
  db: Queryable,
  bookId: BookId,
  { column, accountId, after, limit }: Unmatched,
): Promise<BankLine[]> {
  const { rows } = await db.query({
    name: `bank_lines.unmatched.${column}`,
    text: `SELECT ${bankLines.selected()} FROM bank_lines WHERE book_id = $1 AND ${column} = $2
      AND status IN ('open', 'partly_matched') AND (booked_on, id) > ($3, $4) ORDER BY booked_on, id LIMIT $5`,
    values: [bookId, accountId, after.bookedOn, after.id, limit],
  });
  return rows.map(bankLines.fromRow);
}

export interface NamedInLines {
  readonly endToEndIds: readonly string[];
  readonly references: readonly string[];
  /** What may be the beginning of a reference. */
  readonly beginnings: readonly string[];
  readonly batchIds: readonly string[];
  /** Of a book's own comparison: items are lines of this account alone. Left out: of every party. */
  readonly comparedAccountId?: Uuid | undefined;
}

/** Items with one reference: a file has many. More than that of one reference are not matched by it. */
const ITEMS_PER_BATCH = MATCH_ITEMS_MAX + 1;
const ITEMS_PER_REFERENCE = 20;

/**
 * Items that lines name, matched ones too. Each reference is looked up by its index and bounded. Indexes: expected_items_by_end_to_end_id,
 * expected_items_by_bank_reference, expected_items_by_document, expected_items_by_batch.
 */
export async function findNamedItems(db: Queryable, bookId: BookId, named: NamedInLines): Promise<ExpectedItem[]> {
  const by = (column: string, from: string, limit: number) =>
    `SELECT i.* FROM unnest(${from}) AS named (text)
     CROSS JOIN LATERAL (SELECT * FROM expected_items
       WHERE book_id = $1 AND ${column} = named.text AND ($6::uuid IS NULL OR clearing_account_id = $6)
       ORDER BY id LIMIT ${limit}) AS i`;
  // Of a cut reference two are enough: it names none then. Comparisons of characters, whatever the collation.
  const beginning = (column: string) =>
    `SELECT i.* FROM unnest($4::text[]) AS named (text)
     CROSS JOIN LATERAL (SELECT * FROM expected_items
       WHERE book_id = $1 AND ${column} ~>=~ named.text AND ${column} ~<~ (named.text || '~')
         AND ($6::uuid IS NULL OR clearing_account_id = $6) ORDER BY ${column} USING ~<~ LIMIT ${ITEMS_PER_REFERENCE}) AS i`;
  const { rows } = await db.query({
    name: 'expected_items.named',
    text: `SELECT DISTINCT ON (id) ${expectedItems.selected()} FROM (
      ${by('end_to_end_id', '$2::text[]', ITEMS_PER_REFERENCE)}
      UNION ALL ${by('bank_reference', '$3::text[]', ITEMS_PER_REFERENCE)}
      UNION ALL ${by('document_reference', '$3::text[]', ITEMS_PER_REFERENCE)}
      UNION ALL ${by('batch_id', '$5::text[]', ITEMS_PER_BATCH)}
      UNION ALL ${beginning('end_to_end_id')}
      UNION ALL ${beginning('document_reference')}) AS found ORDER BY id`,
    values: [
      bookId,
      textArray(named.endToEndIds),
      textArray(named.references),
      textArray(named.beginnings),
      textArray(named.batchIds),
      named.comparedAccountId ?? null,
    ],
  });
  return rows.map(expectedItems.fromRow);
}

interface Between {
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly limit: number;
}

/**
 * Items of which something is open and that are expected within these days, by clearing account. Indexes: accounts_pkey (an operator's book has the
 * accounts of its chart alone), expected_items_open.
 */
export async function listOpenItems(
  db: Queryable,
  bookId: BookId,
  { currency, from, to, limit }: Between,
): Promise<ExpectedItem[]> {
  const { rows } = await db.query({
    name: 'expected_items.between',
    text: `SELECT ${expectedItems.selected('i')} FROM accounts a
      CROSS JOIN LATERAL (SELECT * FROM expected_items
        WHERE book_id = $1 AND clearing_account_id = a.id AND status <> 'matched' AND expected_on BETWEEN $3 AND $4
        ORDER BY expected_on, id LIMIT $5) AS i
      WHERE a.book_id = $1 AND a.code IN ('rail_clearing', 'acquirer_clearing', 'unallocated') AND a.currency = $2
      LIMIT $5`,
    values: [bookId, currency, from, to, limit],
  });
  return rows.map(expectedItems.fromRow);
}

/** The same of the lines of an account that its book compares. Index: expected_items_open. */
export async function listOpenLinesAsItems(
  db: Queryable,
  bookId: BookId,
  { comparedAccountId, from, to, limit }: Omit<Between, 'currency'> & { readonly comparedAccountId: Uuid },
): Promise<ExpectedItem[]> {
  const { rows } = await db.query({
    name: 'expected_items.compared',
    text: `SELECT ${expectedItems.selected()} FROM expected_items
      WHERE book_id = $1 AND clearing_account_id = $2 AND status <> 'matched' AND expected_on BETWEEN $3 AND $4
      ORDER BY expected_on, id LIMIT $5`,
    values: [bookId, comparedAccountId, from, to, limit],
  });
  return rows.map(expectedItems.fromRow);
}

/** The accounts on which expected items of a currency stand. Index: accounts_pkey: an operator's book has the accounts of its chart alone. */
export async function listClearingAccounts(db: Queryable, bookId: BookId, currency: string): Promise<Uuid[]> {
  const { rows } = await db.query<{ id: Uuid }>(
    `SELECT id FROM accounts WHERE book_id = $1 AND code IN ('rail_clearing', 'acquirer_clearing', 'unallocated')
     AND currency = $2 ORDER BY id LIMIT ${CLEARING_MAX}`,
    [bookId, currency],
  );
  return rows.map(({ id }) => id);
}

/** One a party and currency. */
const CLEARING_MAX = 1_000;

export interface ItemPlace {
  readonly expectedOn: string;
  readonly id: Uuid;
}

interface WaitingItems {
  readonly clearingAccountId: Uuid;
  readonly before: string;
  readonly after: ItemPlace;
  readonly limit: number;
}

/** Items expected before a day of which something is open and that have no exception, in the order of their days. Index: expected_items_open. */
export async function listWaitingItems(
  db: Queryable,
  bookId: BookId,
  { clearingAccountId, before, after, limit }: WaitingItems,
): Promise<ExpectedItem[]> {
  const { rows } = await db.query({
    name: 'expected_items.waiting',
    text: `SELECT ${expectedItems.selected()} FROM expected_items
      WHERE book_id = $1 AND clearing_account_id = $2 AND status <> 'matched' AND expected_on < $3
        AND (expected_on, id) > ($4, $5) AND exception_id IS NULL ORDER BY expected_on, id LIMIT $6`,
    values: [bookId, clearingAccountId, before, after.expectedOn, after.id, limit],
  });
  return rows.map(expectedItems.fromRow);
}

/** The files that statements came in, by statement, in hexadecimal digits. Index: bank_statements_pkey. */
export async function readFilesOf(
  db: Queryable,
  bookId: BookId,
  statementIds: readonly Uuid[],
): Promise<Map<Uuid, string>> {
  const { rows } = await db.query<{ id: Uuid; sha256: Buffer }>(
    'SELECT id, sha256 FROM bank_statements WHERE book_id = $1 AND id = ANY ($2::uuid[])',
    [bookId, plainArray(statementIds)],
  );
  return new Map(rows.map(({ id, sha256 }) => [id, sha256.toString('hex')]));
}

/** Matches that commands are taking items for, or giving them back. Index: bank_matches_moving. */
export async function listMovingMatches(db: Queryable, bookId: BookId, limit: number): Promise<BankMatch[]> {
  const { rows } = await db.query(
    `SELECT ${bankMatches.selected()} FROM bank_matches WHERE book_id = $1 AND status IN ('reserving', 'undoing')
     ORDER BY id LIMIT $2`,
    [bookId, limit],
  );
  return rows.map(bankMatches.fromRow);
}

export interface MatchKey {
  readonly bookId: BookId;
  readonly id: Uuid;
}

/** The same in all books, a page behind a key. Index: bank_matches_moving. */
export async function findMovingMatches(
  db: Queryable,
  { after, limit }: { after: MatchKey; limit: number },
): Promise<MatchKey[]> {
  const { rows } = await db.query<{ book_id: BookId; id: Uuid }>(
    `SELECT book_id, id FROM bank_matches
     WHERE status IN ('reserving', 'undoing') AND (book_id, id) > ($1, $2) ORDER BY book_id, id LIMIT $3`,
    [after.bookId, after.id, limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id }));
}

/** Matches that people have undone, newest first. Index: bank_matches_undone. */
export async function listUndoneMatches(db: Queryable, bookId: BookId, limit: number): Promise<BankMatch[]> {
  const { rows } = await db.query(
    `SELECT ${bankMatches.selected()} FROM bank_matches WHERE book_id = $1 AND status = 'undone' ORDER BY id DESC LIMIT $2`,
    [bookId, limit],
  );
  return rows.map(bankMatches.fromRow);
}
