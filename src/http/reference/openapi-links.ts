/**
 * Links of the document: how an operation goes on from what another one answers. They follow from the paths: an answer that
 * shows an object leads to every operation on that object.
 */
import type { Route, RouteResponse } from '../../api/route.ts';

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export type Links = Readonly<Record<string, Link>>;

/** `GET /v1/idempotency_keys/{key}`: the outcome of a write. */
const KEY_OPERATION = 'getIdempotencyKey';

/**
 * The links of one answer, by operation: those on the object that it shows, and for a write that requires an
 * Idempotency-Key, the one to its outcome. None where nothing was written.
 */
export function linksOf(route: Route, response: RouteResponse, routes: readonly Route[]): Links | undefined {
  if (response.isDryRun) return undefined;
  const links: Record<string, Link> = {};
  const read = routes.find((one) => readsOne(one) && one.responses[200]?.schema === response.schema);
  for (const target of read ? routes : []) {
    if (target === route || !isOn(read!, target)) continue;
    links[target.operation] = { operationId: target.operation, parameters: parametersOf(read!, route) };
  }
  if (route.idempotency === 'required' && routes.some(({ operation }) => operation === KEY_OPERATION))
    links[KEY_OPERATION] = { operationId: KEY_OPERATION, parameters: { key: '$request.header.Idempotency-Key' } };
  return Object.keys(links).length === 0 ? undefined : links;
}

/** `GET /v1/payouts/:id`, and no other GET. */
function readsOne({ method, path }: Route): boolean {
  return method === 'get' && /\/:\w+$/.test(path);
}

/** Whether an operation is on the object that `read` reads: its path is the object's, or goes on from it. */
function isOn(read: Route, { path }: Route): boolean {
  if (path === read.path) return true;
  // Children with ids of their own are read by those ids, which the answer does not have.
  return path.startsWith(`${read.path}/`) && !path.slice(read.path.length).includes(':');
}

/** The parameters of the object's path: its own id is in the answer, its parent's in the path that was called. */
function parametersOf(read: Route, called: Route): Record<string, string> {
  const names = Object.keys(read.params ?? {});
  const own = names.at(-1)!;
  const ofParents = names.slice(0, -1).map((name) => [name, `$request.path.${name}`] as const);
  const id = called.path.startsWith(read.path) ? `$request.path.${own}` : '$response.body#/id';
  return Object.fromEntries([...ofParents, [own, id]]);
}
