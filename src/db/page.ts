/**
 * Pages of a list, newest first, by key: an id is the cursor, and a page costs no more than its rows. Ids are UUIDv7,
 * so id order is time order. Filters that vary are built with knex, which only builds the statement here.
 */
import knexFactory, { type Knex } from 'knex';
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';
import type { Queryable } from './pool.ts';

/** Builds statements; it has no connection. */
export const build: Knex = knexFactory({ client: 'pg' });

/** A bound on the column that orders a page. */
export interface IdBound {
  operator: '<' | '>' | '>=';
  id: string;
}

export interface PageRequest {
  /** 1 to 100. */
  limit: number;
  startingAfter?: string;
  endingBefore?: string;
}

export interface Page<Row> {
  rows: Row[];
  /** Only false ends a list: a page may be short, even empty, although more rows follow (see walk.ts). */
  hasMore: boolean;
  /** Where a short page stopped: the id to read on from. It need not be the id of a row on the page. */
  reached?: string;
}

export async function runBuilt<Row>(db: Queryable, query: Knex.QueryBuilder): Promise<Row[]> {
  const { sql, bindings } = query.toSQL().toNative();
  const { rows } = await db.query(sql, bindings as unknown[]);
  return rows as Row[];
}

/** Orders, bounds and limits a query by its key. One row beyond the limit tells whether more rows follow. */
export function keyset(query: Knex.QueryBuilder, page: PageRequest, key: string): Knex.QueryBuilder {
  const backwards = page.endingBefore !== undefined;
  if (page.startingAfter !== undefined) query.where(key, '<', page.startingAfter);
  if (page.endingBefore !== undefined) query.where(key, '>', page.endingBefore);
  return query.orderBy(key, backwards ? 'asc' : 'desc').limit(page.limit + 1);
}

export function pageOf<Row>(rows: Row[], page: PageRequest): Page<Row> {
  const kept = rows.slice(0, page.limit);
  if (page.endingBefore !== undefined) kept.reverse();
  return { rows: kept, hasMore: rows.length > page.limit };
}

/** An id is minted before the commit that dates its row. A book whose clock ran ahead dates the row later still. */
const MINTED_BEFORE_MS = 3_600_000;

export interface CreatedRange {
  /** At or after. */
  gte?: Instant;
  /** Before. */
  lt?: Instant;
}

/**
 * Turns bounds of time into bounds of ids, so that an index in id order serves them. The time itself must be compared
 * too (createdBetween).
 */
export function createdBounds({ gte, lt }: CreatedRange): IdBound[] {
  const bounds: IdBound[] = [];
  if (gte !== undefined) bounds.push({ operator: '>=', id: firstIdAt(gte - MINTED_BEFORE_MS) });
  if (lt !== undefined) bounds.push({ operator: '<', id: firstIdAt(lt) });
  return bounds;
}

export function createdBetween(query: Knex.QueryBuilder, { gte, lt }: CreatedRange, column: string): void {
  if (gte !== undefined) query.where(column, '>=', new Date(gte).toISOString());
  if (lt !== undefined) query.where(column, '<', new Date(lt).toISOString());
}

/** The lower bound of a millisecond's UUIDv7s. */
function firstIdAt(instant: Instant): Uuid {
  const hex = Math.max(instant, 0).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
