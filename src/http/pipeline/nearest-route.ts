/** The route that a path without a route probably means, for its answer. */
import { editsWithin, nearestBy } from '../../api/nearest.ts';
import type { Route } from '../../api/route.ts';

/** More edits make another path. */
const EDITS_MAX = 3;

type Named = Pick<Route, 'method' | 'path'>;

/** More segments added or left out make another path, whatever its last word. */
const SEGMENTS_MAX = 2;

/**
 * The route that is a few characters off, else the one with the same last word that is a segment or two off. Of several that are as
 * near, one with the request's method. A path without `/v1`, or with a slash at its end, is near as well.
 */
export function nearestRoute<Known extends Named>(
  routes: readonly Known[],
  { method, path }: { readonly method: string; readonly path: string },
): Known | undefined {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
  const given = (trimmed.startsWith('/v1/') ? [trimmed] : [trimmed, `/v1${trimmed}`]).map((text) => text.split('/'));
  const ordered = [...routes].sort((a, b) => Number(b.method === asked) - Number(a.method === asked));
  const nearestOf = (editsOf: (segments: readonly string[], pattern: readonly string[]) => number | undefined) =>
    nearestBy(ordered, (route) => {
      const pattern = route.path.split('/');
      const edits = given.map((segments) => editsOf(segments, pattern)).filter((count) => count !== undefined);
      return edits.length > 0 ? Math.min(...edits) : undefined;
    });
  return nearestOf(charactersOff) ?? nearestOf(segmentsOff);
}

function charactersOff(segments: readonly string[], pattern: readonly string[]): number | undefined {
  return editsWithin(withParameters(segments, pattern).join('/'), pattern.join('/'), EDITS_MAX);
}

/**
 * Of paths that end in one word: how many segments the one lacks of the other. Undefined where more than SEGMENTS_MAX differ, and where
 * each has one that the other lacks.
 */
function segmentsOff(segments: readonly string[], pattern: readonly string[]): number | undefined {
  const off = Math.abs(segments.length - pattern.length);
  if (off > SEGMENTS_MAX || segments.at(-1) !== pattern.at(-1)) return undefined;
  const [shorter, longer] = segments.length < pattern.length ? [segments, pattern] : [pattern, segments];
  let found = 0;
  for (const segment of longer.slice(0, -1)) if (isSame(segment, shorter[found])) found++;
  return found >= shorter.length - 1 ? off : undefined;
}

function isSame(one: string, other: string | undefined): boolean {
  return one === other || one.startsWith(':') || other?.startsWith(':') === true;
}

/** Where the pattern has a parameter, any value is right. */
function withParameters(segments: readonly string[], pattern: readonly string[]): readonly string[] {
  if (segments.length !== pattern.length) return segments;
  return segments.map((segment, at) => (pattern[at]!.startsWith(':') && segment !== '' ? pattern[at]! : segment));
}
