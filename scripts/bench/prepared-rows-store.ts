/**
 * Ceilings of what a command writes: its rows by bare multi-row INSERT, and UPDATE, into the product's own schema in another database, with its
 * indexes, foreign keys and triggers. The values are read from the rows that the product has written, and prepared before the clock starts.
 */
import type { Pool, Transaction } from '../../src/db/pool.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import type { Uuid } from '../../src/values/ids.ts';

export interface TableRows {
  readonly table: string;
  /** SQL of those that are meant, with the ids as `$1` and `$2`. */
  readonly where: string;
  readonly orderBy: string;
  /** Columns that are changed in rows which are there, by their ids. Left out: rows that are new. */
  readonly changes?: readonly string[];
}

export interface PreparedTable {
  readonly write: string;
  /** Of each batch: a text of an array for each column. Left out where a table has fewer rows than there are batches. */
  readonly batches: ReadonlyMap<number, readonly string[]>;
  readonly rows: number;
}

/** Reads rows, spread over so many batches in their order. */
export async function prepareRows(
  pool: Pool,
  { table, where, orderBy, changes }: TableRows,
  { ids, batches }: { ids: readonly [Uuid, Uuid]; batches: number },
): Promise<PreparedTable> {
  const { rows: all } = await pool.query<{ name: string; type: string }>(
    `SELECT quote_ident(attname) AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = '' ORDER BY attnum`,
    [table],
  );
  const columns = changes === undefined ? all : all.filter(({ name }) => [...KEY, ...changes].includes(name));
  const { rows } = await pool.query<{ batch: number; rows: number } & Record<string, string>>(
    `SELECT of_batch::integer AS batch, count(*)::integer AS rows, ${columns.map(({ name }, at) => `array_agg(${name}::text ORDER BY in_order)::text AS c${at}`).join(', ')}
     FROM (SELECT *, ntile($3::integer) OVER (ORDER BY ${orderBy}) AS of_batch, row_number() OVER (ORDER BY ${orderBy}) AS in_order
       FROM ${table} WHERE (${where}) AND $1::uuid IS NOT NULL AND $2::uuid IS NOT NULL) AS written
     GROUP BY of_batch`,
    [...ids, batches],
  );
  return {
    write: changes === undefined ? insertOf(table, columns) : updateOf(table, columns, changes),
    batches: new Map(rows.map((row) => [row.batch, columns.map((_, at) => row[`c${at}`]!)])),
    rows: rows.reduce((sum, row) => sum + row.rows, 0),
  };
}

/** By these, rows that are changed are found. */
const KEY = ['book_id', 'id'];

interface Column {
  readonly name: string;
  readonly type: string;
}

const arraysOf = (columns: readonly Column[]) => columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ');
const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name).join(', ');

function insertOf(table: string, columns: readonly Column[]): string {
  return `INSERT INTO ${table} (${namesOf(columns)}) SELECT * FROM unnest(${arraysOf(columns)})`;
}

function updateOf(table: string, columns: readonly Column[], changes: readonly string[]): string {
  return `UPDATE ${table} AS t SET ${changes.map((name) => `${name} = n.${name}`).join(', ')}
    FROM unnest(${arraysOf(columns)}) AS n (${namesOf(columns)}) WHERE ${KEY.map((name) => `t.${name} = n.${name}`).join(' AND ')}`;
}

/** One commit a batch. */
export async function writePrepared(pool: Pool, tables: readonly PreparedTable[], batches: number): Promise<void> {
  for (let batch = 1; batch <= batches; batch++) await inTransaction(pool, (trx) => writeBatch(trx, tables, batch));
}

async function writeBatch(trx: Transaction, tables: readonly PreparedTable[], batch: number): Promise<void> {
  const writes = tables.flatMap(({ write, batches }) => {
    const values = batches.get(batch);
    return values ? [trx.query({ name: `ceiling ${write.slice(0, 40)}`, text: write, values: [...values] })] : [];
  });
  await Promise.all(writes);
}
