/**
 * The half of a resource's declaration that needs schemas: how its routes show it. It stands in the `api/` folder of the
 * resource and refers to the half that everybody knows (ledger/resources/resource.ts). Its routes follow from both.
 * Next: read-routes.ts (read, list, children, timeline), write-routes.ts (create, update, action, remove), event-document.ts.
 */
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import { findShown, parentOf, type Shown, type ShownResource } from '../ledger/resources/resource.ts';
import type { Scope } from '../organisations/api-key.ts';
import { type IdKind, kindOf, publicId, type Uuid } from '../values/ids.ts';
import { found } from './answers.ts';
import type { RoutedResource, RouteRequest, RouteResponse, Tag } from './route.ts';

/** What a list shows. */
export interface Listed<Row> extends RoutedResource {
  /** Has an `id` or a `sequence`, by the kind of the cursors. */
  view(row: Row, shown: Shown): unknown;
}

export interface ApiResource<Row> extends Listed<Row> {
  readonly tag: Tag;
  readonly cursor: IdKind;
  /** `type` and `types` stand in names of operations, `one` and `many` in summaries: `an account`, `accounts`. */
  readonly names: { readonly types: string; readonly one: string; readonly many: string };
  readonly scopes: { readonly read: Scope; readonly write?: Scope };
  find(db: Queryable, bookId: BookId, id: Uuid): Promise<Row | undefined>;
  /** Adds to the rows of an answer what the view reads of other tables. Left out where a row contains all that is shown. */
  complete?(db: Queryable, bookId: BookId, rows: readonly Row[]): Promise<Row[]>;
  /** For a child with ids of its own. Its id is the path's second: `/v1/accounts/:id/holds/:hold`. */
  readonly parent?: {
    readonly resource: ApiResource<unknown>;
    /** The path parameter of the child's id: `hold`. */
    readonly param: string;
    idOf(row: Row): Uuid;
  };
}

/** What routes add to a resource. */
type ShownAs<Row> = Pick<ApiResource<Row>, 'path' | 'tag' | 'type' | 'names' | 'schema' | 'scopes'> &
  Partial<Pick<ApiResource<Row>, 'find' | 'complete'>> & {
    readonly parent?: Pick<NonNullable<ApiResource<Row>['parent']>, 'resource' | 'param'>;
  };

/** Of a resource whose row contains all that is shown: the kind of its ids, the view, how one is found and whose it is follow. */
export function apiOf<Row>(declared: ShownResource<Row>, { parent, ...shown }: ShownAs<Row>): ApiResource<Row> {
  return {
    declared,
    cursor: kindOf(declared.name),
    find: (db, bookId, id) => findShown(declared, { db, bookId, id }),
    view: declared.view,
    ...shown,
    ...(parent && { parent: { ...parent, idOf: (row: Row) => parentOf(declared, row) } }),
  };
}

/** The path of one object: `/v1/payouts/:id`. */
export function pathOfOne({ path, parent }: Pick<ApiResource<never>, 'path' | 'parent'>): string {
  return `${path}/:${parent?.param ?? 'id'}`;
}

/** The path parameters of one object, each with the kind of its id. */
export function paramsOfOne({ cursor, parent }: Pick<ApiResource<never>, 'cursor' | 'parent'>): Record<string, IdKind> {
  return parent ? { id: parent.resource.cursor, [parent.param]: cursor } : { id: cursor };
}

/** The id of the object that a request is about. */
export function idOfOne({ parent }: Pick<ApiResource<never>, 'parent'>, { params }: RouteRequest): Uuid {
  return params[parent?.param ?? 'id']!;
}

/** Throws ApiError `resource_not_found` for an object that does not exist, or that is a child of another parent. */
export async function findOne<Row>(resource: ApiResource<Row>, request: RouteRequest): Promise<Row> {
  const { runtime, principal, params } = request;
  const { parent } = resource;
  const row = await resource.find(runtime.pool, principal.bookId, idOfOne(resource, request));
  const elsewhere = row !== undefined && parent !== undefined && parent.idOf(row) !== params.id;
  return found(elsewhere ? undefined : row, parent?.param, parent && noSuchChild(parent));
}

/** The same for a child of another parent as for one that never was: `This account has no hold with that id.` */
function noSuchChild({ resource, param }: NonNullable<ApiResource<never>['parent']>): string {
  return `This ${resource.names.one.replace(/^an? /, '')} has no ${param} with that id.`;
}

/** The path of a list as its answer names it: with the ids of the request. */
export function urlOf(path: string, kinds: Readonly<Record<string, IdKind>>, { params }: RouteRequest): string {
  return path.replace(/:(\w+)/g, (_, name: string) => publicId(kinds[name]!, params[name]!));
}

/** The answer that shows one object. */
export function shows({ schema }: Pick<Listed<never>, 'schema'>, description = 'As it is now.'): RouteResponse {
  return { description, schema };
}
