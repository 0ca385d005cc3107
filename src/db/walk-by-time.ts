/**
 * Pages of lists with a filter on the time at which a row was made, or whose ids state no time. Such a list is in the order of that time, newest
 * first, and of ids within one time: the time is a column, and the book's own, while an id has the world's. Cursors are
 * ids, as everywhere; the row of the cursor has its time.
 *
 * The rows of the time are walked by their index. Where another filter has few rows (fewer than COUNTED_TO), those are
 * read instead, all of them, and sorted: the order is the same either way. As in walk.ts, a page looks at 2,000
 * candidates at most.
 */
import type { Knex } from 'knex';
import type { Instant } from '../values/clock.ts';
import { atCursor } from './cursor.ts';
import { build, type CreatedRange, createdBetween, isRange, type Page, type PageRequest, runBuilt } from './page.ts';
import type { Queryable } from './pool.ts';
import {
  COUNTED_TO,
  candidatesFor,
  candidatesOf,
  countWalks,
  type Found,
  matchingRows,
  type Order,
  type Walk,
  type WalkedList,
  walkPage,
  withinBytes,
} from './walk.ts';

export interface TimeFilter {
  /** Of the list's own table, which has an index (book_id, column, id). */
  readonly column: string;
  readonly range: CreatedRange;
}

/** A place in the order of the list. */
interface Place {
  readonly at: Instant;
  readonly id: string;
}

/** A page in the order of ids, or of `created_at` where that is filtered. Throws ApiError `cursor_invalid` for a cursor that is no row of the list. */
export async function walkOf<Row>(
  db: Queryable,
  { created, ...list }: WalkedList & { readonly created: CreatedRange },
  page: PageRequest,
): Promise<Page<Row>> {
  if (isRange(created)) return walkByTime(db, { ...list, time: { column: 'created_at', range: created } }, page);
  await atCursor(db, list, { page, column: list.all.id });
  return walkPage(db, list, page);
}

/**
 * Always in the order of the time: of a list whose ids are derived from what its rows are of, and state no time. Run it in one snapshot (see
 * list-reads.ts). Throws ApiError `cursor_invalid` for a cursor that is no row of the list.
 */
export async function walkByTime<Row>(
  db: Queryable,
  list: WalkedList & { readonly time: TimeFilter },
  page: PageRequest,
): Promise<Page<Row>> {
  const order: Order = page.endingBefore === undefined ? 'desc' : 'asc';
  const cursor = await atCursor<Instant>(db, list, { page, column: list.time.column });
  const place = cursor && { at: cursor.value, id: cursor.id };
  const rare = await rarest(db, list.walks);
  const probes = list.walks.filter((walk) => walk !== rare && walk.probed);
  const everyOneMatches = list.walks.length === 0 && !list.rechecked;
  const depth = everyOneMatches ? page.limit + 1 : candidatesFor(probes.length);
  const candidates = candidatesInTime(list, rare, { place, order }).limit(depth);
  const matching = matchingRows(list, { candidates, probes, place: 'candidate_at' });
  const rows = await runBuilt<Row & Found>(db, withinBytes(matching.limit(page.limit + 1), order, 'candidate_at'));
  const found = Number(rows[0]?.found ?? 0);
  const kept = rows.slice(0, page.limit);
  if (order === 'asc') kept.reverse();
  if (found > kept.length) return { rows: kept, hasMore: true };
  if (everyOneMatches) return { rows: kept, hasMore: false };
  const last = await runBuilt<{ candidate: string }>(
    db,
    candidates
      .clone()
      .clear('limit')
      .offset(depth - 1)
      .limit(1),
  );
  return last[0] ? { rows: kept, hasMore: true, reached: last[0].candidate } : { rows: kept, hasMore: false };
}

/** The filter with the fewest rows, where they are few enough to look at all of them. */
async function rarest(db: Queryable, walks: readonly Walk[]): Promise<Walk | undefined> {
  if (walks.length === 0) return undefined;
  const counts = await countWalks(db, walks, []);
  const least = Math.min(...counts);
  return least < COUNTED_TO ? walks[counts.indexOf(least)] : undefined;
}

/** The ids of rows of the time, in order, each with its own time as `candidate_at`. */
function candidatesInTime(
  { all, time: { column, range } }: WalkedList & { readonly time: TimeFilter },
  rare: Walk | undefined,
  { place, order }: { place: Place | undefined; order: Order },
): Knex.QueryBuilder {
  const query = build(all.table).where(all.equal);
  createdBetween(query, range, column);
  if (place)
    query.whereRaw(`(??, ??) ${order === 'desc' ? '<' : '>'} (?::timestamptz, ?)`, [
      column,
      all.id,
      new Date(place.at).toISOString(),
      place.id,
    ]);
  if (all.predicate) query.whereRaw(all.predicate);
  if (!rare)
    return query.select({ candidate: all.id, candidate_at: column }).orderBy([
      { column, order },
      { column: all.id, order },
    ]);
  const few = candidatesOf(rare, { bounds: [], order, limit: COUNTED_TO }).as('few');
  // A limit keeps the index lookup of each row from becoming a join.
  const timed = query.select({ candidate_at: column }).where(all.id, build.raw('few.candidate')).limit(1);
  return build
    .select('few.candidate', 'timed.candidate_at')
    .from(build.raw('? CROSS JOIN LATERAL ? AS timed', [few, timed]))
    .orderBy([
      { column: 'timed.candidate_at', order },
      { column: 'few.candidate', order },
    ]);
}
