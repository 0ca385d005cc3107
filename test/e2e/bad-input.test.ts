/**
 * Invalid requests of integrators and attackers. Each answer is a problem that names the field, never a 5xx, and
 * nothing is written.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account, Client, Problem } from '../../scripts/harness/client.ts';
import type { Pool } from '../../src/db/pool.ts';
import { newId, publicId } from '../../src/values/ids.ts';
import { lookInto, type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

let product: Product;
let database: Pool;
let keys: OrganisationKeys;
let client: Client;
let account: Account;
/** An account of another organisation. */
let foreign: Account;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [] });
  database = lookInto(product.database);
  ({ keys, client } = await product.organisation());
  account = await client.openAccount();
  foreign = await (await product.organisation()).client.openAccount();
});

afterAll(async () => {
  await database?.end();
  await product?.close();
});

/** Everything that a request may write in the book, except stored refusals. */
async function written(): Promise<unknown> {
  const tables = [
    'accounts',
    'account_profiles',
    'holds',
    'hold_steps',
    'payouts',
    'entries',
    'postings',
    'events',
    'inbound_transfers',
    'webhook_endpoints',
    'metadata_index',
  ];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE book_id = $1) AS ${table}`);
  const { rows } = await database.query(
    `SELECT ${counts.join(', ')}, (SELECT sum(posted_credits + held_debits) FROM accounts WHERE book_id = $1) AS money,
      entry_sequence, event_sequence FROM books WHERE id = $1`,
    [keys.testBookId],
  );
  return rows[0];
}

let before: unknown;
beforeEach(async () => {
  before = await written();
});
afterEach(async () => {
  expect(await written()).toEqual(before);
});

const GOOD = { amount: 1000, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } };

async function refused(
  body: unknown,
  headers: Record<string, string> = {},
  path = '/v1/payouts',
): Promise<Problem & Record<string, unknown>> {
  const rawBody = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const answer = await client.send<Problem>('POST', path, { rawBody, headers });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.body.status).toBe(answer.status);
  expect(answer.body.request_id).toBe(answer.headers['request-id']);
  return answer.body;
}

const fieldErrorsOf = ({ errors }: Problem) => errors.map(({ code, param }) => `${code} ${param ?? ''}`);

describe('amounts', () => {
  test.each`
    amount                       | status | code
    ${'0'}                       | ${422} | ${'amount_below_minimum'}
    ${'-1'}                      | ${422} | ${'amount_below_minimum'}
    ${'-9007199254740993'}       | ${422} | ${'amount_below_minimum'}
    ${'9007199254740992'}        | ${422} | ${'amount_above_maximum'}
    ${'1e400'}                   | ${422} | ${'amount_above_maximum'}
    ${'10.5'}                    | ${400} | ${'amount_not_integer'}
    ${'100.0000000000000000001'} | ${400} | ${'amount_not_integer'}
    ${'1e-5'}                    | ${400} | ${'amount_not_integer'}
    ${'"100"'}                   | ${400} | ${'amount_not_integer'}
    ${'null'}                    | ${400} | ${'amount_not_integer'}
    ${'true'}                    | ${400} | ${'amount_not_integer'}
    ${'{}'}                      | ${400} | ${'amount_not_integer'}
    ${'[1]'}                     | ${400} | ${'amount_not_integer'}
  `('an amount of $amount is $code', async ({ amount, status, code }) => {
    const problem = await refused(
      `{"amount":${amount},"currency":"JOD","destination":{"type":"cliq","alias":"SHOP1"}}`,
    );
    expect(problem).toMatchObject({ status, code, param: '/amount' });
  });

  test('the limits are members of the problem', async () => {
    expect((await refused({ ...GOOD, amount: 0 })).limit).toBe(1);
    expect((await refused({ ...GOOD, amount: 2 ** 53 })).limit).toBe(9_007_199_254_740_991);
  });

  test('an amount above the available balance is refused with the available and the required amount', async () => {
    const problem = await refused({ ...GOOD, account: account.id, amount: 1_000_000 });
    expect(problem).toMatchObject({
      status: 422,
      code: 'insufficient_funds',
      available: 1_000_000,
      required: 1_005_000,
    });
  });

  test('the largest amount of a request is refused for funds, not for its size', async () => {
    const problem = await refused(
      `{"amount":9007199254740991,"currency":"JOD","destination":{"type":"cliq","alias":"A"}}`,
    );
    expect(problem.code).toBe('insufficient_funds');
    expect(problem.required).toBe(9_007_199_254_740_991 + 45_035_996_273_705);
  });
});

describe('fields', () => {
  test.each`
    change                                                       | status | fault
    ${{ currency: 'XXX' }}                                       | ${400} | ${'currency_unsupported /currency'}
    ${{ currency: 'jod' }}                                       | ${400} | ${'currency_unsupported /currency'}
    ${{ currency: '' }}                                          | ${400} | ${'currency_unsupported /currency'}
    ${{ currency: 7 }}                                           | ${400} | ${'parameter_invalid /currency'}
    ${{ currency: undefined }}                                   | ${400} | ${'parameter_missing /currency'}
    ${{ destination: undefined }}                                | ${400} | ${'parameter_missing /destination'}
    ${{ destination: null }}                                     | ${400} | ${'parameter_invalid /destination'}
    ${{ destination: [] }}                                       | ${400} | ${'parameter_invalid /destination'}
    ${{ destination: {} }}                                       | ${400} | ${'parameter_missing /destination/type'}
    ${{ destination: { type: 'cash' } }}                         | ${400} | ${'parameter_invalid /destination/type'}
    ${{ destination: { type: 'cliq' } }}                         | ${400} | ${'parameter_missing /destination/alias'}
    ${{ destination: { type: 'cliq', alias: '' } }}              | ${400} | ${'parameter_invalid /destination/alias'}
    ${{ destination: { type: 'cliq', alias: 'x'.repeat(101) } }} | ${400} | ${'parameter_invalid /destination/alias'}
    ${{ destination: { type: 'cliq', alias: 'A', iban: 'X' } }}  | ${400} | ${'parameter_unknown /destination/iban'}
    ${{ destination: { type: 'account', account: 'x' } }}        | ${400} | ${'parameter_invalid /destination/account'}
    ${{ account: 'acct_nothing' }}                               | ${400} | ${'parameter_invalid /account'}
    ${{ account: 5 }}                                            | ${400} | ${'parameter_invalid /account'}
    ${{ description: '' }}                                       | ${400} | ${'parameter_invalid /description'}
    ${{ description: 'x'.repeat(501) }}                          | ${400} | ${'parameter_invalid /description'}
    ${{ external_id: 'x'.repeat(256) }}                          | ${400} | ${'parameter_invalid /external_id'}
    ${{ metadata: 'x' }}                                         | ${400} | ${'parameter_invalid /metadata'}
    ${{ metadata: { a: 1 } }}                                    | ${400} | ${'parameter_invalid /metadata/a'}
    ${{ metadata: { a: null } }}                                 | ${400} | ${'parameter_invalid /metadata/a'}
    ${{ metadata: { 'a/b~c': {} } }}                             | ${400} | ${'parameter_invalid /metadata/a~1b~0c'}
    ${{ scheduled_for: '2026-01-01' }}                           | ${400} | ${'parameter_invalid /scheduled_for'}
    ${{ amonut: 5 }}                                             | ${400} | ${'parameter_unknown /amonut'}
  `('$change is refused: $fault', async ({ change, status, fault }) => {
    const problem = await refused({ ...GOOD, ...change });
    expect(problem.status).toBe(status);
    expect(fieldErrorsOf(problem)).toEqual([fault]);
  });

  test('all field errors are listed at once', async () => {
    const problem = await refused(
      '{"amount":1.5,"currency":"ABC","destination":{"type":"cliq","alias":1},"more":true}',
    );
    expect(fieldErrorsOf(problem)).toEqual([
      'amount_not_integer /amount',
      'currency_unsupported /currency',
      'parameter_invalid /destination/alias',
      'parameter_unknown /more',
    ]);
  });
});

describe('unknown, foreign and unavailable objects', () => {
  const unknown = publicId('account', newId());

  test('an unknown account and one of another book get the same answer', async () => {
    for (const id of [unknown, foreign.id]) {
      expect(await refused({ ...GOOD, account: id })).toMatchObject({
        status: 404,
        code: 'resource_not_found',
        param: '/account',
      });
      const destination = { type: 'account', account: id };
      expect(await refused({ ...GOOD, destination })).toMatchObject({
        status: 404,
        code: 'resource_not_found',
        param: '/destination/account',
      });
      expect(
        await refused({ account: id, amount: 1, currency: 'JOD' }, {}, '/v1/simulations/inbound_transfers'),
      ).toMatchObject({ status: 404, param: '/account' });
    }
  });

  test('a hold of another account gets the same answer as one that never was', async () => {
    const body = { amount: 1 };
    const placed = await client.post<{ id: string }>(`/v1/accounts/${account.id}/holds`, body);
    const other = await client.openAccount();
    before = await written();
    for (const hold of [placed.body.id, publicId('hold', newId())]) {
      const path = `/v1/accounts/${other.id}/holds/${hold}`;
      for (const answer of [
        await client.send<Problem>('GET', path),
        await client.send<Problem>('GET', `${path}/timeline`),
        await client.post<Problem>(`${path}/release`, {}),
        await client.post<Problem>(`${path}/increase`, { amount: 2 }),
      ])
        expect(answer.body).toMatchObject({
          code: 'resource_not_found',
          param: 'hold',
          detail: 'This account has no hold with that id.',
        });
    }
  });

  test('an account of the chart is not an account of the API', async () => {
    const { rows } = await database.query("SELECT id FROM accounts WHERE book_id = $1 AND code = 'pool'", [
      keys.testBookId,
    ]);
    const pool = publicId('account', rows[0].id);
    expect(await refused({ ...GOOD, account: pool })).toMatchObject({ status: 404, param: '/account' });
    expect((await client.get(`/v1/accounts/${pool}`)).status).toBe(404);
    expect((await client.post(`/v1/accounts/${pool}/freeze`)).status).toBe(404);
  });

  test("a currency without a default account, and a currency other than the account's", async () => {
    expect(await refused({ ...GOOD, currency: 'KWD' })).toMatchObject({
      status: 404,
      code: 'resource_not_found',
      param: '/account',
    });
    expect(await refused({ ...GOOD, currency: 'KWD', account: account.id })).toMatchObject({
      status: 422,
      code: 'currency_mismatch',
      param: '/currency',
      account_currency: 'JOD',
    });
  });

  test('an account cannot pay itself', async () => {
    const destination = { type: 'account', account: account.id };
    expect(await refused({ ...GOOD, destination })).toMatchObject({
      status: 422,
      code: 'destination_invalid',
      param: '/destination/account',
    });
  });
});

describe('closed and frozen accounts', () => {
  let frozen: string;
  let closed: string;

  beforeAll(async () => {
    frozen = (await client.openAccount({ funds: 5_000 })).id;
    closed = (await client.openAccount({ funds: 0 })).id;
    expect((await client.post(`/v1/accounts/${frozen}/freeze`)).status).toBe(200);
    expect((await client.post(`/v1/accounts/${closed}/close`)).status).toBe(200);
  });

  test('neither pay out nor receive', async () => {
    expect(await refused({ ...GOOD, account: frozen })).toMatchObject({
      status: 422,
      code: 'account_frozen',
      param: '/account',
    });
    expect(await refused({ ...GOOD, account: closed })).toMatchObject({
      status: 422,
      code: 'account_closed',
      param: '/account',
    });
    const destination = { type: 'account', account: closed };
    expect(await refused({ ...GOOD, account: account.id, destination })).toMatchObject({
      code: 'account_closed',
      param: '/destination/account',
    });
    expect(
      await refused({ account: closed, amount: 1, currency: 'JOD' }, {}, '/v1/simulations/inbound_transfers'),
    ).toMatchObject({ code: 'account_closed' });
  });

  test('that are closed refuse every action', async () => {
    for (const action of ['freeze', 'unfreeze', 'close']) {
      const answer = await client.post<Problem>(`/v1/accounts/${closed}/${action}`);
      expect(answer.body).toMatchObject({
        status: 409,
        code: 'state_conflict',
        current_status: 'closed',
        allowed_actions: [],
      });
    }
  });

  test('with a balance are not closed, and the answer lists what blocks it', async () => {
    const answer = await client.post<Problem>(`/v1/accounts/${frozen}/close`);
    expect(answer.body).toMatchObject({
      status: 409,
      code: 'account_not_empty',
      blocked_by: [{ type: 'balance', posted: 5_000, currency: 'JOD' }],
    });
  });
});

describe('bodies', () => {
  test.each`
    what                              | body                                                                                | code                   | param
    ${'nothing but an opening'}       | ${'{'}                                                                              | ${'malformed_json'}    | ${''}
    ${'a comma too many'}             | ${'{"amount":1,}'}                                                                  | ${'malformed_json'}    | ${''}
    ${'JSON twice'}                   | ${'{}{}'}                                                                           | ${'malformed_json'}    | ${''}
    ${'white space'}                  | ${' '}                                                                              | ${'malformed_json'}    | ${''}
    ${'a list'}                       | ${'[{"amount":1}]'}                                                                 | ${'parameter_invalid'} | ${''}
    ${'a text'}                       | ${'"pay"'}                                                                          | ${'parameter_invalid'} | ${''}
    ${'null'}                         | ${'null'}                                                                           | ${'parameter_invalid'} | ${''}
    ${'bytes that are no UTF-8'}      | ${Buffer.from('{"amount":1,"currency":"\xe9\xff"}', 'latin1')}                      | ${'malformed_json'}    | ${''}
    ${'NUL in a text'}                | ${JSON.stringify({ ...GOOD, description: 'a\u0000b' })}                             | ${'parameter_invalid'} | ${'/description'}
    ${'NUL in a name'}                | ${JSON.stringify({ ...GOOD, metadata: { 'a\u0000': 'b' } })}                        | ${'parameter_invalid'} | ${'/metadata/a\u0000'}
    ${'half a surrogate'}             | ${`{"description":"\\ud83d","x":1}`}                                                | ${'parameter_invalid'} | ${'/description'}
    ${'half a surrogate in an alias'} | ${`{"amount":1,"currency":"JOD","destination":{"type":"cliq","alias":"A\\udc00"}}`} | ${'parameter_invalid'} | ${'/destination/alias'}
    ${'a raw NUL'}                    | ${'{"description":"\u0000"}'}                                                       | ${'malformed_json'}    | ${''}
    ${'__proto__'}                    | ${'{"__proto__":{"amount":1}}'}                                                     | ${'parameter_unknown'} | ${'/__proto__'}
    ${'constructor'}                  | ${JSON.stringify({ ...GOOD, constructor: { prototype: 1 } })}                       | ${'parameter_unknown'} | ${'/constructor'}
    ${'deep nesting'}                 | ${`{"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`}                      | ${'parameter_invalid'} | ${`/metadata${'/0'.repeat(31)}`}
    ${'deep nesting without an end'}  | ${`{"metadata":${'{"a":'.repeat(50_000)}`}                                          | ${'parameter_invalid'} | ${`/metadata${'/a'.repeat(31)}`}
  `('of $what are refused', async ({ body, code, param }) => {
    expect(await refused(body)).toMatchObject({ status: 400, code, param });
  });

  test('with bad characters and other field errors list all of them', async () => {
    const problem = await refused({ ...GOOD, amount: 0, description: 'a\u0000b', metadata: { key: '\ud800' }, x: 1 });
    expect(problem.errors.map(({ param }) => param).sort()).toEqual(['/amount', '/description', '/metadata/key', '/x']);
  });

  test('of a megabyte are read, larger ones are refused', async () => {
    const filler = (bytes: number) => JSON.stringify({ ...GOOD, description: 'x'.repeat(bytes) });
    expect(await refused(filler(1_048_000))).toMatchObject({ status: 400, param: '/description' });
    expect(await refused(filler(1_100_000))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      limit: 1_048_576,
    });
    expect(await refused(filler(8_000_000))).toMatchObject({ status: 413 });
  });

  test('with many unknown members list a hundred of them, or are refused before validation', async () => {
    const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [`field${index}`, index]));
    const problem = await refused({ ...GOOD, ...many(900) });
    expect(problem.code).toBe('parameter_unknown');
    expect(problem.errors).toHaveLength(100);
    expect(await refused({ ...GOOD, ...many(50_000) })).toMatchObject({
      status: 400,
      code: 'parameter_invalid',
      param: '/field995',
      limit: 1_000,
    });
  });

  test('with a repeated member are refused with its pointer', async () => {
    const body = `{"amount":1,"currency":"JOD","destination":{"type":"cliq","alias":"A","alias":"B"}}`;
    expect(await refused(body)).toMatchObject({ status: 400, code: 'malformed_json', param: '/destination/alias' });
  });

  test('of another type, or compressed, are not read', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
    ]) {
      expect(await refused(GOOD, { 'content-type': type })).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
        param: 'Content-Type',
      });
    }
    expect(await refused(GOOD, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 415,
      param: 'Content-Encoding',
    });
  });
});

describe('headers', () => {
  test.each`
    key                | code
    ${null}            | ${'idempotency_key_missing'}
    ${''}              | ${'idempotency_key_invalid'}
    ${'x'.repeat(300)} | ${'idempotency_key_invalid'}
    ${'two words'}     | ${'idempotency_key_invalid'}
    ${'clé'}           | ${'idempotency_key_invalid'}
  `('an Idempotency-Key of $key is $code', async ({ key, code }) => {
    for (const path of ['/v1/payouts', '/v1/simulations/inbound_transfers']) {
      const body = path === '/v1/payouts' ? GOOD : { account: account.id, amount: 1, currency: 'JOD' };
      const answer = await client.post(path, body, { idempotencyKey: key });
      expect(answer.body).toMatchObject({ status: 400, code, param: 'Idempotency-Key' });
    }
  });

  test.each([
    'sk_test_',
    'sk_test_0123456789',
    `sk_test_${'A'.repeat(32)}`,
    `sk_live_${'A'.repeat(32)}`,
    'x'.repeat(2_000),
  ])('a key of %s is refused', async (key) => {
    const answer = await product.client(key).requestPayout();
    expect(answer.status).toBe(401);
  });

  test('an invalid If-Match is named', async () => {
    const answer = await client.patch(
      `/v1/accounts/${account.id}`,
      { name: 'Other' },
      { headers: { 'if-match': 'latest' } },
    );
    expect(answer.body).toMatchObject({ status: 400, code: 'parameter_invalid', param: 'If-Match' });
  });

  test('a live key cannot simulate', async () => {
    const live = product.client(keys.liveKey);
    const answer = await live.post('/v1/simulations/inbound_transfers', {
      account: account.id,
      amount: 1,
      currency: 'JOD',
    });
    expect(answer.body).toMatchObject({ status: 403, code: 'test_mode_only' });
  });
});

describe('paths and queries', () => {
  test.each`
    path                                                                  | status | code                         | param
    ${'/v1/payouts/po_1'}                                                 | ${404} | ${'resource_not_found'}      | ${'id'}
    ${`/v1/payouts/${publicId('account', newId())}`}                      | ${404} | ${'resource_not_found'}      | ${'id'}
    ${`/v1/payouts/${publicId('payout', newId())}`}                       | ${404} | ${'resource_not_found'}      | ${'id'}
    ${`/v1/payouts/${publicId('payout', newId())}/timeline`}              | ${404} | ${'resource_not_found'}      | ${'id'}
    ${'/v1/payouts/%00'}                                                  | ${404} | ${'resource_not_found'}      | ${'id'}
    ${'/v1/payouts/%zz'}                                                  | ${400} | ${'parameter_invalid'}       | ${'path'}
    ${'/v1/payouts/%ED%A0%80'}                                            | ${400} | ${'parameter_invalid'}       | ${'path'}
    ${'/v1/payouts?limit=1000'}                                           | ${400} | ${'parameter_invalid'}       | ${'limit'}
    ${'/v1/payouts?limit=1&limit=2'}                                      | ${400} | ${'parameter_invalid'}       | ${'limit'}
    ${'/v1/payouts?limit[]=1'}                                            | ${400} | ${'parameter_invalid'}       | ${'limit'}
    ${'/v1/payouts?created_at=2026-03-01T00:00:00Z'}                      | ${400} | ${'parameter_invalid'}       | ${'created_at'}
    ${'/v1/payouts?__proto__=1'}                                          | ${400} | ${'parameter_unknown'}       | ${'__proto__'}
    ${'/v1/payouts?status=lost'}                                          | ${400} | ${'parameter_invalid'}       | ${'status'}
    ${'/v1/payouts?external_id=%00'}                                      | ${400} | ${'parameter_invalid'}       | ${'external_id'}
    ${'/v1/payouts?metadata[a]=%00'}                                      | ${400} | ${'parameter_invalid'}       | ${'metadata[a]'}
    ${'/v1/payouts?created_at[gte]=yesterday'}                            | ${400} | ${'parameter_invalid'}       | ${'created_at[gte]'}
    ${'/v1/payouts?starting_after=po_x'}                                  | ${400} | ${'cursor_invalid'}          | ${'starting_after'}
    ${'/v1/payouts?colour=red'}                                           | ${400} | ${'parameter_unknown'}       | ${'colour'}
    ${'/v1/payouts?dry_run=maybe'}                                        | ${400} | ${'parameter_unknown'}       | ${'dry_run'}
    ${`/v1/journal/entries?starting_after=${publicId('entry', newId())}`} | ${400} | ${'cursor_invalid'}          | ${'starting_after'}
    ${`/v1/events?ending_before=${publicId('event', newId())}`}           | ${400} | ${'cursor_invalid'}          | ${'ending_before'}
    ${'/v1/journal/entries?resource=po_x'}                                | ${400} | ${'parameter_invalid'}       | ${'resource'}
    ${'/v1/events?type=payout.lost'}                                      | ${400} | ${'parameter_invalid'}       | ${'type'}
    ${'/v1/accounts?currency=XXX'}                                        | ${400} | ${'currency_unsupported'}    | ${'currency'}
    ${`/v1/idempotency_keys/${'x'.repeat(300)}`}                          | ${400} | ${'idempotency_key_invalid'} | ${'key'}
    ${'/v1/idempotency_keys/two%20words'}                                 | ${400} | ${'idempotency_key_invalid'} | ${'key'}
    ${'/v1/idempotency_keys/never-seen'}                                  | ${404} | ${'resource_not_found'}      | ${'key'}
    ${'/v1/nothing'}                                                      | ${404} | ${'route_not_found'}         | ${undefined}
  `('GET $path is answered with $status $code', async ({ path, status, code, param }) => {
    const { body } = await client.get<Problem>(path);
    expect(body).toMatchObject({ status, code });
    expect(body.param).toBe(param);
  });

  test('a sequence number that the account does not have is an invalid cursor', async () => {
    for (const line of ['0', '999999999999999999', '99999999999999999999']) {
      for (const param of ['starting_after', 'ending_before']) {
        const { body } = await client.get<Problem>(`/v1/accounts/${account.id}/entries?${param}=${line}`);
        expect(body).toMatchObject({ status: 400, code: 'cursor_invalid', param });
      }
    }
  });

  test('the first and the last time of the calendar are accepted', async () => {
    for (const time of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '1969-12-31T23:59:59-12:00']) {
      for (const list of ['payouts', 'accounts', 'events']) {
        for (const bound of ['gte', 'lt']) {
          const { status } = await client.get(`/v1/${list}?created_at[${bound}]=${encodeURIComponent(time)}`);
          expect(`${list} ${bound} ${time} ${status}`).toBe(`${list} ${bound} ${time} 200`);
        }
      }
    }
  });
});

test("times outside the calendar or outside Postgres' range are refused by name", async () => {
  const times = [
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-14:00',
    '9999-12-31T23:59:59.999-00:01',
    '+275760-09-13T00:00:00Z',
    '275760-09-13T00:00:00.001Z',
    '-000001-01-01T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01',
    'infinity',
    '',
  ];
  const parameters = [
    ...['payouts', 'accounts', 'events'].flatMap((list) =>
      ['gte', 'lt'].map((bound) => ({ path: `/v1/${list}`, name: `created_at[${bound}]` })),
    ),
    { path: `/v1/accounts/${account.id}/balance`, name: 'at' },
  ];
  for (const time of times) {
    for (const { path, name } of parameters) {
      const answer = await client.get<Problem>(`${path}?${name}=${encodeURIComponent(time)}`);
      expect(`${name} ${time} ${answer.status} ${answer.body.code} ${answer.body.param}`).toBe(
        `${name} ${time} 400 parameter_invalid ${name}`,
      );
    }
  }
  for (const time of ['0001-01-01T00:00:00Z', '0001-01-01T12:00:00-12:00', '2026-01-01T00:00:00+14:00'])
    expect((await client.get(`/v1/accounts/${account.id}/balance?at=${encodeURIComponent(time)}`)).status).toBe(200);
});

test.each([
  ' ',
  '\u00a0\u3000',
  '\u200b\u2060',
  'A\tB',
  'A\u0085',
  'A\u007f',
  '\u202eABC',
  'A\u2066B',
  '\u200fA',
  '\u061cA',
  'A\u2028',
])('an alias with invisible or control characters is refused: %j', async (alias) => {
  expect(await refused({ ...GOOD, destination: { type: 'cliq', alias } })).toMatchObject({
    status: 400,
    code: 'parameter_invalid',
    param: '/destination/alias',
  });
});

test('the query form of an idempotency key refuses as the path form does', async () => {
  expect((await client.get('/v1/idempotency_keys?key=never-seen')).body).toMatchObject({ status: 404, param: 'key' });
  expect((await client.get('/v1/idempotency_keys')).body).toMatchObject({ code: 'parameter_missing', param: 'key' });
  expect((await client.get('/v1/idempotency_keys?key=two%20words')).body).toMatchObject({
    code: 'idempotency_key_invalid',
    param: 'key',
  });
});

test('webhook endpoints with a bad or forbidden URL are refused by name', async () => {
  const answerTo = async (body: unknown) => (await client.post<Problem>('/v1/webhooks', body)).body;
  expect(await answerTo({ url: 'ftp://example.com' })).toMatchObject({ status: 400, param: '/url' });
  expect(await answerTo({ url: 'not a url' })).toMatchObject({ status: 400, param: '/url' });
  expect(await answerTo({ url: 'https://user:pass@example.com/' })).toMatchObject({ status: 400, param: '/url' });
  expect(await answerTo({ url: `https://example.com/${'x'.repeat(3_000)}` })).toMatchObject({
    status: 400,
    param: '/url',
  });
  expect(await answerTo({ url: 'https://10.0.0.1/' })).toMatchObject({
    status: 422,
    code: 'webhook_url_forbidden',
    param: '/url',
  });
  expect(await answerTo({ url: 'https://169.254.169.254/latest' })).toMatchObject({ code: 'webhook_url_forbidden' });
  expect(await answerTo({ url: 'https://example.com', events: ['payout.lost'] })).toMatchObject({
    status: 400,
    param: '/events/0',
  });
  expect(await answerTo({ url: 'https://example.com', events: [] })).toMatchObject({ status: 400, param: '/events' });
  expect(await answerTo({ url: 'https://example.com', events: [1.5] })).toMatchObject({
    status: 400,
    param: '/events/0',
  });
});

test('an invalid request does not use up its key; a refused payout does', async () => {
  const key = randomUUID();
  const send = (body: unknown) => client.post<Problem>('/v1/payouts', body, { idempotencyKey: key });
  expect((await send({ ...GOOD, amount: 1.5 })).body.code).toBe('amount_not_integer');
  expect((await send({ ...GOOD, amount: 5_000_000 })).body.code).toBe('insufficient_funds');
  const again = await send({ ...GOOD, amount: 5_000_000 });
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect((await send({ ...GOOD, amount: 1_000 })).body.code).toBe('idempotency_key_reused');
});
