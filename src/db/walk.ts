/**
 * Pages of lists with filters. The cost of a page depends neither on the size of the book nor on how its filters
 * combine.
 *
 * One index gives the ids of one filter in order (a *walk*). Every id is a *candidate*, which the other filters may
 * refuse. A page looks at 2,000 candidates at most, fewer when several filters are probed. Where those do not fill the
 * page, the page is short and reports how far it came: the cursor of the next page is the last candidate, matched or
 * not. The rarest filter, counted to 1,000, is walked. docs/decisions/bounded-lists.md gives the reasons.
 */
import type { Knex } from 'knex';
import { build, type IdBound, type Page, type PageRequest, runBuilt } from './page.ts';
import type { Queryable } from './pool.ts';

/** The most candidates of a page: docs/decisions/bounded-lists.md. Published at GET /v1/limits. */
export const CANDIDATES_MAX = 2_000;
/**
 * The most index lookups of a page, each of 6 to 10 µs: the row of a candidate, and each probed filter. With four probed
 * filters that is 600 candidates. Measured: a p99 of 35 ms, and of 45 ms with 4,000 (npm run bench -- lists).
 */
const LOOK_UPS_MAX = 3_000;
/** A page ends with the row whose text crosses this: 100 rows may have 10 MB of metadata. See GET /v1/limits. */
export const PAGE_BYTES_MAX = 1_000_000;
/** A filter with more rows is common, and no choice among common filters fills a page. */
export const COUNTED_TO = 1_000;

/** An index that has the rows of one filter in id order. */
export interface Walk {
  table: string;
  /** The id column, last in the index. */
  id: string;
  /** The first columns of the index, each with its value. */
  equal: Readonly<Record<string, string>>;
  /** The column between `equal` and the id, and the values asked for: each value is a range of the index. */
  among?: { column: string; values: readonly string[] };
  /** SQL that makes a partial index apply. */
  predicate?: string;
  /**
   * When another filter is walked, each candidate is looked up in this index. For filters that the row itself cannot
   * answer cheaply.
   */
  probed?: boolean;
}

export interface WalkedList {
  /** One walk for each filter that has an index. */
  walks: readonly Walk[];
  /** All rows of the list; walked when no filter has an index. */
  all: Walk;
  /** Columns that every row of the list has beside those of `all`, such as its parent's id. A cursor has them too. */
  owner?: Readonly<Record<string, string | number>>;
  /** Bounds that follow from the filters; the page's cursor is added. */
  bounds?: readonly IdBound[];
  /**
   * True when `row` may refuse candidates for more than the filters of `walks`, or when those indexes have rows that no
   * longer match.
   */
  rechecked?: boolean;
  /**
   * The row of a candidate that matches all filters but the probed ones: its columns, and `bytes`, the size of its long
   * texts.
   */
  row: (candidate: Knex.Raw) => Knex.QueryBuilder;
}

export type Order = 'asc' | 'desc';

/**
 * A page of rows, in one to three statements: the walks are counted when there are several, and the last candidate is
 * read when the page is short. Run them in one snapshot (see list-reads.ts). A candidate that is added between them is
 * not missed, but a candidate that ceases to match may end a list too soon.
 */
export async function walkPage<Row>(db: Queryable, list: WalkedList, page: PageRequest): Promise<Page<Row>> {
  const order: Order = page.endingBefore === undefined ? 'desc' : 'asc';
  const bounds = [...(list.bounds ?? []), ...cursorBounds(page)];
  const [walk = list.all, ...others] = await rarestFirst(db, list.walks, bounds);
  const everyOneMatches = others.length === 0 && !list.rechecked;
  const probes = others.filter(({ probed }) => probed);
  const depth = everyOneMatches ? page.limit + 1 : candidatesFor(probes.length);
  const candidates = candidatesOf(walk, { bounds, order, limit: depth });
  const matching = matchingRows(list, { candidates, probes });
  const rows = await runBuilt<Row & Found>(db, withinBytes(matching.limit(page.limit + 1), order));
  const found = Number(rows[0]?.found ?? 0);
  const kept = rows.slice(0, page.limit);
  if (order === 'asc') kept.reverse();
  if (found > kept.length) return { rows: kept, hasMore: true };
  if (everyOneMatches) return { rows: kept, hasMore: false };
  const [last] = await runBuilt<{ candidate: string | bigint }>(
    db,
    candidates
      .clone()
      .offset(depth - 1)
      .limit(1),
  );
  return last ? { rows: kept, hasMore: true, reached: String(last.candidate) } : { rows: kept, hasMore: false };
}

export function candidatesFor(probes: number): number {
  return Math.min(CANDIDATES_MAX, Math.floor(LOOK_UPS_MAX / (probes + 1)));
}

export interface Found {
  /** The number of rows before the page was cut by its bytes. */
  found: bigint;
}

function cursorBounds({ startingAfter, endingBefore }: PageRequest): IdBound[] {
  const bounds: IdBound[] = [];
  if (startingAfter !== undefined) bounds.push({ operator: '<', id: startingAfter });
  if (endingBefore !== undefined) bounds.push({ operator: '>', id: endingBefore });
  return bounds;
}

/** Counts each walk to COUNTED_TO, all in one statement. Walks that are equally common keep their order. */
async function rarestFirst(
  db: Queryable,
  walks: readonly Walk[],
  bounds: readonly IdBound[],
): Promise<readonly Walk[]> {
  if (walks.length < 2) return walks;
  const counts = await countWalks(db, walks, bounds);
  return walks
    .map((walk, at) => ({ walk, count: counts[at]! }))
    .sort((a, b) => a.count - b.count)
    .map(({ walk }) => walk);
}

export async function countWalks(db: Queryable, walks: readonly Walk[], bounds: readonly IdBound[]): Promise<number[]> {
  const counts = walks.map((walk, at) => {
    const counted = candidatesOf(walk, { bounds, order: 'desc', limit: COUNTED_TO }).as('counted');
    return build.count('*').from(counted).as(`walk_${at}`);
  });
  const [row] = await runBuilt<Record<string, bigint>>(db, build.select(counts));
  return walks.map((_, at) => Number(row![`walk_${at}`]));
}

export interface Reach {
  bounds: readonly IdBound[];
  order: Order;
  limit: number;
}

/** The ids of a walk in order, as `candidate`. */
export function candidatesOf(walk: Walk, reach: Reach): Knex.QueryBuilder {
  if (!walk.among) return inOrder(walk, reach).orderBy(walk.id, reach.order).limit(reach.limit);
  const { values } = walk.among;
  const ranges = [...new Set(values)].map((value) => rangeOf(walk, value, reach));
  return build
    .select('candidate')
    .from(build.unionAll(ranges, true).as('ranges'))
    .orderBy('candidate', reach.order)
    .limit(reach.limit);
}

/**
 * One value of a column, as a range ordered by both columns, so that only their index gives the order. With an equality
 * the planner may walk the primary key and filter instead, which reads a whole book when no row has the value.
 */
function rangeOf(walk: Walk, value: string, { bounds, order, limit }: Reach): Knex.QueryBuilder {
  const { column } = walk.among!;
  const query = inOrder(walk, { bounds: [] });
  for (const { operator, id } of bounds) query.whereRaw(`(??, ??) ${operator} (?, ?)`, [column, walk.id, value, id]);
  return query
    .where(column, '>=', value)
    .where(column, '<=', value)
    .orderBy([
      { column, order },
      { column: walk.id, order },
    ])
    .limit(limit);
}

function inOrder(walk: Walk, { bounds }: Pick<Reach, 'bounds'>): Knex.QueryBuilder {
  const query = build(walk.table).select({ candidate: walk.id }).where(walk.equal);
  for (const { operator, id } of bounds) query.where(walk.id, operator, id);
  return walk.predicate ? query.whereRaw(walk.predicate) : query;
}

/**
 * Candidates that pass the probes, each with its row. Neither index lookup can become a join that reads a whole index. `place` is
 * what candidates are ordered by before their id.
 */
export function matchingRows(
  { row }: WalkedList,
  { candidates, probes, place }: { candidates: Knex.QueryBuilder; probes: readonly Walk[]; place?: string },
): Knex.QueryBuilder {
  const candidate = build.raw('c.candidate');
  const query = build
    .select('c.candidate', ...(place ? [`c.${place}`] : []), 'r.*')
    // A limit keeps the index lookup of each row from becoming a join.
    .from(build.raw('? AS c CROSS JOIN LATERAL ? AS r', [candidates.clone(), row(candidate).limit(1)]));
  for (const { table, id, equal } of probes) {
    const probe = build(table).select(build.raw('true')).where(equal).where(id, candidate).limit(1);
    query.whereRaw(build.raw('?', [probe]));
  }
  return query;
}

/** Ends a page with the row that takes it beyond PAGE_BYTES_MAX. Postgres cuts the page before it sends any row. */
export function withinBytes(matching: Knex.QueryBuilder, order: Order, place?: string): Knex.QueryBuilder {
  const by = [...(place ? [place] : []), 'candidate'];
  const orderedBy = by.map((column) => ({ column, order }));
  const ordered = matching.orderBy(by.map((column) => ({ column: `c.${column}`, order })));
  const summed = build
    .select(
      build.raw(
        `page.*, count(*) OVER () AS found, sum(bytes) OVER (ORDER BY ${by.map((column) => `${column} ${order}`).join(', ')}) - bytes AS bytes_before`,
      ),
    )
    .from(ordered.as('page'));
  return build.from(summed.as('summed')).where('bytes_before', '<', PAGE_BYTES_MAX).orderBy(orderedBy);
}
