/** An operation that retires says so: in every answer, and in the document. */
import request from 'supertest';
import { expect, test } from 'vitest';
import { type Route, route } from '../../../src/api/route.ts';
import { ApiError } from '../../../src/errors/errors.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import { createTestApp, KEYS } from './test-app.ts';

const retires = { deprecatedOn: '2027-01-01', sunsetOn: '2028-01-01', instead: 'Use `POST /v1/things`.' };

const PAYOUT = ROUTES.find(({ operation }) => operation === 'createPayout')!.responses[202]!.schema;

function retiring(handle: Route['handle']): Route {
  return route({
    method: 'get',
    path: '/v1/old_things',
    operation: 'listOldThings',
    tag: 'Payouts',
    summary: 'List old things',
    scope: 'payouts:read',
    responses: { 200: { description: 'Old things.', schema: PAYOUT } },
    retires,
    handle,
  });
}

const HEADERS = {
  deprecation: '@1798761600',
  sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
  link: '<https://api.example.com/docs/compatibility>; rel="deprecation"; type="text/html"',
};

test.each`
  answer           | key           | status | handle
  ${'a success'}   | ${KEYS.test}  | ${200} | ${async () => ({ status: 200, json: {} })}
  ${'a refusal'}   | ${KEYS.test}  | ${404} | ${() => Promise.reject(new ApiError('resource_not_found'))}
  ${'a wrong key'} | ${'sk_test_'} | ${401} | ${async () => ({ status: 200, json: {} })}
`('$answer of it carries Deprecation, Sunset and Link', async ({ key, status, handle }) => {
  const { app } = createTestApp({ routes: [retiring(handle)] });
  const answer = await request(app).get('/v1/old_things').set('Authorization', `Bearer ${key}`);
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject(HEADERS);
});

test('an operation that does not retire carries none of them', async () => {
  const { app } = createTestApp();
  const answer = await request(app).get('/v1/things').set('Authorization', `Bearer ${KEYS.test}`);
  for (const name of Object.keys(HEADERS)) expect(answer.headers).not.toHaveProperty(name);
});

test('the document marks it, names what takes its place, and lists the headers', async () => {
  const { app } = createTestApp({ routes: [retiring(async () => ({ status: 200, json: {} }))] });
  const { paths, components } = (await request(app).get('/openapi.json')).body;
  const operation = paths['/v1/old_things'].get;
  expect(operation).toMatchObject({ deprecated: true, description: expect.stringContaining(retires.instead) });
  for (const answer of Object.values<{ headers?: object; $ref?: string }>(operation.responses)) {
    const { headers } = answer.$ref ? components.responses[answer.$ref.split('/').at(-1)!] : answer;
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset']));
  }
  expect(components.headers).toMatchObject({ Deprecation: expect.anything(), Sunset: expect.anything() });
});
