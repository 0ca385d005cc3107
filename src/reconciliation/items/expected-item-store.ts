/** Lists of expected items. */
import { plainArray } from '../../db/columns.ts';
import { build, type Page, type PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Walk, WalkedList } from '../../db/walk.ts';
import { walkByTime } from '../../db/walk-by-time.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { ExpectedItem, ExpectedItemStatus } from './expected-item.ts';
import { expectedItems } from './expected-item-table.ts';

export interface ExpectedItemFilter {
  readonly parties?: readonly string[] | undefined;
  readonly statuses?: readonly ExpectedItemStatus[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceId?: Uuid | undefined;
  readonly expectedOn?: { readonly gte?: string | undefined; readonly lte?: string | undefined } | undefined;
  readonly amount?: { readonly gte?: bigint | undefined; readonly lte?: bigint | undefined } | undefined;
}

const OF_ANY_TIME = "created_at > '-infinity'";
/** They are few beside all that were matched. */
const UNMATCHED = `${OF_ANY_TIME} AND status <> 'matched'`;

/**
 * A page of items, newest first: by their time, since their ids are derived. A filter with few rows is read whole. Indexes: expected_items_by_party,
 * expected_items_by_resource, expected_items_by_created, expected_items_unmatched_by_created.
 */
export async function listExpectedItems(
  db: Queryable,
  bookId: BookId,
  filter: ExpectedItemFilter,
  page: PageRequest,
): Promise<Page<ExpectedItem>> {
  const { parties, statuses, resources, resourceId, expectedOn, amount } = filter;
  const isUnmatched = statuses !== undefined && statuses.length > 0 && !statuses.includes('matched');
  const rows: Walk = { table: 'expected_items', id: 'id', equal: { book_id: bookId } };
  const all: Walk = { ...rows, predicate: isUnmatched ? UNMATCHED : OF_ANY_TIME };
  const list: WalkedList = {
    all,
    walks: [
      ...(resourceId === undefined ? [] : [{ ...rows, among: { column: 'resource_id', values: [resourceId] } }]),
      ...(parties?.length ? [{ ...rows, among: { column: 'party', values: parties } }] : []),
    ],
    rechecked: true,
    row(candidate) {
      const query = build('expected_items')
        .select(build.raw(`${expectedItems.selected()}, 0 AS bytes`))
        .where({ book_id: bookId, id: candidate });
      if (resourceId !== undefined) query.where('resource_id', resourceId);
      if (parties?.length) query.whereIn('party', [...parties]);
      if (statuses?.length) query.whereIn('status', [...statuses]);
      if (resources?.length) query.whereIn('resource', [...resources]);
      if (expectedOn?.gte) query.where('expected_on', '>=', expectedOn.gte);
      if (expectedOn?.lte) query.where('expected_on', '<=', expectedOn.lte);
      if (amount?.gte !== undefined) query.where('amount', '>=', String(amount.gte));
      if (amount?.lte !== undefined) query.where('amount', '<=', String(amount.lte));
      return query;
    },
  };
  const { rows: found, ...end } = await walkByTime<object>(
    db,
    { ...list, time: { column: 'created_at', range: {} } },
    page,
  );
  return { rows: found.map(expectedItems.fromRow), ...end };
}

/** An object has a few items: parts that came back, currencies of a report. */
const REFERENCES_MAX = 5_000;

/** By what banks name the movements of these objects. Index: expected_items_by_resource. */
export async function referencesOfResources(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query<{ names: (string | null)[] }>(
    `SELECT ARRAY[end_to_end_id, bank_reference, document_reference] AS names FROM expected_items
     WHERE book_id = $1 AND resource_id = ANY ($2::uuid[]) LIMIT ${REFERENCES_MAX}`,
    [bookId, plainArray(ids)],
  );
  return [...new Set(rows.flatMap(({ names }) => names.filter((name) => name !== null)))];
}
