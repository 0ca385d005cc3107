import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/errors/errors.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { HeldSecond } from '../../support/held-second.ts';
import { createTestApp, GOOD_BODY, KEYS } from './test-app.ts';

const THING = `/v1/things/${publicId('payout', newId())}`;

function post(app: ReturnType<typeof createTestApp>['app'], body: unknown, headers: Record<string, string> = {}) {
  return request(app)
    .post('/v1/things')
    .set({
      Authorization: `Bearer ${KEYS.test}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'k1',
      ...headers,
    })
    .send(typeof body === 'string' ? body : JSON.stringify(body));
}

function get(app: ReturnType<typeof createTestApp>['app'], path: string, key: string = KEYS.test) {
  return request(app).get(path).set('Authorization', `Bearer ${key}`);
}

describe('answers', () => {
  test("carry the request id and the limits, and do not name the server's software", async () => {
    const { app } = createTestApp();
    const answer = await post(app, GOOD_BODY, { 'Request-Id': 'req_of_the_client' });
    expect(answer.status).toBe(200);
    expect(answer.headers['request-id']).toMatch(/^req_[0-9a-z]{26}$/);
    expect(answer.headers.ratelimit).toBe('"writes";r=9999;t=1');
    expect(answer.headers['ratelimit-policy']).toBe('"writes";q=10000;w=1');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect((await get(app, '/v1/nothing')).headers['x-content-type-options']).toBe('nosniff');
    for (const name of ['x-powered-by', 'etag', 'access-control-allow-origin'])
      expect(answer.headers).not.toHaveProperty(name);
  });

  test('a problem has every member, and the request id of the header', async () => {
    const { app } = createTestApp();
    const answer = await post(app, { ...GOOD_BODY, amount: 0 });
    expect(answer.status).toBe(422);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toEqual({
      type: 'https://api.example.com/docs/errors/amount_below_minimum',
      title: 'The amount is below the minimum',
      status: 422,
      detail: 'Expects at least 1.',
      code: 'amount_below_minimum',
      param: '/amount',
      errors: [{ code: 'amount_below_minimum', param: '/amount', detail: 'Expects at least 1.' }],
      request_id: answer.headers['request-id'],
      retryable: false,
      limit: 1,
    });
  });

  test('to internal errors give no details, and the log has them all', async () => {
    const { app, logged } = createTestApp({ handle: () => Promise.reject(new Error('secret of the inside')) });
    const answer = await post(app, GOOD_BODY);
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({
      code: 'internal_error',
      retryable: true,
      request_id: answer.headers['request-id'],
    });
    expect(answer.text).not.toContain('secret of the inside');
    expect(answer.text).not.toContain('pipeline');
    const line = logged.find((text) => text.includes('secret of the inside'));
    expect(line).toContain(answer.headers['request-id']);
  });

  test('to an unreachable database ask the client to retry', async () => {
    const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
    const { app } = createTestApp({ handle: () => Promise.reject(away) });
    const answer = await post(app, GOOD_BODY);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.body).toMatchObject({ code: 'service_unavailable', retryable: true });
  });

  test('amounts in a problem have all their digits', async () => {
    const facts = { available: 9_223_372_036_854_775_807n, status: 'not this one' };
    const { app } = createTestApp({ handle: () => Promise.reject(new ApiError('insufficient_funds', { facts })) });
    const answer = await post(app, GOOD_BODY);
    expect(answer.text).toContain('"available":9223372036854775807');
    expect(answer.body.status).toBe(422);
  });

  test('that were stored are sent unchanged and marked as replayed', async () => {
    const { app } = createTestApp({ handle: async () => ({ status: 202, text: '{"id" : 1}', replayed: true }) });
    const answer = await post(app, GOOD_BODY);
    expect(answer.status).toBe(202);
    expect(answer.text).toBe('{"id" : 1}');
    expect(answer.headers['idempotent-replayed']).toBe('true');
  });
});

describe('keys', () => {
  test.each`
    authorization                    | status | code
    ${undefined}                     | ${401} | ${'api_key_missing'}
    ${''}                            | ${401} | ${'api_key_missing'}
    ${'Basic c2s6'}                  | ${401} | ${'api_key_missing'}
    ${'Bearer'}                      | ${401} | ${'api_key_missing'}
    ${'Bearer  '}                    | ${401} | ${'api_key_missing'}
    ${'Bearer sk_test_other'}        | ${401} | ${'api_key_invalid'}
    ${`Bearer ${'x'.repeat(5_000)}`} | ${401} | ${'api_key_invalid'}
    ${`bearer ${KEYS.test}`}         | ${200} | ${undefined}
  `('Authorization: $authorization is answered with $status $code', async ({ authorization, status, code }) => {
    const { app } = createTestApp();
    const asked = request(app).get('/v1/things');
    if (authorization !== undefined) asked.set('Authorization', authorization);
    const answer = await asked;
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(code);
    if (status === 401) expect(answer.body.param).toBe('Authorization');
    if (status === 401) expect(answer.headers['www-authenticate']).toContain('Bearer');
  });

  test('without the scope are refused, and the scope is named', async () => {
    const { app, handled } = createTestApp();
    const answer = await post(app, GOOD_BODY, { Authorization: `Bearer ${KEYS.narrow}` });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ code: 'permission_denied', required_scope: 'payouts:write' });
    expect((await get(app, '/v1/things', KEYS.narrow)).status).toBe(200);
    expect(handled).toHaveLength(1);
  });

  test('of live books cannot simulate', async () => {
    const { app } = createTestApp();
    const simulate = (key: string) => request(app).post('/v1/simulations/things').set('Authorization', `Bearer ${key}`);
    expect((await simulate(KEYS.live)).body.code).toBe('test_mode_only');
    // No scope would help it.
    expect((await simulate(KEYS.narrowLive)).body.code).toBe('test_mode_only');
    expect((await simulate(KEYS.narrow)).body.code).toBe('permission_denied');
    expect((await simulate(KEYS.test)).status).toBe(200);
  });

  test('that are wrong too often block the address, except for keys that worked before', async () => {
    const { app } = createTestApp();
    expect((await get(app, '/v1/things')).status).toBe(200);
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 70; attempt++)
      statuses.add((await get(app, '/v1/things', `sk_test_wrong${attempt}`)).status);
    expect([...statuses]).toEqual([401, 429]);
    const blocked = await get(app, '/v1/things', KEYS.narrow);
    expect(blocked.status).toBe(429);
    expect(Number(blocked.headers['retry-after'])).toBeGreaterThan(0);
    expect((await get(app, '/v1/things')).status).toBe(200);
  });

  test('are never logged', async () => {
    const { app, logged } = createTestApp();
    await post(app, GOOD_BODY);
    await get(app, `/v1/${KEYS.test}?key=${KEYS.test}`);
    expect(logged.join('')).not.toContain(KEYS.test);
    expect(logged.join('')).toContain('sk_test_[redacted]');
  });
});

describe('limits', () => {
  test('a key with two writes a second gets two, then 429 with Retry-After', async () => {
    const second = new HeldSecond();
    const { app, handled } = createTestApp({ limiter: second.limiter });
    const answers = await second.during(() =>
      Promise.all(Array.from({ length: 5 }, () => post(app, GOOD_BODY, { Authorization: `Bearer ${KEYS.slow}` }))),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(3);
    expect(refused[0]!.body).toMatchObject({ code: 'rate_limited', retryable: true, limit: 2 });
    expect(refused[0]!.headers['retry-after']).toBe('1');
    expect(refused[0]!.headers.ratelimit).toBe('"writes";r=0;t=1');
    expect(handled).toHaveLength(2);
    expect((await get(app, '/v1/things', KEYS.slow)).headers['ratelimit-policy']).toBe('"reads";q=400;w=1');
  });
});

describe('bodies', () => {
  test.each`
    type                                   | status
    ${'application/json'}                  | ${200}
    ${'application/json; charset=utf-8'}   | ${200}
    ${'Application/JSON;charset="UTF-8"'}  | ${200}
    ${'application/json; charset=latin1'}  | ${415}
    ${'application/problem+json'}          | ${415}
    ${'text/plain'}                        | ${415}
    ${'application/x-www-form-urlencoded'} | ${415}
  `('of type $type are answered with $status', async ({ type, status }) => {
    const { app } = createTestApp();
    const answer = await post(app, GOOD_BODY, { 'Content-Type': type });
    expect(answer.status).toBe(status);
    if (status === 415) expect(answer.body).toMatchObject({ code: 'unsupported_media_type', param: 'Content-Type' });
  });

  test('that are compressed are refused', async () => {
    const { app } = createTestApp();
    const answer = await post(app, GOOD_BODY, { 'Content-Encoding': 'gzip' });
    expect(answer.body).toMatchObject({ status: 415, code: 'unsupported_media_type', param: 'Content-Encoding' });
  });

  test('of a megabyte are read, larger ones are refused with the limit', async () => {
    const { app } = createTestApp();
    const padded = (bytes: number) => JSON.stringify(GOOD_BODY).padEnd(bytes);
    expect((await post(app, padded(1_048_576))).status).toBe(200);
    const answer = await post(app, padded(1_048_577));
    expect(answer.body).toMatchObject({ status: 413, code: 'payload_too_large', limit: 1_048_576 });
  });

  test('without a length are refused once they are too large', async () => {
    const { app } = createTestApp();
    const asked = request(app)
      .post('/v1/things')
      .set({
        Authorization: `Bearer ${KEYS.test}`,
        'Content-Type': 'application/json',
        'Transfer-Encoding': 'chunked',
      });
    for (let part = 0; part < 40; part++) asked.write(' '.repeat(64 * 1024));
    expect((await asked).body).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  test('that are not UTF-8 are not JSON', async () => {
    const { app } = createTestApp();
    const answer = await request(app)
      .post('/v1/things')
      .set({ Authorization: `Bearer ${KEYS.test}`, 'Content-Type': 'application/json' })
      .serialize((bytes) => bytes as unknown as string)
      .send(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect(answer.body).toMatchObject({ status: 400, code: 'malformed_json' });
  });

  test('that are missing are refused with the missing fields', async () => {
    const { app } = createTestApp();
    const answer = await request(app)
      .post('/v1/things')
      .set({ Authorization: `Bearer ${KEYS.test}`, 'Idempotency-Key': 'k' });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ code, param }: { code: string; param: string }) => [code, param])).toEqual([
      ['parameter_missing', '/amount'],
      ['parameter_missing', '/currency'],
      ['parameter_missing', '/target'],
    ]);
  });

  test('all field errors of body, query and headers are listed at once, those of 400 first', async () => {
    const { app, handled } = createTestApp();
    const answer = await request(app)
      .post('/v1/things?verbose=1&limit=%zz')
      .set({ Authorization: `Bearer ${KEYS.test}`, 'Content-Type': 'application/json' })
      .send(
        '{"amount":0,"limit":1.5,"currency":"jod","target":{"type":"alias","alias":7,"more":1},"metadata":{"a/b":1},"x":1}',
      );
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ code, param }: { code: string; param: string }) => [code, param])).toEqual([
      ['amount_not_integer', '/limit'],
      ['currency_unsupported', '/currency'],
      ['parameter_invalid', '/target/alias'],
      ['parameter_unknown', '/target/more'],
      ['parameter_invalid', '/metadata/a~1b'],
      ['parameter_unknown', '/x'],
      ['parameter_invalid', 'limit'],
      ['parameter_unknown', 'verbose'],
      ['idempotency_key_missing', 'Idempotency-Key'],
      ['amount_below_minimum', '/amount'],
    ]);
    expect(answer.body).toMatchObject({ code: 'amount_not_integer', param: '/limit' });
    expect(answer.body).not.toHaveProperty('limit');
    expect(handled).toHaveLength(0);
  });

  test.each`
    target                                   | code                   | pointer
    ${'"x"'}                                 | ${'parameter_invalid'} | ${'/target'}
    ${'null'}                                | ${'parameter_invalid'} | ${'/target'}
    ${'1.5'}                                 | ${'parameter_invalid'} | ${'/target'}
    ${'{}'}                                  | ${'parameter_missing'} | ${'/target/type'}
    ${'{"type":"iban"}'}                     | ${'parameter_invalid'} | ${'/target/type'}
    ${'{"type":"account"}'}                  | ${'parameter_missing'} | ${'/target/account'}
    ${'{"type":"account","account":"po_1"}'} | ${'parameter_invalid'} | ${'/target/account'}
    ${'{"type":"alias","alias":1.25}'}       | ${'parameter_invalid'} | ${'/target/alias'}
  `('a target of $target is refused at $pointer', async ({ target, code, pointer }) => {
    const { app } = createTestApp();
    const answer = await post(app, `{"amount":1,"currency":"JOD","target":${target}}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body).toMatchObject({ code, param: pointer });
  });

  test('metadata limits count characters', async () => {
    const { app } = createTestApp();
    const answer = async (metadata: Record<string, string>) => (await post(app, { ...GOOD_BODY, metadata })).body;
    expect((await answer({ ['😀'.repeat(40)]: '😀'.repeat(500), empty: '' })).received.metadata).toHaveProperty(
      'empty',
    );
    expect((await answer({ ['k'.repeat(41)]: '' })).param).toBe(`/metadata/${'k'.repeat(41)}`);
    expect((await answer({ '': 'x' })).param).toBe('/metadata/');
    expect((await answer({ k: 'v'.repeat(501) })).param).toBe('/metadata/k');
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']));
    expect((await answer(many)).param).toBe('/metadata');
  });
});

describe('paths and methods', () => {
  test.each`
    method      | path                    | status | code
    ${'get'}    | ${'/v1/nothing'}        | ${404} | ${'route_not_found'}
    ${'get'}    | ${'/nothing'}           | ${404} | ${'route_not_found'}
    ${'post'}   | ${'/'}                  | ${405} | ${'method_not_allowed'}
    ${'get'}    | ${'/v1/things/'}        | ${404} | ${'route_not_found'}
    ${'get'}    | ${'/V1/things'}         | ${404} | ${'route_not_found'}
    ${'get'}    | ${'/v1/things/%zz'}     | ${400} | ${'parameter_invalid'}
    ${'get'}    | ${'/v1/things/%00'}     | ${404} | ${'resource_not_found'}
    ${'get'}    | ${'/v1/things/po_1'}    | ${404} | ${'resource_not_found'}
    ${'get'}    | ${'/v1/things/..%2f..'} | ${404} | ${'resource_not_found'}
    ${'delete'} | ${'/v1/things'}         | ${405} | ${'method_not_allowed'}
    ${'put'}    | ${'/v1/things'}         | ${405} | ${'method_not_allowed'}
    ${'post'}   | ${'/livez'}             | ${405} | ${'method_not_allowed'}
  `('$method $path is answered with $status $code', async ({ method, path, status, code }) => {
    const { app } = createTestApp();
    const answer = await request(app)[method as 'get'](path).set('Authorization', `Bearer ${KEYS.test}`);
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(code);
    expect(answer.headers['request-id']).toMatch(/^req_/);
  });

  test.each`
    method    | path                            | detail
    ${'get'}  | ${'/v1/thing'}                  | ${'There is no GET /v1/thing. The nearest route is GET /v1/things.'}
    ${'post'} | ${'/v1/Things'}                 | ${'There is no POST /v1/Things. The nearest route is POST /v1/things.'}
    ${'get'}  | ${'/v1/things/?x=1'}            | ${'There is no GET /v1/things/. The nearest route is GET /v1/things.'}
    ${'get'}  | ${'/things/po_1'}               | ${'There is no GET /things/po_1. The nearest route is GET /v1/things/{id}.'}
    ${'post'} | ${'/v1/thigns/po_1/act'}        | ${'There is no POST /v1/thigns/po_1/act. The nearest route is POST /v1/things/{id}/act.'}
    ${'get'}  | ${'/v1/things/po_1/atc'}        | ${'There is no GET /v1/things/po_1/atc. The nearest route is POST /v1/things/{id}/act.'}
    ${'post'} | ${'/v1/act'}                    | ${'There is no POST /v1/act. The nearest route is POST /v1/things/{id}/act.'}
    ${'post'} | ${'/v1/x/things/po_1/act'}      | ${'There is no POST /v1/x/things/po_1/act. The nearest route is POST /v1/things/{id}/act.'}
    ${'get'}  | ${'/v1/a/b/c/d/act'}            | ${'There is no GET /v1/a/b/c/d/act.'}
    ${'get'}  | ${'/v1/a/b/act'}                | ${'There is no GET /v1/a/b/act.'}
    ${'get'}  | ${'/v1/nothing-like-it'}        | ${'There is no GET /v1/nothing-like-it.'}
    ${'get'}  | ${`/v1/${'x'.repeat(2_000)}`}   | ${`There is no GET /v1/${'x'.repeat(196)}.`}
    ${'get'}  | ${'/v1/cards/4111111111111111'} | ${'There is no GET /v1/cards/[card number].'}
  `('$method $path names its path and the nearest route', async ({ method, path, detail }) => {
    const { app } = createTestApp();
    const answer = await request(app)[method as 'get'](path);
    expect(answer.body).toMatchObject({ status: 404, code: 'route_not_found', detail });
  });

  test('a text that is no id says which prefix is expected', async () => {
    const { app } = createTestApp();
    const detail = 'Expects an id with the prefix po_, such as po_01k5c2r3v8e9m0x6y7z4a1b2cd.';
    for (const id of ['po_1', 'acct_01k5c2r3v8e9m0x6y7z4a1b2cd', 'PO_01K5C2R3V8E9M0X6Y7Z4A1B2CD']) {
      const answer = await request(app).get(`/v1/things/${id}`).set('Authorization', `Bearer ${KEYS.test}`);
      expect(answer.body).toMatchObject({ status: 404, code: 'resource_not_found', param: 'id', detail });
    }
    const body = { ...GOOD_BODY, target: { type: 'account', account: 'po_01k5c2r3v8e9m0x6y7z4a1b2cd' } };
    const refused = (await post(app, body)).body;
    expect(refused).toMatchObject({ status: 400, code: 'parameter_invalid', param: '/target/account' });
    expect(refused.detail).toBe('Expects an id with the prefix acct_, such as acct_01k5c2r3v8e9m0x6y7z4a1b2cd.');
  });

  test('an unknown name is answered with the names of its alternative', async () => {
    const { app } = createTestApp();
    const answer = await post(app, { ...GOOD_BODY, target: { type: 'alias', alais: 'X' } });
    expect(answer.body.errors).toContainEqual({
      code: 'parameter_unknown',
      param: '/target/alais',
      detail: 'Not known here. Did you mean alias? Known: type, alias.',
    });
  });

  test('405 and OPTIONS list the allowed methods', async () => {
    const { app } = createTestApp();
    expect((await request(app).put('/v1/things')).headers.allow).toBe('POST, GET, HEAD, OPTIONS');
    const options = await request(app).options('/v1/things');
    expect(options.status).toBe(204);
    expect(options.headers.allow).toBe('POST, GET, HEAD, OPTIONS');
    expect(options.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('HEAD is GET without the body', async () => {
    const { app } = createTestApp();
    const [head, full] = [
      await request(app).head('/v1/things').set('Authorization', `Bearer ${KEYS.test}`),
      await get(app, '/v1/things'),
    ];
    expect(head.status).toBe(200);
    expect(head.text).toBeUndefined();
    expect(head.headers['content-length']).toBe(full.headers['content-length']);
  });

  test('a public id reaches the handler as a UUID', async () => {
    const { app, handled } = createTestApp();
    const id = newId();
    expect((await get(app, `/v1/things/${publicId('payout', id)}`)).status).toBe(200);
    expect(handled[0]!.params).toEqual({ id });
  });
});

describe('product headers', () => {
  test('If-Match and Prefer reach the handler; Preference-Applied confirms a wait', async () => {
    const { app, handled } = createTestApp();
    await request(app)
      .post(`${THING}/act`)
      .set({ Authorization: `Bearer ${KEYS.test}`, 'If-Match': '"7"' });
    expect(handled[0]!.ifMatch).toBe(7);
    const answer = await post(app, GOOD_BODY, { Prefer: 'wait=99' });
    expect(handled[1]!.waitSeconds).toBe(30);
    expect(answer.headers['preference-applied']).toBe('wait=30');
  });

  test('an invalid If-Match is refused by name', async () => {
    const { app } = createTestApp();
    const answer = await request(app)
      .post(`${THING}/act`)
      .set({ Authorization: `Bearer ${KEYS.test}`, 'If-Match': 'W/"7"' });
    expect(answer.body).toMatchObject({ status: 400, code: 'parameter_invalid', param: 'If-Match' });
  });

  test('the fingerprint does not depend on how the body is formatted', async () => {
    const { app, handled } = createTestApp();
    await post(app, '{"amount":5124,"currency":"JOD","target":{"type":"alias","alias":"A"}}');
    await post(app, '{ "target": {"alias":"\\u0041","type":"alias"}, "currency":"JOD", "amount": 5.124e3 }');
    await post(app, '{"amount":5125,"currency":"JOD","target":{"type":"alias","alias":"A"}}');
    const [first, second, third] = handled.map(({ fingerprint }) => fingerprint().toString('hex'));
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });
});

describe('operations', () => {
  test('the process is alive, and not ready without a database', async () => {
    const { app } = createTestApp();
    expect((await request(app).get('/livez')).body).toEqual({ status: 'ok' });
    const ready = await request(app).get('/readyz');
    expect(ready.status).toBe(503);
    expect(ready.body).toEqual({ status: 'unavailable', postgres: 'unreachable', draining: false });
    const metrics = await request(app).get('/metrics');
    expect(metrics.text).toBe('requests_total 1\n');
  });
});
