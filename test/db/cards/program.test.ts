/** The program over the API: defaults, changes, the secret of its endpoint, and who may see a card. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Event, type List, succeeded } from '../../../scripts/harness/client.ts';
import type * as schemas from '../../../src/cards/program/api/program-schemas.ts';
import { signingSecrets } from '../../../src/cards/program/program-secret.ts';
import { programs } from '../../../src/cards/program/program-table.ts';
import { publicId } from '../../../src/values/ids.ts';
import { makeCard, requestCard } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';
import { purchase } from '../../support/purchases.ts';

type Program = (typeof schemas.program)['_zod']['output'];

const PATH = '/v1/cards/program';
const URL = 'https://decisions.example/authorizations';

let product: Product;
let client: Client;
let keys: OrganisationKeys;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
  ({ client, keys } = await product.organisation());
});
afterAll(() => product?.close());

const read = (of = client) => of.read<Program>(PATH);
const update = (body: object, of = client, options: object = {}) => of.patch<Program>(PATH, body, options);
/** What signs now, in the clear. */
const secretsOf = async ({ testBookId }: OrganisationKeys) => {
  const { pool, secretBox, clock } = product.runtime;
  const own = (await programs.find(pool, testBookId, testBookId))!;
  return signingSecrets(own, clock.now()).map(({ sealed, place }) => secretBox.open(sealed, place));
};

describe('the program', () => {
  test('of a book that never changed it has the defaults', async () => {
    expect(await read()).toEqual({
      id: publicId('book', keys.testBookId),
      object: 'card_program',
      livemode: false,
      currencies: null,
      time_zone: 'UTC',
      time_zone_fixed: false,
      decision: null,
      previous_secret_until: null,
      tolerances: [
        { mccs: ['5812', '5813', '5814', '4121', '7230'], percent: 20 },
        { mccs: ['3501-3999', '7011', '3351-3500', '7512', '4411'], percent: 15 },
      ],
      expiry_days: { default: 7, lodging: 30, car_rental: 30, cruise: 30, fuel: 2 },
      fuel: [],
      fees: { cash: null, quasi_cash: null, foreign_currency: null },
      version: 1,
      updated_at: null,
    });
  });

  test('takes each member whole, and what is left out stays', async () => {
    const { client: own } = await product.organisation();
    const first = succeeded(
      await update(
        {
          time_zone: 'Asia/Amman',
          fees: { cash: { fixed: 500, basis_points: 150, maximum: 5_000 } },
          fuel: [{ currency: 'JOD', amount: 75_000, status_check_max: 1_000 }],
        },
        own,
      ),
    );
    expect(first).toMatchObject({
      version: 2,
      time_zone: 'Asia/Amman',
      fees: { cash: { fixed: 500, basis_points: 150, minimum: null, maximum: 5_000 }, quasi_cash: null },
    });
    const second = succeeded(await update({ fees: { quasi_cash: { basis_points: 100 } } }, own));
    expect(second).toMatchObject({
      version: 3,
      time_zone: 'Asia/Amman',
      fuel: [{ currency: 'JOD', amount: 75_000, status_check_max: 1_000 }],
      fees: { cash: null, quasi_cash: { fixed: 0, basis_points: 100 } },
    });
    expect(succeeded(await update({ time_zone: 'Asia/Amman' }, own)).version).toBe(3);
    expect(await read(own)).toEqual(second);
    const { data } = await own.read<List<Event>>('/v1/events?type=card_program.updated');
    expect(data.map((event) => Object.keys(event.data.previous_attributes))).toEqual([
      ['fees'],
      ['time_zone', 'fuel', 'fees'],
    ]);
  });

  test.each`
    body                                                                              | code                       | param
    ${{ time_zone: 'Mars/Olympus' }}                                                  | ${'parameter_invalid'}     | ${'/time_zone'}
    ${{ currencies: ['JOD', 'XXX'] }}                                                 | ${'currency_unsupported'}  | ${'/currencies/1'}
    ${{ currencies: [] }}                                                             | ${'parameter_invalid'}     | ${'/currencies'}
    ${{ tolerances: [{ mccs: ['5812'], percent: 101 }] }}                             | ${'parameter_invalid'}     | ${'/tolerances/0/percent'}
    ${{ expiry_days: { default: 0, lodging: 1, car_rental: 1, cruise: 1, fuel: 1 } }} | ${'parameter_invalid'}     | ${'/expiry_days/default'}
    ${{ fuel: [{ currency: 'JOD', amount: 1, status_check_max: 2 }] }}                | ${'parameter_invalid'}     | ${'/fuel/0/amount'}
    ${{ fees: { cash: { minimum: 2, maximum: 1 } } }}                                 | ${'parameter_invalid'}     | ${'/fees/cash'}
    ${{ decision: { url: URL, default: 'decline', timeout_ms: 199 } }}                | ${'parameter_invalid'}     | ${'/decision/timeout_ms'}
    ${{ decision: { url: 'nowhere', default: 'decline' } }}                           | ${'parameter_invalid'}     | ${'/decision/url'}
    ${{ decision: { url: 'https://10.0.0.1/', default: 'decline' } }}                 | ${'webhook_url_forbidden'} | ${'/decision/url'}
    ${{ decision: { url: 'https://localhost/', default: 'decline' } }}                | ${'webhook_url_forbidden'} | ${'/decision/url'}
  `('refuses $body', async ({ body, code, param }) => {
    const answer = await update(body);
    expect(answer.status).toBe(code === 'webhook_url_forbidden' ? 422 : 400);
    expect(answer.body).toMatchObject({ code, errors: [{ param }] });
  });

  test('keeps a stale change out', async () => {
    const { client: own } = await product.organisation();
    succeeded(await update({ time_zone: 'Asia/Amman' }, own, { headers: { 'if-match': '"1"' } }));
    expect(await update({ time_zone: 'UTC' }, own, { headers: { 'if-match': '"1"' } })).toMatchObject({
      status: 412,
      body: { code: 'version_mismatch', version: 2 },
    });
  });

  test('keeps the time zone of the first transaction', async () => {
    const { client: own } = await product.organisation();
    const { id } = await own.openAccount({ currency: 'USD', funds: 100 });
    const { id: card } = await makeCard(own, { account: id });
    succeeded(await update({ time_zone: 'Asia/Amman' }, own));
    await purchase(own, { card, amount: 100 });
    expect(await update({ time_zone: 'UTC' }, own)).toMatchObject({
      status: 409,
      body: { code: 'state_conflict', param: '/time_zone', current_status: 'fixed' },
    });
    expect(succeeded(await update({ time_zone: 'Asia/Amman' }, own))).toMatchObject({ time_zone_fixed: true });
  });

  test('keeps cards off accounts in other currencies', async () => {
    const { client: own } = await product.organisation();
    succeeded(await update({ currencies: ['USD'] }, own));
    const { id } = await own.openAccount({ funds: 0 });
    expect(await requestCard(own, { account: id })).toMatchObject({
      status: 422,
      body: { code: 'currency_mismatch', errors: [{ param: '/account' }] },
    });
  });
});

describe('the secret of its endpoint', () => {
  const decision = { url: URL, default: 'decline' };

  test('is shown by the answer that makes it, by its repeat, and by nothing else', async () => {
    const { client: own, keys: of } = await product.organisation();
    const options = { idempotencyKey: randomUUID() };
    const first = await update({ decision }, own, options);
    const secret = first.body.decision_secret!;
    expect(secret).toMatch(/^whsec_/);
    expect(first.body.decision).toEqual({ url: URL, timeout_ms: 1_000, default: 'decline' });
    expect((await update({ decision }, own, options)).text).toBe(first.text);
    expect(await read(own)).not.toHaveProperty('decision_secret');
    const other = succeeded(await update({ decision: { ...decision, timeout_ms: 500 } }, own));
    expect(other).not.toHaveProperty('decision_secret');
    expect(await secretsOf(of)).toEqual([secret]);
    const { rows } = await product.runtime.pool.query<{ text: string }>(
      'SELECT payload AS text FROM events UNION ALL SELECT body FROM idempotency_keys WHERE body IS NOT NULL',
    );
    expect(rows.filter(({ text }) => text.includes(secret))).toEqual([]);
  });

  test('is rolled, and the one before signs beside it until its end', async () => {
    const { client: own, keys: of } = await product.organisation();
    const roll = (body: object = {}) => own.post<Program>(`${PATH}/roll_secret`, body);
    expect(await roll()).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
    const first = succeeded(await update({ decision }, own)).decision_secret!;
    const second = succeeded(await roll());
    expect(second.previous_secret_until).toEqual(expect.any(String));
    expect(await secretsOf(of)).toEqual([second.decision_secret, first]);
    expect((await roll()).status).toBe(409);
    const third = succeeded(await roll({ overlap_seconds: 0 }));
    expect(await secretsOf(of)).toEqual([third.decision_secret]);
  });
});

describe('scopes', () => {
  test.each`
    mode      | scopes                           | details | program
    ${'test'} | ${['*']}                         | ${200}  | ${200}
    ${'test'} | ${['cards:read', 'cards:write']} | ${403}  | ${403}
    ${'test'} | ${['cards:details']}             | ${200}  | ${403}
    ${'test'} | ${['cards:program']}             | ${403}  | ${200}
    ${'live'} | ${['*']}                         | ${403}  | ${403}
    ${'live'} | ${['*', 'cards:details']}        | ${404}  | ${403}
    ${'live'} | ${['*', 'cards:program']}        | ${403}  | ${200}
  `('a $mode key with $scopes', async ({ mode, scopes, details, program }) => {
    const { client: own, keys: of } = await product.organisation();
    const { id } = await makeCard(own, { account: (await own.openAccount({ funds: 0 })).id });
    const bookId = mode === 'test' ? of.testBookId : of.liveBookId;
    const key = await product.clientWith({ bookId, mode, scopes });
    expect((await key.get(`/v1/cards/${id}/details`)).status).toBe(details);
    expect((await key.patch(PATH, { time_zone: 'UTC' })).status).toBe(program);
  });
});

describe('who saw a card', () => {
  test('is listed: who, from where and when, and no number', async () => {
    const account = (await client.openAccount({ funds: 0 })).id;
    const { id } = await makeCard(client, { account });
    const shown = await client.get<{ number: string }>(`/v1/cards/${id}/details`);
    expect(shown.headers['cache-control']).toBe('no-store');
    expect(await client.get(`/v1/cards/${id}/pin`)).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
    const { data } = await client.read<List<{ id: string; what: string }>>(`/v1/cards/${id}/details/accesses`);
    expect(data).toMatchObject([
      { what: 'pin', actor: { type: 'service' }, address: expect.stringMatching(/127\.0\.0\.1$/) },
      { what: 'details', id: shown.headers['request-id'] },
    ]);
    expect(JSON.stringify(data)).not.toContain(shown.body.number);
  });
});
