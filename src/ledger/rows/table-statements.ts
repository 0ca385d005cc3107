/**
 * The SQL text of a declared table's statements (table-of.ts), each in two forms that take the same parameters from $2 on.
 * `book`: $1 is the book of all rows. `pairs`: $1 is an array with the book of each row.
 */
import { arrayOf, type ColumnType, columnValue } from '../../db/declared-columns.ts';
import { newestRow } from '../../db/newest.ts';

interface NamedColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export type Form = 'book' | 'pairs';

const BOOK: Readonly<Record<Form, string>> = { book: '$1::uuid', pairs: 'unnest($1::uuid[])' };

/** $2 and following: the columns, as encodeColumn makes them. */
export function insertSql(table: string, columns: readonly NamedColumn[], form: Form): string {
  const names = columns.map(({ name }) => name).join(', ');
  const rows = `SELECT ${rowsSql(columns, form)}`;
  const values = columns.map(({ name, type }) => columnValue(type, `v.${name}`));
  const asTheyStand = values.every((value) => value.startsWith('v.'));
  return `INSERT INTO ${table} (book_id, ${names}) ${
    asTheyStand ? rows : `SELECT v.book_id, ${values.join(', ')} FROM (${rows}) AS v (book_id, ${names})`
  }`;
}

/**
 * Rows from arrays, in the list of a SELECT: Postgres takes an element of each at a time. In FROM, unnest puts every array
 * into a store of its own before there is a first row, a fifth of the insert of a wide one.
 */
function rowsSql(columns: readonly NamedColumn[], form: Form): string {
  const elements = columns.map(({ type }, index) => `unnest(${arrayOf(type, `$${index + 2}`)})`);
  return [BOOK[form], ...elements].join(', ');
}

interface Keyed {
  readonly table: string;
  readonly key: NamedColumn;
}

/** $2: the keys. */
export function loadSql({ table, key }: Keyed, selected: string): string {
  return `SELECT ${selected} FROM ${table} WHERE book_id = $1 AND ${key.name} = ANY (${arrayOf(key.type, '$2')})`;
}

/** The same, with an index lookup for each row, its newest version first. */
export function loadNewestSql({ table, key }: Keyed, selected: string): string {
  const newest = newestRow({ table, key: key.name, columns: selected, bookId: '$1', id: 'wanted.id' });
  return `SELECT found.* FROM unnest(${arrayOf(key.type, '$2')}) AS wanted (id), LATERAL (${newest}) AS found`;
}

/** $1: the books, $2: the keys. A limit keeps the index lookup of each row from becoming a join that reads the table. */
export function loadPairsSql({ table, key }: Keyed, selected: string): string {
  return `SELECT found.* FROM unnest($1::uuid[], ${arrayOf(key.type, '$2')}) AS wanted (book_id, id), LATERAL (
    SELECT book_id, ${selected} FROM ${table} WHERE ${table}.book_id = wanted.book_id AND ${table}.${key.name} = wanted.id LIMIT 1) AS found`;
}

interface Update extends Keyed {
  /** The columns that change, as they follow the key in the parameters. */
  readonly changing: readonly NamedColumn[];
  readonly alsoSet: string | undefined;
}

/**
 * $2: the keys, $3 on: the columns that change. The keys are named beside the join: a plan that was made while the table was
 * small joins all rows of the book with the list, and is kept.
 */
export function updateSql(update: Update): string {
  const { table, key } = update;
  return `${updateHead(update, 'book')} AND ${table}.book_id = $1 AND ${table}.${key.name} = ANY (${arrayOf(key.type, '$2')})`;
}

/** The same, with an index lookup for each row, its newest version first. Only if nothing else updates the table. */
export function updateNewestSql(update: Update): string {
  const { table, key } = update;
  const newest = newestRow({ table, key: key.name, columns: `${table}.ctid`, bookId: '$1', id: 'wanted.id' });
  return `${updateHead(update, 'book')} AND ${table}.ctid = ANY (ARRAY(
    SELECT (${newest}) FROM unnest(${arrayOf(key.type, '$2')}) AS wanted (id)))`;
}

/** $1: the books. Two lists of keys and books would probe every pair of them, so each row has an index lookup of its own. */
export function updatePairsSql(update: Update): string {
  const { table, key } = update;
  return `${updateHead(update, 'pairs')} AND ${table}.book_id = v.book_id AND ${table}.ctid = ANY (ARRAY(
    SELECT (SELECT ctid FROM ${table} WHERE ${table}.book_id = wanted.book_id AND ${table}.${key.name} = wanted.id LIMIT 1)
    FROM unnest($1::uuid[], ${arrayOf(key.type, '$2')}) AS wanted (book_id, id)))`;
}

function updateHead({ table, key, changing, alsoSet }: Update, form: Form): string {
  const set = [
    ...changing.map(({ name, type }) => `${name} = ${columnValue(type, `v.${name}`)}`),
    ...(alsoSet ? [alsoSet] : []),
  ];
  const names = ['book_id', key.name, ...changing.map(({ name }) => name)];
  return `UPDATE ${table} SET ${set.join(', ')} FROM (SELECT ${rowsSql([key, ...changing], form)}) AS v (${names.join(', ')})
    WHERE ${table}.${key.name} = v.${key.name}`;
}
