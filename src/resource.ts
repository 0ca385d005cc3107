/** A resource: what entries, holds, keys, exceptions and events name, and where its rows are. */
import type { Queryable } from './db/pool.ts';
import type { ResourceName, Uuid } from './ids.ts';
import type { BookId } from './ledger/book.ts';

export interface KeyColumn {
  readonly name: string;
  readonly type: 'uuid' | 'text' | 'bigint';
}

/** A table and its primary key, beside `book_id`. */
export interface KeyedTable {
  readonly name: string;
  readonly key: readonly KeyColumn[];
}

export interface Resource {
  readonly name: ResourceName;
  /** A row with the resource's id as its key is there as long as the resource is. */
  readonly table: KeyedTable;
  /** The resource that it belongs to. */
  readonly parent?: ResourceName;
  /** The names of its events, each with its group. All of them are in the document. */
  readonly events: readonly string[];
  /** Why a person changed it, as its timeline shows it. Asked for an object that an operator changed. */
  readonly operatorReason?: (db: Queryable, bookId: BookId, id: Uuid) => Promise<object | undefined>;
}

/** A table that is keyed by one UUID, as those of resources are. */
export function keyedByUuid(name: string, key: string): KeyedTable {
  return { name, key: [{ name: key, type: 'uuid' }] };
}

/** SQL: whether the row of a resource is there. Null for a resource that is not declared. `$1` is the book. */
export function existsSql(resources: readonly Resource[], of: { name: string; id: string }): string {
  const cases = resources.map(({ name, table }) => {
    const key = table.key[0]!.name;
    return `WHEN '${name}' THEN EXISTS (SELECT FROM ${table.name} r WHERE r.book_id = $1 AND r.${key} = ${of.id})`;
  });
  return cases.length === 0 ? 'NULL::boolean' : `CASE ${of.name} ${cases.join(' ')} END`;
}
