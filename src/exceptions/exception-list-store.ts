/**
 * Lists of a book's exceptions, newest first. Some ids are derived from others, so the order is that of `place`, which the
 * database counts up; cursors are ids. Of the filters the rarest is walked and the others are compared (db/walk.ts).
 * Indexes: exceptions_in_order, exceptions_by_stage, exceptions_by_kind, exceptions_of_resource.
 */
import { build, type CreatedRange, createdBetween, type Page, type PageRequest } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import { type Walk, walkPage } from '../db/walk.ts';
import { ApiError } from '../errors/errors.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Uuid } from '../values/ids.ts';
import type { Exception, ExceptionStatus } from './exception.ts';
import { exceptions } from './exception-table.ts';

export interface ExceptionFilter {
  readonly statuses?: readonly ExceptionStatus[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly resourceId?: Uuid | undefined;
  readonly created?: CreatedRange;
}

/** Throws ApiError `cursor_invalid` for a cursor that is no exception of the book. */
export async function listExceptions(
  db: Queryable,
  bookId: BookId,
  { statuses, kinds, resourceId, created = {} }: ExceptionFilter,
  page: PageRequest,
): Promise<Page<Exception>> {
  const all: Walk = { table: exceptions.name, id: 'place', equal: { book_id: bookId }, predicate: 'place > 0' };
  const asked = Object.entries({
    stage: statuses,
    kind: kinds,
    resource_id: resourceId === undefined ? undefined : [resourceId],
  }).flatMap(([column, values]) => (values?.length ? [{ column, values }] : []));
  const { rows, reached, hasMore } = await walkPage<object>(
    db,
    {
      all,
      walks: asked.map((among): Walk => ({ ...all, among })),
      rechecked: created.gte !== undefined || created.lt !== undefined,
      row(candidate) {
        const query = build(exceptions.name)
          .select(
            build.raw(`${exceptions.selected()}, octet_length(detail) + COALESCE(octet_length(reason), 0) AS bytes`),
          )
          .where({ book_id: bookId, place: candidate })
          // Without it a row is not found by exceptions_in_order, and each candidate reads the whole book.
          .whereRaw('place > 0');
        for (const { column, values } of asked) query.whereIn(column, values);
        createdBetween(query, created, 'created_at');
        return query;
      },
    },
    await cursorPlaces(db, bookId, page),
  );
  return { rows: rows.map(exceptions.fromRow), hasMore, reached: reached && (await idAt(db, bookId, reached)) };
}

/** Index: exceptions_pkey. */
async function cursorPlaces(db: Queryable, bookId: BookId, page: PageRequest): Promise<PageRequest> {
  const placeOf = async (param: string, id: Uuid | undefined) => {
    if (id === undefined) return undefined;
    const { rows } = await db.query<{ place: bigint }>({
      name: 'exceptions.place',
      text: 'SELECT place FROM exceptions WHERE book_id = $1 AND id = $2',
      values: [bookId, id],
    });
    if (!rows[0]) throw new ApiError('cursor_invalid', { param, detail: 'There is no such exception in this book.' });
    return String(rows[0].place);
  };
  return {
    limit: page.limit,
    startingAfter: await placeOf('starting_after', page.startingAfter),
    endingBefore: await placeOf('ending_before', page.endingBefore),
  };
}

/** Index: exceptions_in_order. */
async function idAt(db: Queryable, bookId: BookId, place: string): Promise<Uuid> {
  const { rows } = await db.query<{ id: Uuid }>(
    'SELECT id FROM exceptions WHERE book_id = $1 AND place = $2 AND place > 0',
    [bookId, place],
  );
  return rows[0]!.id;
}
