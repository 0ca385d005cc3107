/**
 * Pages of a list, newest first, by key: an id is the cursor, and a page costs no more than its rows. Ids are UUIDv7,
 * so id order is the order of requests (a list that is filtered by time: walk-by-time.ts). Filters that vary are built with knex, which only builds the statement here.
 */
import knexFactory, { type Knex } from 'knex';
import type { Instant } from '../values/clock.ts';
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

/** Orders, bounds and limits a query by its key. One row beyond the limit shows whether more rows follow. */
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

export interface CreatedRange {
  /** At or after. */
  gte?: Instant;
  /** Before. */
  lt?: Instant;
}

export function isRange({ gte, lt }: CreatedRange): boolean {
  return gte !== undefined || lt !== undefined;
}

export function createdBetween(query: Knex.QueryBuilder, { gte, lt }: CreatedRange, column: string): void {
  if (gte !== undefined) query.where(column, '>=', new Date(gte).toISOString());
  if (lt !== undefined) query.where(column, '<', new Date(lt).toISOString());
}
