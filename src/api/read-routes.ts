/** Routes that read a resource, made from its declaration. A route unlike these is written out with `route`. */
import type { z } from 'zod';
import type { Page, PageRequest } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import { readTimeline, type TimelineSubject } from '../timeline/timeline.ts';
import type { Uuid } from '../values/ids.ts';
import { isLive } from './answers.ts';
import {
  type ApiResource,
  findOne,
  idOfOne,
  type Listed,
  paramsOfOne,
  pathOfOne,
  shows,
  urlOf,
} from './api-resource.ts';
import type { ApiRuntime } from './api-runtime.ts';
import { listAnswer, listQuery, OLDEST_FIRST, type PagingQuery, pageAnswer, pageRequest, readList } from './pages.ts';
import { type Route, type RouteAnswer, type RouteRequest, route } from './route.ts';
import { listOf } from './schemas/shown.ts';
import { timeline } from './schemas/timeline.ts';

/** `GET /v1/payouts/{id}`. */
export function readRoute<Row>(
  resource: ApiResource<Row>,
  { answer, ...declared }: Pick<Route, 'description' | 'waits'> & { answer?: string } = {},
): Route {
  const { tag, type, names, scopes } = resource;
  return route({
    method: 'get',
    path: pathOfOne(resource),
    operation: `get${type}`,
    tag,
    of: { resource, kind: 'read' },
    summary: `Retrieve ${names.one}`,
    scope: scopes.read,
    params: paramsOfOne(resource),
    responses: { 200: shows(resource, answer) },
    ...declared,
    async handle(request) {
      const found = await findOne(resource, request);
      const { runtime, principal } = request;
      const [row = found] = (await resource.complete?.(runtime.pool, principal.bookId, [found])) ?? [];
      const json = resource.view(row, { livemode: isLive(request.principal), wall: request.runtime.clock.now() });
      return { status: 200, json, resourceId: idOfOne(resource, request) };
    },
  });
}

/** What a list reads: a page of the rows that its filters let through. */
export interface ListRead<Filters extends z.ZodRawShape> {
  readonly bookId: BookId;
  /** The filters as their schemas return them. */
  readonly query: z.output<z.ZodObject<Filters>>;
  readonly page: PageRequest;
  readonly runtime: ApiRuntime;
}

interface ListDeclaration<Row, Filters extends z.ZodRawShape> {
  readonly description?: string;
  readonly filters: Filters;
  rows(db: Queryable, read: ListRead<Filters>): Promise<Page<Row>>;
}

/** `GET /v1/payouts`: limit, cursors and the given filters. `rows` reads on a connection for lists, in one snapshot. */
export function listRoute<Row, Filters extends z.ZodRawShape>(
  resource: ApiResource<Row>,
  { description, filters, rows }: ListDeclaration<Row, Filters>,
): Route {
  const { path, tag, type, names, scopes } = resource;
  const completed: typeof rows = async (db, read) => {
    const page = await rows(db, read);
    return resource.complete ? { ...page, rows: await resource.complete(db, read.bookId, page.rows) } : page;
  };
  return route({
    method: 'get',
    path,
    operation: `list${names.types}`,
    tag,
    of: { resource, kind: 'list' },
    summary: `List ${names.many}`,
    description,
    scope: scopes.read,
    query: listQuery(resource.cursor, filters),
    responses: { 200: { description: 'Newest first.', schema: listOf(resource.schema, type) } },
    handle: (request) => listed(resource, request, path, completed),
  });
}

interface ChildrenDeclaration<Row, Filters extends z.ZodRawShape> {
  readonly operation: string;
  readonly summary: string;
  readonly description?: string;
  readonly filters: Filters;
  rows(db: Queryable, read: ListRead<Filters> & { readonly parentId: Uuid }): Promise<Page<Row>>;
}

/** `GET /v1/accounts/{id}/entries`: what belongs to one object, whether it has ids of its own or not. 404 without the parent. */
export function childrenRoute<Row, Filters extends z.ZodRawShape>(
  parent: ApiResource<unknown>,
  child: Listed<Row>,
  { operation, summary, description, filters, rows }: ChildrenDeclaration<Row, Filters>,
): Route {
  return route({
    method: 'get',
    path: child.path,
    operation,
    tag: parent.tag,
    of: { resource: child, kind: 'children' },
    summary,
    description,
    scope: parent.scopes.read,
    params: paramsOfOne(parent),
    query: listQuery(child.cursor, filters),
    responses: { 200: { description: 'Newest first.', schema: listOf(child.schema, child.type) } },
    async handle(request) {
      await findOne(parent, request);
      const parentId = idOfOne(parent, request);
      const read = (db: Queryable, of: ListRead<Filters>) => rows(db, { ...of, parentId });
      return listed(child, request, urlOf(child.path, paramsOfOne(parent), request), read);
    },
  });
}

async function listed<Row, Filters extends z.ZodRawShape>(
  list: Listed<Row>,
  request: RouteRequest,
  url: string,
  rows: ListDeclaration<Row, Filters>['rows'],
): Promise<RouteAnswer> {
  const { principal } = request;
  const query = request.query as z.output<z.ZodObject<Filters>> & PagingQuery;
  const read = { bookId: principal.bookId, query, page: pageRequest(query), runtime: request.runtime };
  const page = await readList(request, (db) => rows(db, read));
  const shown = { livemode: isLive(principal), wall: request.runtime.clock.now() };
  return pageAnswer(page, { query, url, cursor: list.cursor }, (row) => list.view(row, shown));
}

/** `GET /v1/payouts/{id}/timeline`: a page of it, oldest first. Cursors are ids of events. */
export function timelineRoute<Row>(
  resource: ApiResource<Row>,
  { operatorReason, bankFiles }: Omit<TimelineSubject, 'events'> = {},
): Route {
  const { tag, type, names, scopes } = resource;
  const path = `${pathOfOne(resource)}/timeline`;
  const subject: TimelineSubject = { events: resource.declared?.events ?? [], operatorReason, bankFiles };
  return route({
    method: 'get',
    path,
    operation: `get${type}Timeline`,
    tag,
    of: { resource, kind: 'timeline' },
    summary: `Retrieve ${names.one}'s timeline`,
    scope: scopes.read,
    params: paramsOfOne(resource),
    query: listQuery('event', {}, OLDEST_FIRST),
    responses: { 200: { description: 'Oldest first.', schema: timeline } },
    async handle(request) {
      await findOne(resource, request);
      const { query } = request;
      const { bookId } = request.principal;
      const of = { bookId, resource: subject, id: idOfOne(resource, request), page: pageRequest(query) };
      const { items, hasMore } = await readList(request, (db) => readTimeline(db, of));
      const backwards = query.ending_before !== undefined;
      const url = urlOf(path, paramsOfOne(resource), request);
      const page = listAnswer({ data: items, hasMore, url, backwards, cursorOf: ({ event }) => event });
      return { status: 200, json: { ...page, object: 'timeline' } };
    },
  });
}
