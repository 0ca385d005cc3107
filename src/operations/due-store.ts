/**
 * Rows that are due: no worker moved them in time. Read across all books, which only the sweeper and the metrics may
 * do. Postponed book by book, outside the book's lock, by compare-and-set.
 */

import { instantArray, plainArray, textArray } from '../db/columns.ts';
import type { KeyedTable } from '../db/keyed-table.ts';
import type { Pool } from '../db/pool.ts';
import { DUE_AND_NOT_STUCK, type DueRow, idSql, keyOf, type MovedRows } from '../group/moved-rows.ts';
import type { Instant } from '../values/clock.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../values/ids.ts';

/** The statements over the due rows of one status, built once. Their text contains no input. */
export interface DueStatements {
  readonly table: KeyedTable;
  readonly dueSql: string;
  readonly dueByBookSql: string;
  readonly postponeSql: string;
}

/** The table's due_by_book index begins with the columns of the condition. */
export function dueStatements({ table }: Pick<MovedRows, 'table'>, status: string): DueStatements {
  const id = idSql(table);
  const open = `${DUE_AND_NOT_STUCK} AND status = '${status}'`;
  return {
    table,
    dueSql: `SELECT book_id, ${id} AS id, due_at FROM ${table.name} WHERE due_at <= $1 AND ${open} ORDER BY due_at LIMIT $2`,
    dueByBookSql: dueByBookSql(table.name, id, open),
    postponeSql: postponeSql(table),
  };
}

interface DueRecord {
  book_id: Uuid;
  id: string;
  due_at: Instant;
}

const toDueRow = (row: DueRecord): DueRow => ({ bookId: row.book_id, id: row.id, dueAt: row.due_at });

/**
 * Finds rows of all books, longest due first. No second sort key: of a hundred thousand rows that are due at the same
 * moment a page must not sort them all, and postponed rows leave the front by themselves. Index: <table>_due.
 */
export async function findDue(
  pool: Pool,
  statements: DueStatements,
  page: { now: Instant; limit: number },
): Promise<DueRow[]> {
  const { rows } = await pool.query<DueRecord>(statements.dueSql, [new Date(page.now), page.limit]);
  return rows.map(toDueRow).sort(longestDueFirst);
}

/** Of rows that are due at the same moment, Postgres returns any first: the same rows make the same jobs. */
function longestDueFirst(one: DueRow, other: DueRow): number {
  return one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1);
}

export interface DueByBook {
  readonly rows: DueRow[];
  /** The last book of the page; undefined when no book follows. */
  readonly lastBook: Uuid | undefined;
}

/** Books in one page. */
const BOOKS_PAGE = 100;
/** Rows in one page, divided equally among its books: at least the rows of one job for each, at most those of ten. */
const ROWS_PAGE = 10_000;
const ROWS_PER_BOOK = { least: 100, most: 1_000 };

/**
 * Finds a page of books in order of id, each with its own longest due rows. The due rows of one book, however many,
 * never hide those of another. A step from book to book reads one entry of the index, a book without due rows another
 * one. Index: <table>_due_by_book.
 */
export async function findDueByBook(
  pool: Pool,
  statements: DueStatements,
  page: { now: Instant; after: Uuid | undefined },
): Promise<DueByBook> {
  const { rows } = await pool.query<{ book_id: Uuid; id: string | null; due_at: Instant | null }>(
    statements.dueByBookSql,
    [new Date(page.now), page.after ?? BEFORE_ALL_IDS],
  );
  const books = new Set(rows.map((row) => row.book_id));
  const due = rows
    .filter((row): row is DueRecord => row.id !== null)
    .map(toDueRow)
    .sort(longestDueFirst);
  return { rows: due, lastBook: books.size < BOOKS_PAGE ? undefined : [...books].at(-1) };
}

/** $1: due until this time. $2: the page begins after this book. */
function dueByBookSql(table: string, id: string, open: string): string {
  return `WITH RECURSIVE step (book_id) AS (
       (SELECT book_id FROM ${table} WHERE ${open} AND book_id > $2 ORDER BY book_id LIMIT 1)
       UNION ALL
       SELECT (SELECT book_id FROM ${table} WHERE ${open} AND ${table}.book_id > step.book_id ORDER BY ${table}.book_id LIMIT 1)
       FROM step WHERE step.book_id IS NOT NULL
     ), book AS MATERIALIZED (
       SELECT book_id FROM step WHERE book_id IS NOT NULL LIMIT ${BOOKS_PAGE}
     )
     SELECT book.book_id, due.id, due.due_at FROM book LEFT JOIN LATERAL (
       SELECT ${id} AS id, due_at FROM ${table}
       WHERE ${open} AND ${table}.book_id = book.book_id AND due_at <= $1 ORDER BY due_at
       LIMIT (SELECT GREATEST(${ROWS_PER_BOOK.least}, LEAST(${ROWS_PER_BOOK.most}, ${ROWS_PAGE} / count(*))) FROM book)
     ) AS due ON true`;
}

/**
 * Postpones rows of one book, and resolves to the ids that were postponed; the caller enqueues those. A row that moved
 * meanwhile, or that another sweeper postponed, has another due time and is left alone. A locked row is being moved
 * right now and is skipped, so that the statement never waits for a committer and is part of no deadlock.
 *
 * Each row is found by its key: LIMIT 1 enforces it, and `due_at` is compared in a way that no index serves. Tried and
 * slower: a join with the list, which read all 60,000 due rows of a book for each hundred (100 ms instead of 3).
 * The book beside a place is compared in such a way too: of a book that statistics do not know, the planner expects one row.
 */
export async function postponeDue(
  pool: Pool,
  { table, postponeSql: text }: DueStatements,
  { bookId, due, until }: { bookId: Uuid; due: readonly DueRow[]; until: Instant },
): Promise<string[]> {
  const keys = due.map((row) => keyOf(table, row.id));
  const { rows: postponed } = await pool.query<{ id: string }>(text, [
    bookId,
    new Date(until),
    instantArray(due.map((row) => row.dueAt)),
    ...keyArrays(table, keys),
  ]);
  return postponed.map(({ id }) => id);
}

/** $1: the book. $2: until when. $3: the due times that were read. $4 and following: the keys. */
function postponeSql(table: KeyedTable): string {
  return `WITH free AS (
       SELECT found.place FROM unnest($3::timestamptz[], ${keyParameters(table, 4)}) AS seen (due_at, ${keyNames(table)})
       CROSS JOIN LATERAL (SELECT ctid AS place FROM ${table.name}
         WHERE book_id = $1 AND ${sameKey(table, table.name)} AND due_at IS NOT DISTINCT FROM seen.due_at AND stuck_at IS NULL
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS found
     )
     UPDATE ${table.name} SET due_at = $2 WHERE book_id IS NOT DISTINCT FROM $1 AND ctid = ANY (ARRAY (SELECT place FROM free))
     RETURNING ${idSql(table)} AS id`;
}

function keyNames({ key }: KeyedTable): string {
  return key.map(({ name }) => name).join(', ');
}

/** The keys of rows as arrays, one for each column, beginning with this parameter. */
export function keyParameters({ key }: KeyedTable, from: number): string {
  return key.map(({ type }, index) => `$${from + index}::${type}[]`).join(', ');
}

export function keyArrays({ key }: KeyedTable, keys: readonly (readonly string[])[]): string[] {
  return key.map(({ type }, index) => {
    const values = keys.map((columns) => columns[index]!);
    return type === 'text' ? textArray(values) : plainArray(values);
  });
}

/** SQL: the row has the key of the row `seen`. */
export function sameKey({ key }: KeyedTable, row: string): string {
  return key.map(({ name }) => `${row}.${name} = seen.${name}`).join(' AND ');
}
