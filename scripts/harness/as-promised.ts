/**
 * Checks answers against the reference. The schemas of answers allow more members than they name, since later versions
 * add some and clients must accept them. Tests do not: here each member of an answer must be in its schema.
 */
import type { z } from 'zod';
import type { Route, RouteResponse } from '../../src/api/route.ts';
import { problem, problemOf } from '../../src/api/schemas/problem.ts';
import { jsonPointer, type PathSegment } from '../../src/http/input/json-pointer.ts';
import { codesOf } from '../../src/http/reference/openapi.ts';

/** An answer that the reference does not describe. */
export class NotAsPromised extends Error {
  override name = 'NotAsPromised';
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly body: unknown;
}

/**
 * A success must match the schema of its route and status. Any other answer must be a problem, by content type and by the
 * schema of its code.
 */
export function expectAsInReference(route: Route | undefined, request: string, answer: Answered): void {
  const fault = answer.status >= 400 ? faultInProblem(route, answer) : route && faultInSuccess(route, answer);
  if (fault === undefined) return;
  throw new NotAsPromised(`${request} answered ${answer.status} ${answer.text.slice(0, 2_000)}\n${fault}`);
}

function faultInProblem(route: Route | undefined, { headers, body }: Answered): string | undefined {
  if (headers['content-type'] !== 'application/problem+json; charset=utf-8') return 'no problem+json';
  const { data, error } = problem.safeParse(body);
  if (error) return `which is no problem: ${error.message}`;
  if (route && !codesOf(route).includes(data.code))
    return `with a code that the reference does not list for ${route.operation}`;
  const unfinished = [data.detail, ...data.errors.map(({ detail }) => detail)].find((text) => !/[.?]$/.test(text));
  if (unfinished !== undefined) return `with a detail that ends without a full stop: ${unfinished}`;
  return faultIn(problemOf(data.code), body, 'any');
}

function faultInSuccess(route: Route, { status, headers, body }: Answered): string | undefined {
  const promised = route.responses[status];
  if (status === 204) return undefined;
  const type = headers['content-type']?.split(';')[0] ?? '';
  if (type !== 'application/json' || promised?.isFile)
    return promised?.files?.includes(type) ? undefined : `as ${type}, which the reference does not know`;
  return promised ? faultIn(promised.schema, body, showsOf(promised, body)) : 'which the reference does not know';
}

/** Members that it may have are checked where it has one of them. */
export function showsOf({ shows = [], mayShow = [] }: RouteResponse, body: unknown): Shows {
  return mayShow.some((name) => Object.hasOwn(body as object, name)) ? [...shows, ...mayShow] : shows;
}

/** Optional members that an answer has: these and no others, or any. */
type Shows = readonly string[] | 'any';

/** The fault of an answer, in words. */
export function faultIn(schema: z.ZodType, body: unknown, shows: Shows): string | undefined {
  const { error } = schema.safeParse(body);
  if (error) return `which is not what the reference says: ${error.message}`;
  const beyond = [...membersBeyond(schema as z.core.$ZodType, body, [], shows)];
  if (beyond.length > 0) return `with members that the reference does not promise here: ${beyond.join(', ')}`;
  const lacking = shows === 'any' ? [] : shows.filter((name) => !Object.hasOwn(body as object, name));
  return lacking.length > 0 ? `without ${lacking.join(', ')}` : undefined;
}

/** JSON pointers of members that the schema does not know, and of optional ones of objects that are not shown here. */
function* membersBeyond(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PathSegment[],
  shows: Shows,
): Generator<string> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
      if (value !== null && value !== undefined) yield* membersBeyond(def.innerType, value, path, shows);
      return;
    case 'array':
      for (const [at, item] of (value as unknown[]).entries())
        yield* membersBeyond(def.element, item, [...path, at], shows);
      return;
    case 'union': {
      const fitting = def.options.find((option) => (option as z.ZodType).safeParse(value).success);
      if (fitting) yield* membersBeyond(fitting, value, path, shows);
      return;
    }
    case 'object':
      for (const [name, member] of Object.entries(value as object)) {
        const inner = def.shape[name];
        if (inner === undefined && def.catchall) continue;
        if (inner === undefined || (isShownApart(def, inner) && !names(shows, name)))
          yield jsonPointer([...path, name]);
        else yield* membersBeyond(inner, member, [...path, name], shows);
      }
  }
}

/** An optional member of an object of the API: only the answers that name it have it. Members within it are not checked. */
function isShownApart({ shape }: z.core.$ZodObjectDef, member: z.core.$ZodType): boolean {
  return 'object' in shape && (member as z.core.$ZodTypes)._zod.def.type === 'optional';
}

function names(shows: Shows, name: string): boolean {
  return shows === 'any' || shows.includes(name);
}
