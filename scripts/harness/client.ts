/**
 * The product as an integrator sees it: HTTP and one key. Every answer is checked against the schemas that the
 * reference is made from, so each test that calls a route also proves the reference of the route.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import type * as accountSchemas from '../../src/accounts/account/api/account-schemas.ts';
import type { Route } from '../../src/api/route.ts';
import type * as journalSchemas from '../../src/api/schemas/journal.ts';
import type { problem } from '../../src/api/schemas/problem.ts';
import { ROUTES } from '../../src/http/routes.ts';
import type * as payoutSchemas from '../../src/payouts/payout/api/payout-schemas.ts';
import type * as webhookSchemas from '../../src/webhooks/endpoints/api/webhook-schemas.ts';
import type * as eventSchemas from '../../src/webhooks/events/api/event-schemas.ts';
import { expectAsInReference } from './as-promised.ts';
import { until, type WaitLimit } from './until.ts';

export { NotAsPromised } from './as-promised.ts';
export { until, type WaitLimit } from './until.ts';

/** The output type of a schema. */
type Shape<Schema extends { _zod: { output: unknown } }> = Schema['_zod']['output'];

export type Payout = Shape<typeof payoutSchemas.payout>;
export type Account = Shape<typeof accountSchemas.account>;
export type Entry = Shape<typeof journalSchemas.journalEntry>;
export interface Event extends Omit<Shape<typeof eventSchemas.event>, 'data'> {
  // biome-ignore lint/suspicious/noExplicitAny: whatever object the event is about
  data: { object: { id: string; [field: string]: any }; previous_attributes: Record<string, unknown> };
}
/** As the answers show it that make its secret. */
export type Endpoint = Shape<typeof webhookSchemas.webhook> & { secret: string };
export type Delivery = Shape<typeof webhookSchemas.delivery>;
export type Problem = Shape<typeof problem>;
export interface List<Item> {
  data: Item[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface Answer<Body> {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
  bytes: Buffer;
  body: Body;
}

export interface SendOptions {
  body?: unknown;
  /** Sent unchanged, in place of `body`. */
  rawBody?: string | Buffer;
  /** Without one, a POST gets a new key; null sends none. */
  idempotencyKey?: string | null;
  headers?: Record<string, string>;
}

export interface PayoutOptions extends SendOptions {
  account?: string;
  amount?: number;
  currency?: string;
  destination?: Record<string, unknown>;
  query?: string;
}

/** Longer than any wait of a test, shorter than a test's own limit: so the error names the request that hung. */
const REQUEST_TIMEOUT_MS = 20_000;

export class Client {
  readonly #baseUrl: () => string;
  readonly #agent = new Agent({
    connections: 128,
    headersTimeout: REQUEST_TIMEOUT_MS,
    bodyTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 1_000,
  });

  constructor(
    baseUrl: string | (() => string),
    readonly key: string,
    /** False where another version may answer: the reference is of this code. */
    private readonly isAsInReference = true,
  ) {
    this.#baseUrl = typeof baseUrl === 'string' ? () => baseUrl : baseUrl;
  }

  async send<Body = Problem>(method: string, path: string, options: SendOptions = {}): Promise<Answer<Body>> {
    const { body, rawBody = body === undefined ? undefined : JSON.stringify(body), idempotencyKey } = options;
    const key = idempotencyKey === undefined && method === 'POST' ? randomUUID() : idempotencyKey;
    const response = await request(this.#baseUrl() + path, {
      method: method as 'GET',
      dispatcher: this.#agent,
      body: rawBody,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(rawBody === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key == null ? {} : { 'idempotency-key': key }),
        ...options.headers,
      },
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    const text = bytes.toString('utf8');
    const headers = response.headers as Answer<Body>['headers'];
    const isJson = /^application\/(problem\+)?json\b/.test(headers['content-type'] ?? '');
    const answer = {
      ...{ status: response.statusCode, headers, text, bytes },
      body: (isJson && text !== '' ? JSON.parse(text) : undefined) as Body,
    };
    if (this.isAsInReference) expectAsInReference(routeOf(method, path), `${method} ${path}`, answer);
    return answer;
  }

  get<Body = Problem>(path: string, options?: SendOptions): Promise<Answer<Body>> {
    return this.send<Body>('GET', path, options);
  }

  post<Body = Problem>(path: string, body?: unknown, options?: SendOptions): Promise<Answer<Body>> {
    return this.send<Body>('POST', path, { ...options, body });
  }

  patch<Body = Problem>(path: string, body: unknown, options?: SendOptions): Promise<Answer<Body>> {
    return this.send<Body>('PATCH', path, { ...options, body });
  }

  delete<Body = Problem>(path: string, options?: SendOptions): Promise<Answer<Body>> {
    return this.send<Body>('DELETE', path, options);
  }

  /** Gets the body of an answer that must be a success. */
  async read<Body>(path: string): Promise<Body> {
    return succeeded(await this.get<Body>(path));
  }

  async openAccount({
    funds = 1_000_000,
    ...body
  }: {
    funds?: number;
    [field: string]: unknown;
  } = {}): Promise<Account> {
    const account = succeeded(
      await this.post<Account>('/v1/accounts', { currency: 'JOD', name: 'Operating account', ...body }),
    );
    if (funds === 0) return account;
    succeeded(
      await this.post('/v1/simulations/inbound_transfers', {
        account: account.id,
        amount: funds,
        currency: account.currency,
      }),
    );
    return this.read<Account>(`/v1/accounts/${account.id}`);
  }

  requestPayout<Body = Payout>(options: PayoutOptions = {}): Promise<Answer<Body>> {
    const { account, amount = 10_000, currency = 'JOD', destination, query = '', body, ...rest } = options;
    const payout = {
      ...(account === undefined ? {} : { account }),
      amount,
      currency,
      destination: destination ?? { type: 'cliq', alias: 'SHOP1' },
      ...(body as object),
    };
    return this.post<Body>(`/v1/payouts${query}`, payout, rest);
  }

  async pay(options: PayoutOptions): Promise<Payout> {
    return succeeded(await this.requestPayout(options));
  }

  payout(id: string): Promise<Payout> {
    return this.read<Payout>(`/v1/payouts/${id}`);
  }

  /** Polls a payout until it has the wanted status, or meets the wanted condition. */
  payoutUntil(
    id: string,
    wanted: Payout['status'] | ((payout: Payout) => boolean),
    limit?: WaitLimit,
  ): Promise<Payout> {
    const isWanted = typeof wanted === 'function' ? wanted : ({ status }: Payout) => status === wanted;
    return until(() => this.payout(id), isWanted, limit);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

export function succeeded<Body>(answer: Answer<Body>): Body {
  if (answer.status < 300) return answer.body;
  throw new Error(`Expected a success, got ${answer.status} ${answer.text}`);
}

const matchers = new Map<Route, RegExp>();

export function routeOf(method: string, path: string): Route | undefined {
  const pathname = path.split('?')[0]!;
  return ROUTES.find((route) => {
    const matcher = matchers.get(route) ?? new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`);
    matchers.set(route, matcher);
    return route.method.toUpperCase() === method && matcher.test(pathname);
  });
}
