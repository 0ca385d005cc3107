/** The real application with a small route and no database, to test the pipeline of every route. */
import type { Express } from 'express';
import { pino } from 'pino';
import { z } from 'zod';
import type { ApiRuntime } from '../../../src/api/api-runtime.ts';
import { type Route, type RouteAnswer, type RouteRequest, route } from '../../../src/api/route.ts';
import { positiveAmount } from '../../../src/api/schemas/amount.ts';
import { currency, description, metadata, reference } from '../../../src/api/schemas/fields.ts';
import { waitFor } from '../../../src/api/waits.ts';
import { readConfig } from '../../../src/config.ts';
import { ApiError } from '../../../src/errors/errors.ts';
import { createApp } from '../../../src/http/app.ts';
import type { RateLimiter } from '../../../src/http/limits/rate-limiter.ts';
import { ApiServices } from '../../../src/http/pipeline/services.ts';
import type { Principal } from '../../../src/organisations/authenticate.ts';
import { payoutResource } from '../../../src/payouts/payout/payout-resource.ts';
import { VERSION } from '../../../src/process/version.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';

export const KEYS = {
  test: 'sk_test_good',
  live: 'sk_live_good',
  narrow: 'sk_test_narrow',
  narrowLive: 'sk_live_narrow',
  slow: 'sk_test_slow',
  /** Makes keys, and decides nothing. */
  maker: 'sk_test_maker',
} as const;

const NARROW = ['payouts:read'];
const SCOPES_OF: Record<string, string[]> = { narrow: NARROW, narrowLive: NARROW, maker: ['*', 'api_keys:write'] };
const MODES = { test: 'test', live: 'live', narrow: 'test', narrowLive: 'live', slow: 'test', maker: 'test' } as const;

const principals: Record<string, Principal> = Object.fromEntries(
  Object.entries(MODES).map(([name, mode]) => [
    KEYS[name as keyof typeof KEYS],
    {
      keyId: newId(),
      ownerKind: 'service',
      ownerId: newId(),
      bookId: newId(),
      organisationId: newId(),
      mode,
      scopes: SCOPES_OF[name] ?? ['*'],
      madeOverApi: false,
      writesPerSecond: name === 'slow' ? 2 : null,
      readsPerSecond: null,
    },
  ]),
);

const thingBody = z.strictObject({
  amount: positiveAmount,
  limit: positiveAmount.optional(),
  currency,
  target: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('account'), account: reference('account') }),
    z.strictObject({ type: z.literal('alias'), alias: z.string() }),
  ]),
  description: description.optional(),
  metadata: metadata.optional(),
});

export interface TestApp {
  app: Express;
  services: ApiServices;
  /** The requests that the handler got, in order. */
  handled: RouteRequest[];
  /** The log, as JSON lines. */
  logged: string[];
}

/** `handle` answers POST and GET /v1/things. The default handler answers with the request it got. */
export function createTestApp(
  options: {
    handle?: (request: RouteRequest) => Promise<RouteAnswer>;
    environment?: NodeJS.ProcessEnv;
    sandboxKey?: string;
    routes?: readonly Route[];
    limiter?: RateLimiter;
  } = {},
): TestApp {
  const handled: RouteRequest[] = [];
  const logged: string[] = [];
  const handle = async (request: RouteRequest): Promise<RouteAnswer> => {
    handled.push(request);
    return options.handle?.(request) ?? { status: 200, json: { received: request.body, query: request.query } };
  };
  const common = { tag: 'Payouts', summary: 'A thing', responses: {} } as const;
  const routes: Route[] = [
    route({
      ...common,
      method: 'post',
      path: '/v1/things',
      operation: 'createThing',
      scope: 'payouts:write',
      body: thingBody,
      idempotency: 'required',
      waits: waitFor(payoutResource),
      handle,
    }),
    route({ ...common, method: 'get', path: '/v1/things', operation: 'listThings', scope: 'payouts:read', handle }),
    route({
      ...common,
      method: 'get',
      path: '/v1/things/:id',
      operation: 'getThing',
      scope: 'payouts:read',
      params: { id: 'payout' },
      handle,
    }),
    route({
      ...common,
      method: 'post',
      path: '/v1/things/:id/act',
      operation: 'actOnThing',
      scope: 'payouts:write',
      params: { id: 'payout' },
      ifMatch: true,
      handle,
    }),
    route({
      ...common,
      method: 'post',
      path: '/v1/simulations/things',
      operation: 'simulateThing',
      scope: 'payouts:write',
      testModeOnly: true,
      handle,
    }),
  ];
  const runtime = {
    config: readConfig({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
      COUNTINGHOUSE_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      RATE_LIMIT_WRITES_PER_SECOND: '10000',
      ...options.environment,
    }),
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
    publicUrl: 'https://api.example.com',
    clock: systemClock,
    forms: { contractedTo: VERSION },
    fingerprints: PLAIN_FINGERPRINTS,
    stalledQueues: { stalled: () => undefined },
    withLinks: (_: string, json: string) => json,
    sandboxKey: options.sandboxKey,
    metrics: { observeRequest() {}, render: async () => 'requests_total 1\n', contentType: 'text/plain' },
    authenticator: {
      async authenticate(token: string) {
        const principal = principals[token];
        if (!principal) throw new ApiError('api_key_invalid');
        return principal;
      },
    },
    pool: { query: () => Promise.reject(new Error('no database here')) },
    lists: { read: (_bookId: string, work: (db: unknown) => Promise<unknown>) => work(undefined) },
  } as unknown as ApiRuntime;
  const services = new ApiServices(runtime, { limiter: options.limiter });
  return { app: createApp(runtime, services, options.routes ?? routes), services, handled, logged };
}

export const GOOD_BODY = { amount: 5124, currency: 'JOD', target: { type: 'alias', alias: 'SHOP1' } };
