/** Tables by name and primary key, and the SQL that needs nothing else of them. */

export interface KeyColumn {
  readonly name: string;
  readonly type: 'uuid' | 'text' | 'bigint';
}

/** A table and its primary key, beside `book_id`. */
export interface KeyedTable {
  readonly name: string;
  readonly key: readonly KeyColumn[];
}

/** The rows of a table whose column has this value. */
export interface OnlyRows {
  readonly column: string;
  readonly value: string;
}

/** SQL of a condition, or nothing. */
export function onlySql(only: OnlyRows | undefined, alias = ''): string {
  return only === undefined ? '' : ` AND ${alias}${only.column} = '${only.value}'`;
}

/** A table that is keyed by one UUID, as those of resources are. */
export function keyedByUuid(name: string, key: string): KeyedTable {
  return { name, key: [{ name: key, type: 'uuid' }] };
}

/** A resource by its name, with its rows: keyed by its id. */
interface RowsOfName {
  readonly name: string;
  readonly table: { readonly name: string; readonly key: string };
  readonly only?: OnlyRows;
}

/** SQL: whether the row that a name and an id stand for is there. Null for a name of no resource. `$1` is the book. */
export function existsSql(resources: readonly RowsOfName[], of: { name: string; id: string }): string {
  const cases = resources.map(
    ({ name, table, only }) =>
      `WHEN '${name}' THEN EXISTS (SELECT FROM ${table.name} r WHERE r.book_id = $1 AND r.${table.key} = ${of.id}${onlySql(only, 'r.')})`,
  );
  return cases.length === 0 ? 'NULL::boolean' : `CASE ${of.name} ${cases.join(' ')} END`;
}
