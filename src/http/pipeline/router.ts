/** Mounts the routes in Express in the order of the table, the most called routes first. */
import type { Express, Request, RequestHandler } from 'express';
import type { Route } from '../../api/route.ts';
import { ApiError } from '../../errors/errors.ts';
import { nearestRoute } from './nearest-route.ts';
import { type PipelineParts, serve } from './pipeline.ts';
import { loggedPath } from './request-context.ts';

export function mountRoutes(app: Express, routes: readonly Route[], parts: PipelineParts): void {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  for (const [path, group] of byPath) {
    const mounted = app.route(path);
    for (const route of group) mounted[route.method]((request) => serve(route, request, parts));
    closePath(
      mounted,
      path,
      group.map(({ method }) => method.toUpperCase()),
    );
  }
}

interface Mounted {
  options(handler: RequestHandler): unknown;
  all(handler: RequestHandler): unknown;
}

/** Answers the other methods of a known path: OPTIONS lists the allowed methods, any other gets 405. */
export function closePath(mounted: Mounted, path: string, methods: readonly string[]): void {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  mounted.options((request) => {
    request.context.route = path;
    request.context.send({ status: 204, body: '', headers: ['Allow', allowed] });
  });
  mounted.all((request) => {
    request.context.route = path;
    throw new ApiError('method_not_allowed', {
      detail: `${request.method} is not one of ${allowed}.`,
      headers: { Allow: allowed },
    });
  });
}

/** The answer to a path without a route. API keys and card numbers in the path are not repeated. */
export function noRoute(routes: readonly Route[], { method, url }: Pick<Request, 'method' | 'url'>): ApiError {
  const path = loggedPath(url);
  const nearest = nearestRoute(routes, { method, path });
  const suggestion = nearest ? ` The nearest route is ${nearest.method.toUpperCase()} ${shownPath(nearest.path)}.` : '';
  return new ApiError('route_not_found', { detail: `There is no ${method} ${path}.${suggestion}` });
}

/** A path as the reference shows it: `/v1/payouts/{id}`. */
function shownPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}
