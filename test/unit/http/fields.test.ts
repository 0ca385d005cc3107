/**
 * Every field of every body, in process and without a database (test/support/route-fields.ts makes the bodies from the
 * routes' schemas): what the schema refuses is answered with 400 or 422, names the field, and reaches no handler.
 * test/e2e/http-matrix.test.ts sends each route's own to the whole product.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../../scripts/harness/client.ts';
import type { Route, RouteRequest } from '../../../src/api/route.ts';
import { exampleId } from '../../../src/api/schemas/fields.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import { MAKES_KEYS } from '../../../src/organisations/api-key.ts';
import { junkBodies, junkQueries } from '../../support/junk.ts';
import { refusedBodiesOf, samplesOf } from '../../support/route-fields.ts';
import { createTestApp, KEYS } from './test-app.ts';

let server: Server;
let url: string;
const agent = new Agent();
const handled: RouteRequest[] = [];

beforeAll(async () => {
  const handle = async (asked: RouteRequest) => {
    handled.push(asked);
    return { status: 200, json: {} };
  };
  const routes = ROUTES.map((route): Route => ({ ...route, handle }));
  server = createServer(
    createTestApp({
      routes,
      environment: {
        RATE_LIMIT_WRITES_PER_SECOND: '1000000',
        RATE_LIMIT_READS_PER_SECOND: '1000000',
        RATE_LIMIT_LOOKUPS_PER_SECOND: '1000000',
        RATE_LIMIT_MESSAGES_PER_SECOND: '1000000',
      },
    }).app,
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await agent.destroy();
  server?.close();
});

async function send(
  { method, path, scope, params = {} }: Route,
  body: unknown,
  query?: string,
): Promise<{ status: number; body: Problem }> {
  const target = path.replace(/:(\w+)/g, (_, name: string) => {
    const kind = params[name]!;
    return kind === 'text' ? 'a-key' : exampleId(kind);
  });
  const answer = await request(`${url}${target}${query === undefined ? '' : `?${query}`}`, {
    method: method.toUpperCase() as 'POST',
    dispatcher: agent,
    headers: {
      authorization: `Bearer ${scope === MAKES_KEYS ? KEYS.maker : KEYS.test}`,
      'content-type': 'application/json',
      'idempotency-key': 'one',
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: answer.statusCode, body: (await answer.body.json()) as Problem };
}

/** Items of an upload are read one by one (test/e2e/payout-batches.test.ts). */
const withBody = ROUTES.filter(({ body, uploads }) => body && !uploads).map(
  (one) => [`${one.method.toUpperCase()} ${one.path}`, one] as const,
);

describe.each(withBody)('%s', (_, route) => {
  test('takes its example, and a body with every field', async () => {
    for (const body of [route.bodyExample, ...samplesOf(route)]) {
      const before = handled.length;
      const answer = await send(route, body);
      expect(answer, JSON.stringify(body)).toMatchObject({ status: 200 });
      expect(handled.length).toBe(before + 1);
    }
  });

  test('refuses each field that is not as its schema wants it, by its pointer', async () => {
    const refused = refusedBodiesOf(route);
    expect(refused.length).toBeGreaterThan(0);
    const before = handled.length;
    for (const { what, body, pointer } of refused) {
      const answer = await send(route, body);
      const told = `${what} at ${pointer || 'the top'}: ${JSON.stringify(body)?.slice(0, 200)} is answered with ${JSON.stringify(answer)}`;
      expect([400, 422], told).toContain(answer.status);
      expect(handled.length, told).toBe(before);
      // What decides about its neighbours, as a type does, is told with them.
      const beside = pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
      const errors = answer.body.errors.map(({ param }) => param ?? '');
      expect(errors.length, told).toBeGreaterThan(0);
      expect(
        errors.every((param) => param.startsWith(pointer) || param.startsWith(`${beside}/`)),
        told,
      ).toBe(true);
      expect(
        errors.some((param) => param.startsWith(pointer)),
        told,
      ).toBe(true);
    }
  });
});

/** Either the handler gets it, or the answer is a problem that names a field. */
async function expectAnswered(route: Route, body: unknown, query?: string): Promise<void> {
  const before = handled.length;
  const answer = await send(route, body, query);
  const told = `${JSON.stringify(body)?.slice(0, 300)} ${query} is answered with ${JSON.stringify(answer)}`;
  if (answer.status === 200) expect(handled.length, told).toBe(before + 1);
  else {
    expect([400, 422], told).toContain(answer.status);
    expect(answer.body.errors.length, told).toBeGreaterThan(0);
    expect(handled.length, told).toBe(before);
  }
}

describe('any value', () => {
  test.each(withBody)('as a part of the body of %s is taken or refused', async (_, route) => {
    for (const body of junkBodies(route)) await expectAnswered(route, body);
  });

  const withQuery = ROUTES.filter(({ query }) => query).map((one) => [one.operation, one] as const);
  test.each(withQuery)('in the query of %s is taken or refused', async (_, route) => {
    for (const query of junkQueries(route)) await expectAnswered(route, route.bodyExample, query);
  });
});
