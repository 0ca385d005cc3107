/** Values that have broken other APIs, in place of every part of a body and of a query. */
import { toUSVString } from 'node:util';
import type { Route } from '../../src/api/route.ts';
import { withoutAbsentMembers } from '../../src/http/input/absent-members.ts';
import { parseQuery } from '../../src/http/input/query-string.ts';
import type { JsonObject } from '../../src/values/json.ts';
import { runs } from './runs.ts';

const JUNK: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e21,
  '',
  ' ',
  '\u0000',
  '\ud800',
  'x'.repeat(3_000),
  '😀'.repeat(600),
  "'; DROP TABLE payouts; --",
  '{{7*7}}',
  '../../etc/passwd',
  '\u202e',
  '9'.repeat(400),
  [],
  [[]],
  [null],
  {},
  { __proto__: null, a: {} },
  { type: 'cliq' },
  { constructor: 1 },
];

/** In the gate a place gets a third of the values, and its neighbour the next third. With more runs each place gets all. */
const PARTS = runs(1) > 1 ? 1 : 3;

/** The part of the values that the place of this number gets. */
const partOf = <T>(values: readonly T[], place: number): T[] => values.filter((_, at) => (at + place) % PARTS === 0);

/** Junk values, and copies of the value with one member replaced or left out, at any depth. */
function* mutations(value: unknown, place: number): Generator<unknown> {
  yield* partOf(JUNK, place);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [at, [key, member]] of Object.entries(value).entries()) {
    const { [key]: _, ...rest } = value as Record<string, unknown>;
    yield rest;
    for (const mutated of mutations(member, place + at + 1)) yield { ...value, [key]: mutated };
  }
}

/** Bodies in which junk takes the place of each part of the example. */
export function junkBodies(route: Route): unknown[] {
  return [...mutations(route.bodyExample, route.path.length)];
}

/** Names that no route has: how they are refused is the same for each, so that the routes share the values among them. */
const STRANGE_NAMES = ['metadata[a]', 'a[b][c]', '[x]', ']', 'a['];

/** Query strings with junk in each parameter of the route, and in some that it does not have. */
export function junkQueries(route: Route): string[] {
  const { shape } = route.query as unknown as { shape: Record<string, unknown> };
  const texts = JUNK.filter((junk) => typeof junk === 'string').map((text) =>
    encodeURIComponent(toUSVString(text as string)),
  );
  const values = [...texts, 'NaN', '-1', '1e9', '%', '%00', '%ff', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'];
  const names = [...Object.keys(shape), 'created_at[gte]', 'created_at[lt]'];
  const strange = STRANGE_NAMES.map((name, at) => `${name}=${values[(route.path.length + at) % values.length]}`);
  const known = names.flatMap((name, at) => partOf(values, route.path.length + at).map((value) => `${name}=${value}`));
  return [...known, ...strange];
}

/** Whether the schema takes the body, so that it reaches the handler and the database. */
export function takesBody(route: Route, body: unknown): boolean {
  if (body === undefined) return false;
  const sent: unknown = JSON.parse(JSON.stringify(body));
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent);
  const said = isObject && route.method === 'post' ? withoutAbsentMembers(route.body!, sent as JsonObject) : sent;
  return route.body!.safeParse(said).success;
}

/** Whether the schema takes the query. */
export function takesQuery(route: Route, query: string): boolean {
  const parsed = parseQuery(`/?${query}`);
  return parsed.fieldErrors.length === 0 && route.query!.safeParse(parsed.query).success;
}
