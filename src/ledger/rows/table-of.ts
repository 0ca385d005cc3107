/**
 * Tables and logs from a declaration: a column is named once (db/declared-columns.ts), and what the committer loads, inserts
 * and updates follows from it. The SQL text (table-statements.ts) is built once, when the module is loaded.
 */
import { plainArray } from '../../db/columns.ts';
import { type Column, encodeColumn, nounOf } from '../../db/declared-columns.ts';
import { updateExactly } from '../../db/exactly.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../book/book.ts';
import { judgedTexts } from './judged-texts.ts';
import type { BookRow, Log, LogPairs, Table, TablePairs } from './table.ts';
import {
  insertSql,
  loadNewestSql,
  loadPairsSql,
  loadSql,
  updateNewestSql,
  updatePairsSql,
  updateSql,
} from './table-statements.ts';

export interface TableDeclaration<Row> {
  readonly name: string;
  /** The column that commands load rows by; with `book_id` it is the primary key. */
  readonly key: string;
  /** See WRITE_ORDER. */
  readonly writeOrder: number;
  readonly columns: readonly Column<Row>[];
  /** For a noun that is made so often that an object literal is worth it (docs/decisions/declared-tables.md). */
  readonly fromRow?: (row: never) => Row;
  /** The properties of the noun that several columns state together. */
  readonly alsoRead?: (row: never) => Partial<Row>;
  /** What an update sets beside the columns that change: SQL in which `v` has their new values. */
  readonly alsoSet?: string;
  /**
   * Up to so many rows are found one by one, each with its newest version first (db/newest.ts). For rows that nearly every
   * batch writes, in a table that nothing but the committer updates.
   */
  readonly newestFirstUpTo?: number;
}

/** A table that commands write, with its declaration for code that reads it in other ways. */
export interface DeclaredTable<Row> extends Table<Row> {
  readonly key: string;
  readonly columns: readonly Column<Row>[];
  readonly pairs: TablePairs<Row>;
  /** The value of the key column. */
  idOf(row: Row): string;
  /** The list of a SELECT, each column behind `alias.` where one is given. */
  selected(alias?: string): string;
  /** A noun from a row of `selected`. */
  fromRow(row: unknown): Row;
  load(db: Queryable, bookId: BookId, ids: readonly string[]): Promise<Map<string, Row>>;
  find(db: Queryable, bookId: BookId, id: string): Promise<Row | undefined>;
}

/** Throws RangeError at load for a declaration that lacks its key. */
export function tableOf<Row>(declaration: TableDeclaration<Row>): DeclaredTable<Row> {
  const { name, columns, alsoSet, newestFirstUpTo: few = 0 } = declaration;
  const key = columns.find((column) => column.name === declaration.key);
  if (!key) throw new RangeError(`The table ${name} declares no column ${declaration.key}`);
  const changing = columns.filter(({ changes }) => changes);
  const written = [key, ...changing];
  const fromRow = nounReader(declaration);
  const selected = (alias?: string) => columns.map((one) => (alias ? `${alias}.${one.name}` : one.name)).join(', ');

  const keyed = { table: name, key };
  const update = { ...keyed, changing, alsoSet };
  const sql = {
    load: loadSql(keyed, selected()),
    loadNewest: loadNewestSql(keyed, selected()),
    loadPairs: loadPairsSql(keyed, selected()),
    insert: insertSql(name, columns, 'book'),
    insertPairs: insertSql(name, columns, 'pairs'),
    update: updateSql(update),
    updateNewest: updateNewestSql(update),
    updatePairs: updatePairsSql(update),
  };

  const encodeIds = (ids: readonly string[]) => encodeColumn({ ...key, read: (id: string) => id }, ids);
  const mustChange = () => {
    if (changing.length === 0) throw new Error(`Rows of ${name} never change`);
  };

  async function load(db: Queryable, bookId: BookId, ids: readonly string[]): Promise<Map<string, Row>> {
    const alone = ids.length <= few;
    const { rows } = await db.query({
      name: alone ? `${name}.load_few` : `${name}.load`,
      text: alone ? sql.loadNewest : sql.load,
      values: [bookId, encodeIds(ids)],
    });
    const found = new Map<string, Row>();
    for (const row of rows) found.set(row[key!.name], fromRow(row));
    return found;
  }

  return {
    name,
    key: declaration.key,
    writeOrder: declaration.writeOrder,
    columns,
    texts: judgedTexts(name, columns),
    idOf: key.read as (row: Row) => string,
    selected,
    fromRow,
    load,
    async find(db, bookId, id) {
      return (await load(db, bookId, [id])).get(id);
    },
    async insert(trx, bookId, rows) {
      await trx.query({ name: `${name}.insert`, text: sql.insert, values: [bookId, ...encode(columns, rows)] });
    },
    async update(trx, bookId, rows) {
      mustChange();
      const alone = rows.length <= few;
      await updateExactly(trx, {
        name: alone ? `${name}.update_few` : `${name}.update`,
        text: alone ? sql.updateNewest : sql.update,
        values: [bookId, ...encode(written, rows)],
        rows: rows.length,
      });
    },
    pairs: {
      idOf: key.read as (row: Row) => string,
      async load(db, keys) {
        const { rows } = await db.query({
          name: `${name}.load_pairs`,
          text: sql.loadPairs,
          values: [booksOf(keys), encodeIds(keys.map(({ row }) => row))],
        });
        return rows.map((row) => ({ bookId: row.book_id, row: fromRow(row) }));
      },
      async insert(trx, rows) {
        const values = [booksOf(rows), ...encode(columns, rows.map(rowOf))];
        await trx.query({ name: `${name}.insert_pairs`, text: sql.insertPairs, values });
      },
      async update(trx, rows) {
        mustChange();
        await updateExactly(trx, {
          name: `${name}.update_pairs`,
          text: sql.updatePairs,
          values: [booksOf(rows), ...encode(written, rows.map(rowOf))],
          rows: rows.length,
        });
      },
    },
  };
}

function nounReader<Row>({ columns, ...declaration }: TableDeclaration<Row>): (row: unknown) => Row {
  if (declaration.fromRow) return declaration.fromRow as (row: unknown) => Row;
  const read = nounOf(columns) as (row: unknown) => Row;
  const also = declaration.alsoRead as ((row: unknown) => Partial<Row>) | undefined;
  return also ? (row) => ({ ...read(row), ...also(row) }) : read;
}

export interface LogDeclaration<Row> {
  readonly name: string;
  /** See WRITE_ORDER. */
  readonly writeOrder: number;
  readonly columns: readonly Column<Row>[];
  /** A row whose key exists already is not changed. */
  readonly ifNew?: true;
}

export interface DeclaredLog<Row> extends Log<Row> {
  readonly columns: readonly Column<Row>[];
  readonly pairs: LogPairs<Row>;
}

/** Whether a declaration is of a table, and not of a log. */
export function isTable(declared: DeclaredTable<unknown> | DeclaredLog<unknown>): declared is DeclaredTable<unknown> {
  return 'load' in declared;
}

export function logOf<Row>({ name, writeOrder, columns, ifNew }: LogDeclaration<Row>): DeclaredLog<Row> {
  const onConflict = ifNew ? ' ON CONFLICT DO NOTHING' : '';
  const text = insertSql(name, columns, 'book') + onConflict;
  const pairsText = insertSql(name, columns, 'pairs') + onConflict;
  return {
    name,
    writeOrder,
    columns,
    texts: judgedTexts(name, columns),
    async append(trx, bookId, rows) {
      await trx.query({ name: `${name}.append`, text, values: [bookId, ...encode(columns, rows)] });
    },
    pairs: {
      async append(trx, rows) {
        const values = [booksOf(rows), ...encode(columns, rows.map(rowOf))];
        await trx.query({ name: `${name}.append_pairs`, text: pairsText, values });
      },
    },
  };
}

function encode<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): (string | null)[] {
  return columns.map((column) => encodeColumn(column, rows));
}

function booksOf(rows: readonly BookRow<unknown>[]): string {
  return plainArray(rows.map(({ bookId }) => bookId));
}

function rowOf<Row>({ row }: BookRow<Row>): Row {
  return row;
}
