/**
 * Pages of a declared table, newest first: its filters, cursor and bounds follow from the declaration (rows/table-of.ts). Of the
 * filters of a request, the rarest is walked and the others are compared (db/walk.ts). Indexes: the primary key, one on
 * book, column and key for each column that is declared `filter`, and metadata_index.
 */
import { build, type CreatedRange, type Page, type PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Walk, WalkedList } from '../../db/walk.ts';
import { walkOf } from '../../db/walk-by-time.ts';
import type { BookId } from '../book/book.ts';
import type { DeclaredTable } from '../rows/table-of.ts';
import { type MetadataPair, metadataWalks } from './metadata-store.ts';

export interface ListFilter {
  /** By column: rows with any of these values. */
  readonly among?: Readonly<Record<string, readonly string[] | undefined>>;
  /** The same for columns without an index: compared with each candidate. */
  readonly equal?: Readonly<Record<string, readonly string[] | undefined>>;
  /** Indexes of several columns that serve these filters. */
  readonly walks?: readonly Walk[];
  readonly created?: CreatedRange;
  /** Rows with all of these pairs. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface ListedTable<Row> {
  readonly table: DeclaredTable<Row>;
  /** The name under which metadata_index has the table's rows. */
  readonly object?: MetadataPair['object'];
  /** SQL: the predicate of the partial index. Rows outside it are not listed. */
  readonly predicate?: string;
}

interface ListRequest {
  readonly bookId: BookId;
  /** Columns that every row of the list has, such as its parent's id. */
  readonly owner?: Readonly<Record<string, string>>;
  readonly filter?: ListFilter;
  readonly page: PageRequest;
}

/** Throws ApiError `cursor_invalid` for a cursor that is no row of the list, and RangeError for a filter that is not declared: a bug. */
export async function listRows<Row>(
  db: Queryable,
  { table, object, predicate }: ListedTable<Row>,
  { bookId, owner, filter = {}, page }: ListRequest,
): Promise<Page<Row>> {
  const { created = {}, metadata } = filter;
  const among = Object.entries(filter.among ?? {}).filter((given): given is [string, string[]] => !!given[1]?.length);
  const compared = Object.entries(filter.equal ?? {}).filter(
    (given): given is [string, string[]] => !!given[1]?.length,
  );
  const all: Walk = { table: table.name, id: table.key, equal: { book_id: bookId }, ...(predicate && { predicate }) };
  const walks = [
    // First, because a pair that is not walked needs an index lookup for each candidate.
    ...(object ? metadataWalks(bookId, object, metadata) : []),
    ...among.map(([name, values]): Walk => ({ ...all, among: { column: filterable(table, name), values } })),
    ...(filter.walks ?? []),
  ];
  // The index of metadata keeps pairs that an update has replaced.
  const replaced = metadata && table.columns.some(({ name, changes }) => name === 'metadata' && changes);
  const list: WalkedList = {
    all,
    owner,
    walks,
    rechecked: replaced || compared.length > 0,
    row(candidate) {
      const query = build(table.name)
        .select(build.raw(`${table.selected()}, ${longBytes(table)} AS bytes`))
        .where({ book_id: bookId, [table.key]: candidate });
      for (const [name, values] of [...among, ...compared]) query.whereIn(name, values);
      if (replaced) query.whereRaw('metadata @> ?::jsonb', [JSON.stringify(metadata)]);
      return query;
    },
  };
  const { rows, ...end } = await walkOf<object>(db, { ...list, created }, page);
  return { rows: rows.map(table.fromRow), ...end };
}

function filterable<Row>(table: DeclaredTable<Row>, name: string): string {
  if (!table.columns.some((column) => column.filter && column.name === name))
    throw new RangeError(`Lists of ${table.name} are not filtered by ${name}`);
  return name;
}

/** SQL: the size of those columns of a row that may be long. */
function longBytes<Row>({ columns }: DeclaredTable<Row>): string {
  const long = columns
    .filter(({ type }) => type === 'jsonb')
    .map(({ name }) => `COALESCE(octet_length(${name}::text), 0)`);
  return long.length === 0 ? '0' : long.join(' + ');
}
