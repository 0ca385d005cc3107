/** The route that a path probably means, for the answer to a path that has none. */
import type { Route } from '../api/route.ts';
import { editsWithin, nearestBy } from './nearest.ts';

/** More edits make another path. */
const EDITS_MAX = 3;

type Named = Pick<Route, 'method' | 'path'>;

/** Of several that are as near, one with the request's method. A path without `/v1`, or with a slash at its end, is near as well. */
export function nearestRoute<Known extends Named>(
  routes: readonly Known[],
  { method, path }: { readonly method: string; readonly path: string },
): Known | undefined {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
  const given = (trimmed.startsWith('/v1/') ? [trimmed] : [trimmed, `/v1${trimmed}`]).map((text) => text.split('/'));
  const ordered = [...routes].sort((a, b) => Number(b.method === asked) - Number(a.method === asked));
  return nearestBy(ordered, (route) => {
    const pattern = route.path.split('/');
    const edits = given
      .map((segments) => editsWithin(withParameters(segments, pattern).join('/'), route.path, EDITS_MAX))
      .filter((count) => count !== undefined);
    return edits.length > 0 ? Math.min(...edits) : undefined;
  });
}

/** Where the pattern has a parameter, any value is right. */
function withParameters(segments: readonly string[], pattern: readonly string[]): readonly string[] {
  if (segments.length !== pattern.length) return segments;
  return segments.map((segment, at) => (pattern[at]!.startsWith(':') && segment !== '' ? pattern[at]! : segment));
}
