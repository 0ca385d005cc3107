/**
 * A route, declared once: its name, scope, input and answers. The one declaration is matched, validated, documented
 * (openapi.ts) and tested.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../errors/errors.ts';
import type { Following } from '../idempotency/following.ts';
import type { OnceAnswer } from '../idempotency/once.ts';
import type { DeclaredResource } from '../ledger/resources/declared-resource.ts';
import type { Scope } from '../organisations/api-key.ts';
import type { Principal } from '../organisations/authenticate.ts';
import type { IdKind, Uuid } from '../values/ids.ts';
import type { ApiRuntime } from './api-runtime.ts';
import type { Upload, UploadKind } from './upload.ts';
import type { Waits } from './waits.ts';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The kind of a list's cursor: an id, that of a person or a service, or a sequence number where rows have no id. */
export type CursorKind = IdKind | 'owner' | 'sequence';

/** What routes keep of what they show (api-resource.ts has the whole). */
export interface RoutedResource {
  /** Of the list, in Express's form: `/v1/payouts`, or `/v1/accounts/:id/entries` for what belongs to another object. */
  readonly path: string;
  /** The name of the schema: that of the list is `PayoutList`. */
  readonly type: string;
  readonly schema: z.ZodType;
  /** The kind of the list's cursors: of the ids that the list shows, or of its sequence numbers. */
  readonly cursor: CursorKind;
  /** Null for what no group declares: entries, events, lines of a list. */
  readonly declared: DeclaredResource | null;
}

/** What a route does with a resource. Tests of all routes, pages and clients are made from it. */
export interface RouteOf {
  /** Of a list and of children, what they list; of a timeline, whose it is. */
  readonly resource: RoutedResource;
  readonly kind: 'list' | 'read' | 'children' | 'timeline' | 'create' | 'update' | 'action' | 'remove';
  /** Of an action, as its path names it: `cancel`. */
  readonly action?: string;
}

/** The groups of the API reference, in the order it shows them. */
export const TAGS = {
  Accounts: 'Accounts that hold money, their balances, their lines, and holds on them.',
  Cards:
    "Cards that cardholders pay with from an account: what limits them, their tokens, and how a book's cards work.",
  Transactions:
    'The life of card purchases, told by the messages of a processor: authorizations, clearings, refunds, disputes.',
  Reconciliation:
    'What banks state and what the books say: bank accounts of the operator, statements, lines, runs over files.',
  Payments: 'Money that payers give merchants: authorizations, captures, refunds, releases.',
  Payouts: 'Money that leaves an account, over a rail or to another account of the book.',
  Webhooks: 'Endpoints that events are delivered to, and what became of each delivery.',
  Events: 'Everything that happened, to read: the same events that webhooks deliver.',
  Journal: 'The ledger itself: entries with their postings, and signed checkpoints that prove them.',
  Reports: 'Figures of the books at a place of the journal, as files: balances, activity, what is in transit.',
  Idempotency: 'What became of a request: did my money move?',
  Exceptions: 'What the books cannot follow by themselves, and what two persons make of it.',
  Keys: 'API keys: who may do what, from where and until when.',
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
  /** A header of the request, by its name in lower case, where it is given once. */
  header(name: 'range' | 'if-range'): string | undefined;
  /** The client's, as the service saw it. */
  clientAddress: string;
  requestId: Uuid;
  /** Path parameters: ids as UUIDs, other values as given. */
  params: Readonly<Record<string, string>>;
  body: Body;
  query: Query;
  idempotencyKey: string | null;
  /** The digest of method, path and body. Computed on demand. */
  fingerprint(): Buffer;
  /** The body of a route that reads it as it comes. */
  upload: Upload | undefined;
  /** The version in If-Match. */
  ifMatch: number | undefined;
  /** How long the answer may wait, by `Prefer: wait` or by the route's default. */
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
  /** In place of JSON: what is long, or no JSON. */
  file?: FileAnswer;
}

/** A file that is written as it is read. What fails before its first piece is answered as any error; later, the connection ends. */
export interface FileAnswer {
  /** One that the route's answer lists, with its charset. */
  readonly contentType: string;
  /** For who saves it: letters, digits, points and hyphens. Left out: it is read in place. */
  readonly name?: string;
  /** Pieces of some kilobytes. Only one is in memory; the next is asked for once the client has taken it. */
  readonly content: AsyncIterable<string | Buffer>;
}

export interface RouteResponse {
  description: string;
  schema: z.ZodType;
  /** Media types of files that are answered instead: `text/csv`. */
  files?: readonly string[];
  /** It is always one of these, and never JSON. */
  isFile?: true;
  /** Optional members of the schema that this answer has. No other answer has them. */
  shows?: readonly string[];
  /** Optional members that this answer may have: those of a dry run, where it has the status of the real one. */
  mayShow?: readonly string[];
  /** Nothing was written: the object that it shows does not exist. */
  isDryRun?: boolean;
}

/** An operation that retires (docs/compatibility.md). Days are as ISO 8601 writes them, and begin at midnight UTC. */
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
  /** Left out of a route that is unlike those of a resource. */
  of?: RouteOf;
  summary: string;
  description?: string;
  /** The scope that a key needs; null for any key. */
  scope: Scope | null;
  /** Another scope that is as good, where two parties do the same: the integrator, and the processor. */
  orScope?: Scope;
  /** A key needs no scope where the path names the key itself. */
  itselfWithoutScope?: true;
  /**
   * The version that has the operation first, where processes of the one before would not know what it writes: it is refused until the
   * installation is contracted to that version (http/pipeline/contracted.ts).
   */
  since?: string;
  /** The same of members of the body that came later than the operation: JSON pointers by version. */
  membersSince?: Readonly<Record<string, readonly string[]>>;
  retires?: Retirement;
  /** Events are delivered to the URL at this place of the request, a runtime expression: `$request.body#/url`. */
  deliversTo?: string;
  /**
   * A processor's message, which names itself: its `message_reference` is the key of the command, and an Idempotency-Key beside it is not
   * looked at. It counts against the rate of messages.
   */
  isMessage?: true;
  /** A question that a rail is asked: it counts against the rate of look-ups, since parties limit them. */
  isLookup?: true;
  /** A POST that writes nothing: its question needs a body. An Idempotency-Key is not looked at, and it counts as a read. */
  readsOnly?: true;
  /** Only for keys of test books. */
  testModeOnly?: boolean;
  /** The type of each path parameter: an id of a kind, or text. */
  params?: Readonly<Record<string, IdKind | 'text'>>;
  /** The path parameter that may be a number instead, as its parent counts versions. The handler looks it up. */
  numbered?: string;
  query?: QuerySchema;
  /** Without a schema, a POST takes an empty object or no body. */
  body?: BodySchema;
  /** The body is read as it comes, by the handler: JSON by `body`, which documents it, or what this names. */
  uploads?: UploadKind;
  /** Limit on members and elements of a body, where it is more than MAX_MEMBERS. */
  bodyMembers?: number;
  bodyExample?: unknown;
  /** `required` for routes that move money. Every other write accepts a key too. */
  idempotency?: 'required' | 'optional';
  ifMatch?: boolean;
  /** The body as its digest for the Idempotency-Key has it, for a body with secrets. `digestOf` is keyed: nobody can guess by it. */
  fingerprinted?(body: unknown, digestOf: (text: string) => string): unknown;
  /** The answer may wait until its object has left its first statuses: `waitFor(resource)`. */
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

/** Whether a request of the route may change something. */
export function isWrite({ method, readsOnly }: Pick<Route, 'method' | 'readsOnly'>): boolean {
  return method !== 'get' && !readsOnly;
}

/** Keeps the schemas' types for the handler, and erases them for the table of routes. */
export function route<BodySchema extends z.ZodType, QuerySchema extends z.ZodType>(
  definition: Route<BodySchema, QuerySchema>,
): Route {
  return definition as unknown as Route;
}

/** Routes of a resource that a version has first (Route.since). */
export function routesSince(since: string, routes: readonly Route[]): readonly Route[] {
  return routes.map((one) => ({ ...one, since }));
}
