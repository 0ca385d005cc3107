/**
 * Routes that change a resource, made from its declaration: path, name, scope, parameters and answers follow; the
 * handler makes the request a use case or a command. A route unlike these is written out with `route`.
 */
import type { z } from 'zod';
import type { Scope } from '../organisations/api-key.ts';
import { type ApiResource, paramsOfOne, pathOfOne, shows } from './api-resource.ts';
import { type Route, route } from './route.ts';

type Declared<BodySchema extends z.ZodType, QuerySchema extends z.ZodType> = Omit<
  Route<BodySchema, QuerySchema>,
  'method' | 'path' | 'operation' | 'tag' | 'of' | 'scope' | 'params' | 'responses'
>;

/** `POST /v1/accounts`, or `POST /v1/accounts/{id}/holds` for a child. */
export function createRoute<Row, BodySchema extends z.ZodType, QuerySchema extends z.ZodType = z.ZodType>(
  resource: ApiResource<Row>,
  declared: Declared<BodySchema, QuerySchema> & Pick<Route, 'responses'>,
): Route {
  const { path, tag, type, parent } = resource;
  const params: Route['params'] = parent && { id: parent.resource.cursor };
  const operation = `create${type}`;
  return route({
    ...declared,
    method: 'post',
    path,
    operation,
    tag,
    of: { resource, kind: 'create' },
    scope: scopeOf(resource),
    ...(params && { params }),
  });
}

/** `PATCH /v1/accounts/{id}`, with If-Match. */
export function updateRoute<Row, BodySchema extends z.ZodType>(
  resource: ApiResource<Row>,
  declared: Declared<BodySchema, z.ZodType>,
): Route {
  return route({
    ...declared,
    method: 'patch',
    path: pathOfOne(resource),
    operation: `update${resource.type}`,
    tag: resource.tag,
    of: { resource, kind: 'update' },
    scope: scopeOf(resource),
    params: paramsOfOne(resource),
    ifMatch: true,
    responses: { 200: shows(resource) },
  });
}

/** `POST /v1/accounts/{id}/freeze`, with If-Match unless `ifMatch` is false. The status may always refuse it. */
export function actionRoute<Row, BodySchema extends z.ZodType, QuerySchema extends z.ZodType = z.ZodType>(
  resource: ApiResource<Row>,
  action: string,
  {
    operation = `${action}${resource.type}`,
    scope = scopeOf(resource),
    responses = { 200: shows(resource) },
    errors = [],
    ...declared
  }: Declared<BodySchema, QuerySchema> & { operation?: string; scope?: Scope; responses?: Route['responses'] },
): Route {
  return route({
    ifMatch: true,
    ...declared,
    method: 'post',
    path: `${pathOfOne(resource)}/${action}`,
    operation,
    tag: resource.tag,
    of: { resource, kind: 'action', action },
    scope,
    params: paramsOfOne(resource),
    responses,
    errors: ['state_conflict', ...errors],
  });
}

/** `DELETE /v1/payments/readers/{id}`, with If-Match. What is left of the object is in `responses`. */
export function removeRoute<Row>(
  resource: ApiResource<Row>,
  declared: Declared<z.ZodType, z.ZodType> & Pick<Route, 'responses'>,
): Route {
  return route({
    ifMatch: true,
    ...declared,
    method: 'delete',
    path: pathOfOne(resource),
    operation: `delete${resource.type}`,
    tag: resource.tag,
    of: { resource, kind: 'remove' },
    scope: scopeOf(resource),
    params: paramsOfOne(resource),
  });
}

function scopeOf({ type, scopes }: Pick<ApiResource<never>, 'type' | 'scopes'>): Scope {
  if (scopes.write === undefined) throw new Error(`${type} has no scope for writes`);
  return scopes.write;
}
