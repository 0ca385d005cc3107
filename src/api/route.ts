/**
 * A route, declared once: its name, scope, input and answers. The one declaration is matched, validated, documented
 * (openapi.ts) and tested.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../errors/errors.ts';
import type { Following } from '../idempotency/following.ts';
import type { OnceAnswer } from '../idempotency/once.ts';
import type { Scope } from '../organisations/api-key.ts';
import type { Principal } from '../organisations/authenticate.ts';
import type { IdKind, Uuid } from '../values/ids.ts';
import type { ApiRuntime } from './api-runtime.ts';
import type { Waits } from './waits.ts';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The groups of the API reference, in the order it shows them. */
export const TAGS = {
  Accounts: 'Accounts that hold money, their balances, their lines, and holds on them.',
  Payments: 'Money that payers give merchants: authorizations, captures, refunds, releases.',
  Payouts: 'Money that leaves an account, over a rail or to another account of the book.',
  Webhooks: 'Endpoints that events are delivered to, and what became of each delivery.',
  Events: 'Everything that happened, to read: the same events that webhooks deliver.',
  Journal: 'The ledger itself: entries with their postings, and signed checkpoints that prove them.',
  Idempotency: 'What became of a request: did my money move?',
  Exceptions: 'What the books cannot follow by themselves, and what two persons make of it.',
  Limits: 'Every limit of this API, as it holds for a key.',
  Simulations: 'Test mode only: what happens outside happens when it is asked for.',
} as const;

export type Tag = keyof typeof TAGS;

/** What the process keeps between requests, as far as routes use it. */
export interface RouteServices {
  readonly following: Following;
}

/** The input of a handler: everything checked, nothing of Express. */
export interface RouteRequest<Body = unknown, Query = unknown> {
  runtime: ApiRuntime;
  services: RouteServices;
  principal: Principal;
  requestId: Uuid;
  /** Path parameters: ids as UUIDs, other values as given. */
  params: Readonly<Record<string, string>>;
  body: Body;
  query: Query;
  idempotencyKey: string | null;
  /** The digest of method, path and body. Computed on demand. */
  fingerprint(): Buffer;
  /** The version in If-Match. */
  ifMatch: number | undefined;
  /** How long the answer may be held, by `Prefer: wait` or by the route's default. */
  waitSeconds: number | undefined;
}

/** An answer: a value to write as JSON, or stored JSON text. */
export interface RouteAnswer {
  status: number;
  json?: unknown;
  text?: string;
  /** The object that the answer shows, where the route waits for one. */
  resourceId?: Uuid | undefined;
  /** Sends `Idempotent-Replayed: true`. */
  replayed?: boolean;
  headers?: readonly string[];
}

export interface RouteResponse {
  description: string;
  schema: z.ZodType;
  /** Optional members of the schema that this answer has. No other answer has them. */
  shows?: readonly string[];
  /** Optional members that this answer may have: those of a dry run, where it has the status of the real one. */
  mayShow?: readonly string[];
  /** Nothing was written: the object that it shows does not exist. */
  isDryRun?: boolean;
}

/** An operation that retires, as docs/compatibility.md says. Days are as ISO 8601 writes them, and begin at midnight UTC. */
export interface Retirement {
  readonly deprecatedOn: string;
  /** At least twelve months later. */
  readonly sunsetOn: string;
  /** What takes its place, for people. */
  readonly instead: string;
}

export interface Route<BodySchema extends z.ZodType = z.ZodType, QuerySchema extends z.ZodType = z.ZodType> {
  method: Method;
  /** In Express's form: `/v1/payouts/:id`. */
  path: string;
  /** The name of the operation in the reference and in generated clients. */
  operation: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** The scope that a key needs; null for any key. */
  scope: Scope | null;
  retires?: Retirement;
  /** Events are delivered to the URL at this place of the request, a runtime expression: `$request.body#/url`. */
  deliversTo?: string;
  /** Only for keys of test books. */
  testModeOnly?: boolean;
  /** The type of each path parameter: an id of a kind, or text. */
  params?: Readonly<Record<string, IdKind | 'text'>>;
  query?: QuerySchema;
  /** Without a schema, a POST takes an empty object or no body. */
  body?: BodySchema;
  /** Limit on members and elements of a body, where it is more than MAX_MEMBERS. */
  bodyMembers?: number;
  bodyExample?: unknown;
  /** `required` for routes that move money. Every other write accepts a key too. */
  idempotency?: 'required' | 'optional';
  ifMatch?: boolean;
  /** The body as its digest for the Idempotency-Key has it, for a body with secrets. `digestOf` is keyed: nobody can guess by it. */
  fingerprinted?(body: unknown, digestOf: (text: string) => string): unknown;
  /** The answer may be held until its object has left its first statuses: `waitFor(resource)`. */
  waits?: Waits;
  responses: Readonly<Record<number, RouteResponse>>;
  /** Error codes of this route, beside those that every route has. */
  errors?: readonly ErrorCode[];
  handle(request: RouteRequest<z.output<BodySchema>, z.output<QuerySchema>>): Promise<RouteAnswer>;
  /**
   * Turns a stored answer into this route's answer, as `handle` does, when a newer rule would refuse the request. The
   * request then has no body and no query. Without `replay`, the stored answer is sent unchanged.
   */
  replay?(request: RouteRequest, answer: OnceAnswer): RouteAnswer | Promise<RouteAnswer>;
}

/** Keeps the schemas' types for the handler, and erases them for the table of routes. */
export function route<BodySchema extends z.ZodType, QuerySchema extends z.ZodType>(
  definition: Route<BodySchema, QuerySchema>,
): Route {
  return definition as unknown as Route;
}
