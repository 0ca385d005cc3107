import { plainArray } from '../../db/columns.ts';
import { existsSql } from '../../db/keyed-table.ts';
import type { Queryable, Transaction } from '../../db/pool.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import type { CheckContext } from '../../group/check-context.ts';
import { type BookedStep, grouped, readStepsOf } from '../../group/steps-store.ts';
import type { Until } from '../../group/until.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { FIRST_EVENT, KEPT_COLUMNS } from '../../ledger/events/event-read-store.ts';
import { type KeptEventRow, wholePayload } from '../../ledger/events/render-event.ts';
import type { DeclaredResource } from '../../ledger/resources/declared-resource.ts';
import { isUuid, type Uuid } from '../../values/ids.ts';
import type { Exception } from '../exception.ts';
import { exceptions } from '../exception-table.ts';

/** An exception with all that must agree with it, as of one moment. */
export interface ExceptionHistory {
  readonly exception: Exception;
  readonly place: bigint;
  /** Its events in order, without erasures: the type, and the stored body. */
  readonly events: readonly { readonly type: string; readonly payload: string }[];
  /** Entries that are steps of the exception itself. */
  readonly own: readonly BookedStep[];
  /** Entries that its row names, as far as they exist: the resource of each. */
  readonly named: ReadonlyMap<Uuid, StepOf>;
  /** Whether its resource exists; true where no group has such a resource. */
  readonly resourceExists: boolean;
}

/** What an entry is a step of. */
interface StepOf {
  readonly resource: string;
  readonly resourceId: Uuid;
}

/** Reads a page in the order of the lists, in a snapshot of its own. Index: exceptions_in_order. */
export function readExceptionHistories(
  { pool, book, resources }: CheckContext,
  page: { after: bigint | undefined; limit: number; until?: Until | undefined },
): Promise<ExceptionHistory[]> {
  return inSnapshot(pool, (trx) =>
    withHistory(trx, book.id, resources, {
      where: 'place > $2 AND place > 0 AND ($3::timestamptz IS NULL OR created_at <= $3) ORDER BY place LIMIT $4',
      values: [page.after ?? 0n, page.until ? new Date(page.until.at) : null, page.limit],
    }),
  );
}

/** The same by id. Ids of other resources are skipped. Index: exceptions_pkey. */
export function readExceptionHistoriesById(
  { pool, book, resources }: CheckContext,
  ids: readonly Uuid[],
): Promise<ExceptionHistory[]> {
  return inSnapshot(pool, (trx) =>
    withHistory(trx, book.id, resources, { where: 'id = ANY ($2::uuid[])', values: [plainArray(ids)] }),
  );
}

async function withHistory(
  trx: Transaction,
  bookId: BookId,
  resources: readonly DeclaredResource[],
  { where, values }: { where: string; values: readonly unknown[] },
): Promise<ExceptionHistory[]> {
  const known = existsSql(resources, { name: 'exceptions.resource', id: 'exceptions.resource_id' });
  const { rows } = await trx.query<{ place: bigint; known: boolean | null }>(
    `SELECT ${exceptions.selected()}, place, ${known} AS known FROM exceptions WHERE book_id = $1 AND ${where}`,
    [bookId, ...values],
  );
  if (rows.length === 0) return [];
  const found = rows.map((row) => ({ row, exception: exceptions.fromRow(row) }));
  const ids = found.map(({ exception }) => exception.id);
  const events = await readEventsOf(trx, bookId, ids);
  const own = await readStepsOf(trx, bookId, ids);
  const named = await readNamedEntries(
    trx,
    bookId,
    found.flatMap(({ exception }) => namedIds(exception)),
  );
  return found.map(({ row, exception }) => ({
    exception,
    place: row.place,
    events: events.get(exception.id) ?? [],
    own: own.get(exception.id) ?? [],
    named,
    resourceExists: row.known ?? true,
  }));
}

/** The column is JSON, and may contain anything once another program has written it. */
export function namedIds({ entryIds }: Exception): readonly Uuid[] {
  return Array.isArray(entryIds) ? entryIds.filter(isUuid) : [];
}

/** Index: events_by_object. */
async function readEventsOf(trx: Queryable, bookId: BookId, ids: readonly Uuid[]) {
  const { rows } = await trx.query<KeptEventRow>({
    name: 'verify.exception_events',
    text: `SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT}
      WHERE book_id = $1 AND object_id = ANY ($2::uuid[]) AND type <> 'personal_data.erased' ORDER BY sequence`,
    values: [bookId, plainArray(ids)],
  });
  return grouped(
    rows,
    (row) => row.object_id,
    (row) => ({ type: row.type, payload: wholePayload(row) }),
  );
}

/** Index: entries' (book, id). */
async function readNamedEntries(trx: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<Map<Uuid, StepOf>> {
  if (ids.length === 0) return new Map();
  const { rows } = await trx.query<{ id: Uuid; resource: string; resource_id: Uuid }>(
    'SELECT id, resource, resource_id FROM entries WHERE book_id = $1 AND id = ANY ($2::uuid[])',
    [bookId, plainArray(ids)],
  );
  return new Map(rows.map(({ id, resource, resource_id: resourceId }) => [id, { resource, resourceId }]));
}
