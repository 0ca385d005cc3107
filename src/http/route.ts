/**
 * A route, declared once: what it is called, who may call it, what it takes and gives. The same declaration is matched,
 * validated, documented (openapi.ts) and tested.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { OnceAnswer } from '../idempotency/once.ts';
import type { IdKind, Uuid } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { Scope } from '../organisations/api-key.ts';
import type { Principal } from '../organisations/authenticate.ts';
import type { ApiRuntime } from './api-runtime.ts';
import type { ApiServices } from './services.ts';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The groups of the reference, in the order in which it shows them. */
export type Tag = 'Payouts' | 'Accounts' | 'Journal' | 'Events' | 'Webhooks' | 'Idempotency' | 'Limits' | 'Simulations';

/** What a handler is given: everything checked, nothing of Express. */
export interface RouteRequest<Body = unknown, Query = unknown> {
  runtime: ApiRuntime;
  services: ApiServices;
  principal: Principal;
  requestId: Uuid;
  /** Parameters of the path: ids as UUIDs, texts as they stand. */
  params: Readonly<Record<string, string>>;
  body: Body;
  query: Query;
  idempotencyKey: string | null;
  /** Of method, path and body; made when it is asked for. */
  fingerprint(): Buffer;
  /** The version in If-Match. */
  ifMatch: number | undefined;
  /** Seconds of `Prefer: wait`. */
  waitSeconds: number | undefined;
  /** Aborted when the client has gone; made when it is asked for. */
  disconnected(): AbortSignal;
  /** Waits for what `Prefer: wait` asked for: the request is not counted as in flight meanwhile. */
  aside<T>(wait: Promise<T>): Promise<T>;
}

/** An answer: a value to be written as JSON, or JSON text as it was stored. */
export interface RouteAnswer {
  status: number;
  json?: unknown;
  text?: string;
  /** `Idempotent-Replayed: true`. */
  replayed?: boolean;
  headers?: readonly string[];
}

export interface RouteResponse {
  description: string;
  schema: z.ZodType;
}

export interface Route<BodySchema extends z.ZodType = z.ZodType, QuerySchema extends z.ZodType = z.ZodType> {
  method: Method;
  /** Express's form: `/v1/payouts/:id`. */
  path: string;
  /** The name of the operation in the reference and in generated clients. */
  operation: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** What a key must be allowed; null for any key. */
  scope: Scope | null;
  /** For keys of test books only. */
  testModeOnly?: boolean;
  /** What each parameter of the path is: an id of a kind, or a text. */
  params?: Readonly<Record<string, IdKind | 'text'>>;
  query?: QuerySchema;
  /** Without one, a POST takes an empty object or nothing. */
  body?: BodySchema;
  /** Reads what the schema would give of a plain body, sooner; undefined where the schema must be asked. */
  plainBody?: (body: JsonObject) => z.output<BodySchema> | undefined;
  /** Members and elements that a body may have, where that is more than MAX_MEMBERS. */
  bodyMembers?: number;
  bodyExample?: unknown;
  /** `required` on what moves money; every other write takes a key too. */
  idempotency?: 'required' | 'optional';
  ifMatch?: boolean;
  prefersWait?: boolean;
  responses: Readonly<Record<number, RouteResponse>>;
  /** Codes of its own, beside those that every route has. */
  errors?: readonly ErrorCode[];
  handle(request: RouteRequest<z.output<BodySchema>, z.output<QuerySchema>>): Promise<RouteAnswer>;
  /**
   * Makes of a stored answer what `handle` makes of one, where a rule refuses the request by now. The request has no body and no
   * query then. Without it, the stored answer is sent as it stands.
   */
  replay?(request: RouteRequest, answer: OnceAnswer): RouteAnswer | Promise<RouteAnswer>;
}

/** Keeps the types of the schemas for the handler, and forgets them for the table. */
export function route<BodySchema extends z.ZodType, QuerySchema extends z.ZodType>(
  definition: Route<BodySchema, QuerySchema>,
): Route {
  return definition as unknown as Route;
}
