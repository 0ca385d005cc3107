/** The conventions of the API on its routes: replays, waiting, versions, pages, filters, keys, limits. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Account,
  type Client,
  type Entry,
  type Event,
  type List,
  type Payout,
  type Problem,
  succeeded,
} from '../../scripts/harness/client.ts';
import { newId, publicId } from '../../src/values/ids.ts';
import { HeldSecond } from '../support/held-second.ts';
import { type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

const second = new HeldSecond();
let product: Product;
let keys: OrganisationKeys;
let client: Client;
let account: Account;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', api: { limiter: second.limiter } });
  ({ keys, client } = await product.organisation());
  account = await client.openAccount({ funds: 100_000_000 });
});

afterAll(() => product?.close());

describe('an idempotency key', () => {
  test('gives the first answer again, byte for byte, for an equal body and from any API key of the book', async () => {
    const idempotencyKey = randomUUID();
    const first = await client.requestPayout({ amount: 7_000, idempotencyKey });
    expect(first.status).toBe(202);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const rawBody = '{ "destination": {"alias":"SHOP1", "type":"cliq"},\n "currency":"JOD", "amount": 7.0e3 }';
    const other = await product.clientWith({ bookId: keys.testBookId, mode: 'test', scopes: ['payouts:write'] });
    const again = await other.send<Payout>('POST', '/v1/payouts', { rawBody, idempotencyKey });
    expect(again.status).toBe(202);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers['request-id']).not.toBe(first.headers['request-id']);
  });

  test('refuses another request, and names the payout it stands for', async () => {
    const idempotencyKey = randomUUID();
    const first = await client.pay({ idempotencyKey });
    const reused = await client.requestPayout<Problem>({ amount: 1, idempotencyKey });
    const refused = { status: 422, code: 'idempotency_key_reused', param: 'Idempotency-Key', resource: first.id };
    expect(reused.body).toMatchObject({ ...refused, detail: expect.stringContaining('A new request needs a new key') });
    const elsewhere = await client.post('/v1/accounts', { currency: 'JOD', name: 'A' }, { idempotencyKey });
    expect(elsewhere.body).toMatchObject({ code: 'idempotency_key_reused', resource: first.id });
  });

  test('turns 50 concurrent requests into one payout', async () => {
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.requestPayout({ idempotencyKey })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  });

  test('shows its result', async () => {
    const idempotencyKey = randomUUID();
    const { id, request_id } = await client.pay({ idempotencyKey });
    expect(await client.read(`/v1/idempotency_keys/${idempotencyKey}`)).toMatchObject({
      object: 'idempotency_key',
      key: idempotencyKey,
      status: 'succeeded',
      response_status: 202,
      code: null,
      resource: 'payout',
      resource_id: id,
      request_id,
      voided_at: null,
    });
    const refusedKey = `a/b?c#${randomUUID()}`;
    await client.requestPayout({ amount: 900_000_000_000, idempotencyKey: refusedKey });
    expect(await client.read(`/v1/idempotency_keys/${encodeURIComponent(refusedKey)}`)).toMatchObject({
      key: refusedKey,
      status: 'refused',
      response_status: 422,
      code: 'insufficient_funds',
      resource_id: null,
    });
  });

  test('that is voided never does anything; one that is used names its result', async () => {
    const idempotencyKey = randomUUID();
    const path = `/v1/idempotency_keys/${idempotencyKey}`;
    const unknown = await client.get<Problem>(path);
    expect(unknown.body).toMatchObject({ status: 404, code: 'resource_not_found', param: 'key' });
    expect(unknown.body.detail).toContain('may still be on its way');
    const voided = succeeded(await client.post<{ status: string; voided_at: string }>(`${path}/void`));
    expect(voided).toMatchObject({ status: 'voided', response_status: null, resource: null });
    expect(await client.read(path)).toEqual(voided);
    expect((await client.requestPayout<Problem>({ idempotencyKey })).body).toMatchObject({
      status: 422,
      code: 'idempotency_key_voided',
    });

    const used = randomUUID();
    const { id } = await client.pay({ idempotencyKey: used });
    expect(succeeded(await client.post(`/v1/idempotency_keys/${used}/void`))).toMatchObject({
      status: 'succeeded',
      resource_id: id,
    });
  });

  test('is not used by a dry run', async () => {
    const idempotencyKey = randomUUID();
    const preview = await client.requestPayout<Payout & { dry_run: boolean; resulting_balances: unknown[] }>({
      account: account.id,
      query: '?dry_run=true',
      idempotencyKey,
    });
    expect(preview.status).toBe(200);
    expect(preview.body).toMatchObject({
      dry_run: true,
      status: 'pending',
      resulting_balances: [{ account: account.id, currency: 'JOD' }],
    });
    expect((await client.get(`/v1/payouts/${preview.body.id}`)).status).toBe(404);
    expect((await client.get(`/v1/idempotency_keys/${idempotencyKey}`)).status).toBe(404);
    expect((await client.requestPayout({ query: '?dry_run=true', idempotencyKey: null })).status).toBe(200);
    const refused = await client.requestPayout<Problem>({ query: '?dry_run=true', amount: 900_000_000_000 });
    expect(refused.body.code).toBe('insufficient_funds');
  });
});

describe('Prefer: wait', () => {
  test('holds the answer until the payout leaves its first status, on a replay too', async () => {
    const idempotencyKey = randomUUID();
    const headers = { prefer: 'wait=10' };
    const held = await client.requestPayout({ idempotencyKey, headers });
    expect(held.status).toBe(202);
    expect(held.headers['preference-applied']).toBe('wait=10');
    expect(held.body.status).not.toBe('pending');
    expect(held.body.version).toBeGreaterThan(1);
    const stored = await client.requestPayout({ idempotencyKey });
    expect(stored.body).toMatchObject({ id: held.body.id, status: 'pending', version: 1 });
    const again = await client.requestPayout({ idempotencyKey, headers });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body.status).not.toBe('pending');
  });
});

describe('without workers', () => {
  let still: Product;
  let pending: Client;
  beforeAll(async () => {
    still = await startProduct({ backend: 'postgres', pools: [] });
    ({ client: pending } = await still.organisation());
    await pending.openAccount();
  });
  afterAll(() => still?.close());

  test('a wait ends at its time limit', async () => {
    const held = await pending.requestPayout({ headers: { prefer: 'wait=1' } });
    expect(held.body.status).toBe('pending');
    expect(held.headers['preference-applied']).toBe('wait=1');
  });

  test('a pending payout is canceled once, at the version that was read', async () => {
    const payout = await pending.pay({});
    const cancel = (ifMatch?: string) =>
      pending.post<Payout & Problem>(`/v1/payouts/${payout.id}/cancel`, undefined, {
        headers: ifMatch ? { 'if-match': ifMatch } : {},
      });
    expect((await cancel('"9"')).body).toMatchObject({ status: 412, code: 'version_mismatch', version: 1 });
    const canceled = await cancel('"1"');
    expect(canceled.body).toMatchObject({ status: 'canceled', version: 2, allowed_actions: [], waiting_on: 'nobody' });
    expect((await cancel()).body).toMatchObject({ status: 409, code: 'state_conflict', current_status: 'canceled' });
    expect((await pending.read<Account>(`/v1/accounts/${payout.account}`)).balance.held).toBe(10_050); // held by the payout before
  });

  test('a refusal is not held: it comes before what was asked first, and is held', async () => {
    const came: string[] = [];
    const held = pending.requestPayout({ headers: { prefer: 'wait=10' } }).then(() => came.push('held'));
    const refused = await pending.requestPayout<Problem>({ amount: 900_000_000_000, headers: { prefer: 'wait=10' } });
    came.push('refused');
    await held;
    expect(refused.status).toBe(422);
    expect(came).toEqual(['refused', 'held']);
  });
});

describe('a version', () => {
  test('that is stale refuses an update; the current one is accepted and increments', async () => {
    const { id, version } = await client.openAccount({ funds: 0 });
    const rename = (name: string, ifMatch: string | undefined) =>
      client.patch<Account & Problem>(
        `/v1/accounts/${id}`,
        { name },
        { headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } },
      );
    const renamed = await rename('Second', String(version));
    expect(renamed.body).toMatchObject({ name: 'Second', version: version + 1 });
    expect((await rename('Third', `"${version}"`)).body).toMatchObject({ status: 412, code: 'version_mismatch' });
    expect((await rename('Third', '*')).body).toMatchObject({ name: 'Third', version: version + 2 });
    expect((await client.post(`/v1/accounts/${id}/freeze`, undefined, { headers: { 'if-match': '1' } })).status).toBe(
      412,
    );
  });

  test('412 is not stored under the key: the same key succeeds with the right version', async () => {
    const { id, version } = await client.openAccount({ funds: 0 });
    const idempotencyKey = randomUUID();
    const freeze = (ifMatch: number) =>
      client.post<Account>(`/v1/accounts/${id}/freeze`, undefined, {
        idempotencyKey,
        headers: { 'if-match': String(ifMatch) },
      });
    expect((await freeze(version + 1)).status).toBe(412);
    expect((await freeze(version)).body).toMatchObject({ status: 'frozen' });
  });
});

test('an update or deletion repeated under its key is done once; an invalid key is refused', async () => {
  const { id } = await client.openAccount({ funds: 0 });
  const idempotencyKey = randomUUID();
  const rename = () => client.patch<Account>(`/v1/accounts/${id}`, { name: 'Once' }, { idempotencyKey });
  const first = await rename();
  const again = await rename();
  expect(again.text).toBe(first.text);
  expect(again.headers['idempotent-replayed']).toBe('true');
  const bad = await client.patch(`/v1/accounts/${id}`, { name: 'Twice' }, { idempotencyKey: 'two words' });
  expect(bad.body).toMatchObject({ status: 400, code: 'idempotency_key_invalid', param: 'Idempotency-Key' });
});

describe('lists', () => {
  let listed: Client;
  let ids: string[];

  beforeAll(async () => {
    ({ client: listed } = await product.organisation());
    await listed.openAccount();
    ids = [];
    for (let index = 0; index < 5; index++) {
      const body = {
        external_id: index < 2 ? 'twice' : `once-${index}`,
        metadata: { parity: index % 2 ? 'odd' : 'even', index: String(index) },
      };
      ids.unshift(
        (
          await listed.pay({
            amount: 1_000 + index,
            destination: { type: 'cliq', alias: index === 4 ? 'NOALIAS' : 'SHOP1' },
            body,
          })
        ).id,
      );
    }
    for (const id of ids) await listed.payoutUntil(id, (payout) => payout.waiting_on === 'nobody');
  });

  const idsOf = async (query: string) =>
    (await listed.read<List<Payout>>(`/v1/payouts?${query}`)).data.map(({ id }) => ids.indexOf(id));

  test('are newest first, and their cursor reads on in both directions', async () => {
    const first = await listed.read<List<Payout>>('/v1/payouts?limit=2');
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first).toMatchObject({ has_more: true, next_cursor: ids[1] });
    expect(await idsOf(`limit=2&starting_after=${first.next_cursor}`)).toEqual([2, 3]);
    const last = await listed.read<List<Payout>>(`/v1/payouts?limit=2&starting_after=${ids[3]}`);
    expect(last).toMatchObject({ has_more: false, next_cursor: null });
    const back = await listed.read<List<Payout>>(`/v1/payouts?limit=2&ending_before=${ids[4]}`);
    expect(back.data.map(({ id }) => id)).toEqual([ids[2], ids[3]]);
    expect(back).toMatchObject({ has_more: true, next_cursor: ids[2] });
    expect(await idsOf(`limit=2&ending_before=${back.next_cursor}`)).toEqual([0, 1]);
  });

  test('are filtered by status, reference, metadata and time, together', async () => {
    expect(await idsOf('status=failed')).toEqual([0]);
    expect(await idsOf('status=paid,failed&limit=3')).toEqual([0, 1, 2]);
    expect(await idsOf('status=paid&status=canceled')).toEqual([1, 2, 3, 4]);
    expect(await idsOf('external_id=twice')).toEqual([3, 4]);
    expect(await idsOf('metadata[parity]=odd')).toEqual([1, 3]);
    expect(await idsOf('metadata[parity]=odd&metadata[index]=3')).toEqual([1]);
    expect(await idsOf('metadata[parity]=odd&external_id=twice')).toEqual([3]);
    const { created_at } = await listed.payout(ids[2]!);
    expect(await idsOf(`created_at[lt]=${created_at}`)).toEqual([3, 4]);
    expect(await idsOf(`created_at[gte]=${created_at}`)).toEqual([0, 1, 2]);
    expect(await idsOf(`created_at[gte]=${created_at}&status=failed`)).toEqual([0]);
  });

  test('page through all their objects, without gaps or repetitions', async () => {
    const { id } = (await listed.read<List<Account>>('/v1/accounts')).data[0]!;
    for (const path of ['/v1/payouts', '/v1/events', '/v1/journal/entries', `/v1/accounts/${id}/entries`]) {
      const cursorOf = (item: { id?: string; sequence?: number }) => item.id ?? String(item.sequence);
      const whole = (await listed.read<List<{ id?: string; sequence?: number }>>(`${path}?limit=100`)).data.map(
        cursorOf,
      );
      expect(whole.length).toBeGreaterThan(4);
      for (const [parameter, order] of [
        ['starting_after', whole],
        ['ending_before', [...whole].reverse()],
      ] as const) {
        const seen: string[] = parameter === 'starting_after' ? [] : [order[0]!];
        let cursor = parameter === 'starting_after' ? null : order[0]!;
        for (;;) {
          const page = await listed.read<List<{ id?: string; sequence?: number }>>(
            `${path}?limit=3${cursor === null ? '' : `&${parameter}=${cursor}`}`,
          );
          const items = page.data.map(cursorOf);
          seen.push(...(parameter === 'starting_after' ? items : items.reverse()));
          expect(page.has_more).toBe(page.next_cursor !== null);
          cursor = page.next_cursor;
          if (cursor === null) break;
        }
        expect(seen).toEqual(order);
      }
    }
  });

  test('of entries and events are filtered by their object', async () => {
    const [failed, paid] = [ids[0]!, ids[1]!];
    const steps = async (id: string) =>
      (await listed.read<List<Entry>>(`/v1/journal/entries?resource=${id}`)).data.map(({ step, resource_id }) => [
        step,
        resource_id,
      ]);
    expect(await steps(paid)).toEqual([
      ['paid', paid],
      ['reserved', paid],
    ]);
    const types = async (query: string) =>
      (await listed.read<List<Event>>(`/v1/events?${query}`)).data.map(({ type }) => type);
    expect(await types(`object=${paid}`)).toEqual(['payout.paid', 'payout.processing', 'payout.created']);
    expect(await types(`object=${failed}&type=payout.failed,payout.created`)).toEqual([
      'payout.failed',
      'payout.created',
    ]);
    expect(new Set(await types('type=account.*&limit=100'))).toEqual(new Set(['account.created', 'account.updated']));
  });

  test('of events show the same bytes as a single event', async () => {
    const list = await listed.get<List<Event>>('/v1/events?limit=1');
    const one = await listed.get<Event>(`/v1/events/${list.body.data[0]!.id}`);
    expect(list.text).toContain(`"data":[${one.text}]`);
  });
});

describe('limits', () => {
  test('are published as they apply to the key', async () => {
    const slow = await product.clientWith({
      bookId: keys.testBookId,
      mode: 'test',
      scopes: ['*'],
      writesPerSecond: 3,
      readsPerSecond: 50,
    });
    const limits = await slow.get<{
      requests_per_second: unknown;
      body: { bytes: number };
      amount: { maximum: number };
    }>('/v1/limits');
    expect(limits.body).toMatchObject({
      object: 'limits',
      requests_per_second: { writes: 3, reads: 50 },
      body: { bytes: 1_048_576, depth: 32 },
      page: { default: 20, maximum: 100 },
      wait_seconds: 30,
    });
    expect(limits.headers['ratelimit-policy']).toBe('"reads";q=50;w=1');
    expect(limits.headers.ratelimit).toBe('"reads";r=49;t=1');
  });

  test('refuse excess requests with the time to wait, and do nothing', async () => {
    const slow = await product.clientWith({ bookId: keys.testBookId, mode: 'test', scopes: ['*'], writesPerSecond: 3 });
    const twenty = () =>
      Promise.all(
        Array.from({ length: 20 }, async () => {
          const idempotencyKey = randomUUID();
          return { idempotencyKey, ...(await slow.requestPayout<Payout & Problem>({ idempotencyKey })) };
        }),
      );
    const answers = await second.during(twenty);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(17);
    for (const { headers, body, idempotencyKey } of refused) {
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(body).toMatchObject({ code: 'rate_limited', retryable: true, limit: 3 });
      expect((await client.get(`/v1/idempotency_keys/${idempotencyKey}`)).status).toBe(404);
    }
  });
});

test('every answer has its own request id, and its events and entries carry that id', async () => {
  const answer = await client.requestPayout({ headers: { 'request-id': publicId('request', newId()) } });
  expect(answer.body.request_id).toBe(answer.headers['request-id']);
  await client.payoutUntil(answer.body.id, 'paid');
  const events = await client.read<List<Event>>(`/v1/events?object=${answer.body.id}`);
  expect(new Set(events.data.map(({ request_id }) => request_id))).toEqual(new Set([answer.body.request_id]));
});

test.each(['Caf\u00e9 M\u00fcller', '\u0645\u062d\u0644', '+962 79 000 0000', '\ud83d\udc68\u200d\ud83c\udf73'])(
  'an alias in any script is accepted: %j',
  async (alias) => {
    expect((await client.requestPayout({ destination: { type: 'cliq', alias } })).status).toBe(202);
  },
);

test.each(['.', '..', '/', 'a/b', '%2e', '?key=x', '../payouts', '+&#'])(
  'a key named %j can be looked up',
  async (key) => {
    const idempotencyKey = `${key}`;
    const { id } = await client.pay({ idempotencyKey });
    const found = await client.get<{ key: string; resource_id: string }>(
      `/v1/idempotency_keys?key=${encodeURIComponent(key)}`,
    );
    expect(found.body).toMatchObject({ key, resource_id: id });
  },
);
