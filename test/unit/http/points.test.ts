/** The points that a request costs, and that they are taken before any work. */
import request from 'supertest';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { metadataFilter } from '../../../src/api/pages.ts';
import { route } from '../../../src/api/route.ts';
import { HeldSecond } from '../../support/held-second.ts';
import { createTestApp, GOOD_BODY, KEYS } from './test-app.ts';

type TestApp = ReturnType<typeof createTestApp>['app'];

function post(app: TestApp, body: string) {
  return request(app)
    .post('/v1/things')
    .set({ Authorization: `Bearer ${KEYS.test}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'k1' })
    .send(body);
}

function left({ headers }: { headers: Record<string, string> }): number {
  return Number(/r=(\d+)/.exec(headers.ratelimit!)![1]);
}

const KB_64 = 65_536;
const padded = (bytes: number) => JSON.stringify(GOOD_BODY).padEnd(bytes);

test.each`
  bytes            | points
  ${100}           | ${1}
  ${KB_64 - 1}     | ${1}
  ${KB_64}         | ${2}
  ${2 * KB_64 - 1} | ${2}
  ${10 * KB_64}    | ${11}
  ${16 * KB_64}    | ${17}
`('a body of $bytes bytes costs $points points, with or without a length', async ({ bytes, points }) => {
  const { app } = createTestApp();
  const declared = await post(app, padded(bytes));
  expect(declared.status).toBe(200);
  expect(left(declared)).toBe(10_000 - points);
  const { app: another } = createTestApp();
  const chunked = request(another)
    .post('/v1/things')
    .set({
      Authorization: `Bearer ${KEYS.test}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
      'Idempotency-Key': 'k1',
    });
  for (let at = 0; at < bytes; at += 10_000) chunked.write(padded(bytes).slice(at, at + 10_000));
  const answer = await chunked;
  expect(answer.status).toBe(200);
  expect(left(answer)).toBe(10_000 - points);
});

test.each`
  chunks   | status | points
  ${500}   | ${200} | ${1}
  ${600}   | ${200} | ${2}
  ${8_192} | ${200} | ${17}
  ${8_193} | ${413} | ${17}
`('a body of $chunks small chunks costs $points points, and is answered $status', async (expected) => {
  const { app } = createTestApp();
  const chunked = request(app)
    .post('/v1/things')
    .set({
      Authorization: `Bearer ${KEYS.test}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
      'Idempotency-Key': 'k1',
    });
  for (let chunk = 1; chunk < expected.chunks; chunk++) chunked.write(' ');
  chunked.write(JSON.stringify(GOOD_BODY));
  const answer = await chunked;
  expect(answer.status).toBe(expected.status);
  expect(left(answer)).toBe(10_000 - expected.points);
});

test('a refused body costs its points; an unread body costs one', async () => {
  const { app } = createTestApp();
  expect(left(await post(app, 'x'.repeat(5 * KB_64)))).toBe(9_994);
  expect(left(await post(app, 'x'.repeat(17 * KB_64)))).toBe(9_993);
});

test('bodies that cost more points than are left are refused unparsed', async () => {
  const second = new HeldSecond();
  const environment = { RATE_LIMIT_WRITES_PER_SECOND: '20' };
  const { app, handled } = createTestApp({ environment, limiter: second.limiter });
  const parse = vi.spyOn(JSON, 'parse');
  try {
    const big = padded(10 * KB_64);
    const answers = await second.during(() => Promise.all(Array.from({ length: 6 }, () => post(app, big))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4);
    expect(answers.find(({ status }) => status === 429)!.headers['retry-after']).toBe('1');
    const parsed = parse.mock.calls.filter(([text]) => text.length > KB_64);
    expect(parsed).toHaveLength(handled.length);
  } finally {
    parse.mockRestore();
  }
});

test("a request that costs more than a second's points takes the points of one second", async () => {
  const { app } = createTestApp({ environment: { RATE_LIMIT_WRITES_PER_SECOND: '3' } });
  const answer = await post(app, padded(10 * KB_64));
  expect(answer.status).toBe(200);
  expect(left(answer)).toBe(0);
});

test('each metadata filter costs a point; an invalid query costs none for its filters', async () => {
  const handle = async () => ({ status: 200, json: {} });
  const list = route({
    method: 'get',
    path: '/v1/listed',
    operation: 'listListed',
    tag: 'Payouts',
    summary: 'A list',
    scope: 'payouts:read',
    query: z.strictObject({ metadata: metadataFilter }),
    responses: {},
    handle,
  });
  const { app } = createTestApp({ routes: [list] });
  const get = (query: string) => request(app).get(`/v1/listed?${query}`).set('Authorization', `Bearer ${KEYS.test}`);
  expect(left(await get(''))).toBe(399);
  expect(left(await get('metadata[a]=1&metadata[b]=2&metadata[c]=3'))).toBe(395);
  expect(left(await get('metadata[a]=1&metadata[b]=2&colour=red'))).toBe(394);
});

test('a body with too many members never reaches the schema', async () => {
  const schema = z.strictObject({ items: z.array(z.string()) });
  const parsed = vi.spyOn(schema, 'safeParse');
  const create = (bodyMembers?: number) =>
    route({
      method: 'post',
      path: '/v1/items',
      operation: 'createItems',
      tag: 'Payouts',
      summary: 'Items',
      scope: 'payouts:write',
      body: schema,
      bodyMembers,
      responses: {},
      handle: async () => ({ status: 200, json: {} }),
    });
  const items = JSON.stringify({ items: Array(1_000).fill('x') });
  const send = (app: TestApp) =>
    request(app)
      .post('/v1/items')
      .set({ Authorization: `Bearer ${KEYS.test}`, 'Content-Type': 'application/json' })
      .send(items);
  const refused = await send(createTestApp({ routes: [create()] }).app);
  expect(refused.body).toMatchObject({ status: 400, code: 'parameter_invalid', param: '/items/999', limit: 1_000 });
  expect(parsed).not.toHaveBeenCalled();
  expect((await send(createTestApp({ routes: [create(2_000)] }).app)).status).toBe(200);
});

test('a repeated Authorization header is refused', async () => {
  const { app } = createTestApp();
  const answer = await request(app)
    .get('/v1/things')
    .set('AUTHORIZATION', [`Bearer ${KEYS.test}`, `Bearer ${KEYS.test}`] as never);
  expect(answer.body).toMatchObject({ status: 400, code: 'parameter_invalid', param: 'Authorization' });
});
