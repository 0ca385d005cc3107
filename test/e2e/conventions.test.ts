/** Conventions that need the whole product: two modes, timelines, idempotency keys that outlive their connection. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account, List, Payout, Problem } from '../../scripts/harness/client.ts';
import { setOverdraftCeiling } from '../../src/accounts/account/overdraft-ceiling-store.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { findOrganisationOfBook } from '../../src/organisations/organisation-store.ts';
import { newPerson, serviceOf } from '../../src/organisations/person.ts';
import { insertPeople } from '../../src/organisations/person-store.ts';
import { publicId } from '../../src/values/ids.ts';
import { HeldSecond } from '../support/held-second.ts';
import { type Product, startProduct } from '../support/product.ts';

/** The members that the tests read of either answer. */
type PayoutOrProblem = Pick<Payout, 'id'> & Pick<Problem, 'code'>;

interface Timeline {
  data: {
    type: string;
    status: string;
    actor: { type: string; id: string | null; key: string | null };
    reason: unknown;
    request_id: string;
    journal_entries: string[];
    previous_attributes: unknown;
  }[];
}

describe('the interface', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres' });
  });
  afterAll(() => product?.close());

  test('has two modes with a book each; in live mode there is no rail and no simulation', async () => {
    const { client, live, keys } = await product.organisation();
    await setOverdraftCeiling(product.runtime.pool, keys.liveBookId, 20_000n);
    const account = await client.openAccount();
    expect((await live.get(`/v1/accounts/${account.id}`)).body.code).toBe('resource_not_found');

    const [from, to] = [
      await live.openAccount({ funds: 0, overdraft_limit: 20_000 }),
      await live.openAccount({ funds: 0 }),
    ];
    expect(from.livemode).toBe(true);
    const transfer = await live.pay({ account: from.id, destination: { type: 'account', account: to.id } });
    expect(await live.payoutUntil(transfer.id, 'paid')).toMatchObject({ livemode: true, rail: 'book' });

    const outside = await live.requestPayout<Problem>({ account: from.id, amount: 1 });
    expect([outside.status, outside.body.code, outside.body.param]).toEqual([
      422,
      'rail_unavailable',
      '/destination/type',
    ]);
    for (const path of ['inbound_transfers', `payouts/${transfer.id}/complete`, `payouts/${transfer.id}/return`]) {
      const refused = await live.post(`/v1/simulations/${path}`, {});
      expect([refused.status, refused.body.code]).toEqual([403, 'test_mode_only']);
    }
  });

  test('shows the timeline of a payout: actor, time, request and entries of each step', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount();
    const failed = await client.pay({ account: account.id, destination: { type: 'cliq', alias: 'CLOSED' } });
    const { journal_entries: entries } = await client.payoutUntil(failed.id, 'failed');
    const { data } = await client.read<Timeline>(`/v1/payouts/${failed.id}/timeline`);
    expect(data).toMatchObject([
      { type: 'payout.created', status: 'pending', reason: null, journal_entries: [], previous_attributes: {} },
      {
        type: 'payout.processing',
        status: 'processing',
        actor: { type: 'system', id: 'worker:ledger', key: null },
        journal_entries: [entries[0]],
        previous_attributes: { status: 'pending' },
      },
      {
        type: 'payout.failed',
        status: 'failed',
        actor: { type: 'system', id: 'rail:sandbox', key: null },
        reason: { code: 'payee_account_closed', rail_code: 'AC04' },
        journal_entries: [entries[1]],
      },
    ]);
    expect(data[0]!.actor).toEqual({
      type: 'service',
      id: expect.stringMatching(/^svc_/),
      key: expect.stringMatching(/^key_/),
    });
    expect(new Set(data.map(({ request_id }) => request_id))).toEqual(new Set([failed.request_id]));
  });

  test("names a person who acts with a key of their own, and the service of another's key", async () => {
    const { keys, client } = await product.organisation();
    const { pool } = product.runtime;
    const organisationId = (await findOrganisationOfBook(pool, keys.testBookId))!;
    const person = newPerson(organisationId, 'Ada', Date.now());
    await insertPeople(pool, [person]);
    const own = { bookId: keys.testBookId, mode: 'test', scopes: ['*'] } as const;
    const byPerson = await product.clientWith({ ...own, personId: person.id });
    const account = await byPerson.openAccount({ funds: 0 });
    await client.post(`/v1/accounts/${account.id}/freeze`, {});
    const { data } = await client.read<Timeline>(`/v1/accounts/${account.id}/timeline`);
    expect(data.map(({ type, actor }) => [type, actor.type, actor.id])).toEqual([
      ['account.created', 'person', publicId('person', person.id)],
      ['account.frozen', 'service', publicId('service', serviceOf(organisationId, keys.name, 0).id)],
    ]);
    expect(data[0]!.actor.key).toMatch(/^key_/);
    expect(data[1]!.actor.key).not.toBe(data[0]!.actor.key);
  });

  test('answers "did my money move?" after a lost connection, also to another key of the book', async () => {
    const { client, keys } = await product.organisation();
    const account = await client.openAccount();
    const idempotencyKey = randomUUID();
    expect((await client.get(`/v1/idempotency_keys/${idempotencyKey}`)).status).toBe(404);
    const accepted = await client.requestPayout({ account: account.id, idempotencyKey });

    const other = await product.clientWith({ bookId: keys.testBookId, mode: 'test', scopes: ['*'] });
    expect(await other.read(`/v1/idempotency_keys/${idempotencyKey}`)).toMatchObject({
      status: 'succeeded',
      response_status: 202,
      resource: 'payout',
      resource_id: accepted.body.id,
      request_id: accepted.headers['request-id'],
    });
    const again = await other.requestPayout({ account: account.id, idempotencyKey });
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([accepted.text, 'true']);
    expect((await client.read<List<Payout>>('/v1/payouts')).data).toHaveLength(1);
  });

  test('an overdraft needs its own scope; the retry of an accepted request does not', async () => {
    const { client, keys } = await product.organisation();
    const writer = { bookId: keys.testBookId, mode: 'test' as const, scopes: ['accounts:write', 'accounts:read'] };
    const without = await product.clientWith(writer);
    const body = { currency: 'JOD', name: 'Overdrawn', overdraft_limit: 500 };
    const options = { idempotencyKey: randomUUID() };
    const refused = await without.post<Problem & { required_scope: string }>('/v1/accounts', body, options);
    expect([refused.status, refused.body.code, refused.body.required_scope]).toEqual([
      403,
      'permission_denied',
      'accounts:overdraft',
    ]);
    expect((await without.post('/v1/accounts', { ...body, overdraft_limit: 0 })).status).toBe(201);
    const first = await client.post('/v1/accounts', body, options);
    expect(first.status).toBe(201);
    const again = await without.post('/v1/accounts', body, options);
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
    const more = await client.post<Problem>('/v1/accounts', { ...body, overdraft_limit: 1_000_000_000_001 });
    expect([more.status, more.body.code, more.body.param]).toEqual([422, 'limit_exceeded', '/overdraft_limit']);
  });

  test('that voids another is answered once, and again as it was; it cannot void itself', async () => {
    const { client } = await product.organisation();
    const [voided, key] = [randomUUID(), randomUUID()];
    const ask = () =>
      client.post<{ status: string; code?: string }>(
        `/v1/idempotency_keys/${voided}/void`,
        {},
        { idempotencyKey: key },
      );
    const [first, again] = [await ask(), await ask()];
    expect([first.status, first.body.status]).toEqual([200, 'voided']);
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
    const itself = await client.post<Problem>(`/v1/idempotency_keys/${key}/void`, {}, { idempotencyKey: key });
    expect([itself.status, itself.body.code, itself.body.param]).toEqual([400, 'parameter_invalid', 'Idempotency-Key']);
  });

  test('gives a certain no: a voided key never pays, in whatever order the requests arrive', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount();
    for (let round = 0; round < 10; round++) {
      const idempotencyKey = randomUUID();
      const [paid, voided] = await Promise.all([
        client.requestPayout<PayoutOrProblem>({ account: account.id, amount: 100, idempotencyKey }),
        client.post<{ status: string; resource_id: string | null }>(`/v1/idempotency_keys/${idempotencyKey}/void`),
      ]);
      if (paid.status === 202) expect(voided.body).toMatchObject({ status: 'succeeded', resource_id: paid.body.id });
      else {
        expect(paid.body.code).toBe('idempotency_key_voided');
        expect(voided.body).toMatchObject({ status: 'voided', resource_id: null });
      }
    }
  });

  test('lets one of many concurrent requests spend the same funds', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: 10_050 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.requestPayout<PayoutOrProblem>({ account: account.id, amount: 10_000 })),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status === 422).map(({ body }) => body.code))).toEqual(
      new Set(['insufficient_funds']),
    );
    const paid = answers.find(({ status }) => status === 202)!.body.id;
    await client.payoutUntil(paid, 'paid');
    expect((await client.read<Account>(`/v1/accounts/${account.id}`)).balance.available).toBe(0);
  });

  test('counts the requests of a book over all its keys, and reports what is left', async () => {
    const second = new HeldSecond();
    const limited = await startProduct({
      backend: 'postgres',
      pools: [],
      api: { limiter: second.limiter },
      environment: { RATE_LIMIT_READS_PER_SECOND: '20' },
    });
    try {
      const { keys } = await limited.organisation();
      const clients = [limited.client(keys.testKey), limited.client(keys.testKey)];
      const answers = await second.during(() =>
        Promise.all(Array.from({ length: 30 }, (_, at) => clients[at % 2]!.get<Problem>('/v1/limits'))),
      );
      for (const { headers } of answers) {
        expect(headers['ratelimit-policy']).toBe('"reads";q=20;w=1');
        expect(headers.ratelimit).toMatch(/^"reads";r=\d+;t=1$/);
      }
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(10);
      for (const { headers, body } of refused) {
        expect(body).toMatchObject({ code: 'rate_limited', retryable: true, limit: 20 });
        expect(headers['retry-after']).toBe('1');
      }
      // The live book has its own count.
      expect((await limited.client(keys.liveKey).get('/v1/limits')).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  test('is described by its OpenAPI document: every route, and every answer of these tests', async () => {
    const response = await fetch(`${product.baseUrl}/openapi.json`);
    expect(response.status).toBe(200);
    const document = (await response.json()) as {
      openapi: string;
      servers: { url: string }[];
      paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
    };
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: product.baseUrl }]);
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => `${method} ${path} ${Object.keys(responses).join(' ')}`),
    );
    for (const { method, path, responses } of ROUTES) {
      const line = described.find((one) => one.startsWith(`${method} ${path.replace(/:(\w+)/g, '{$1}')} `));
      for (const status of [...Object.keys(responses), '401', '403', '429', '503'])
        expect(line).toContain(` ${status}`);
    }
    expect(described).toHaveLength(ROUTES.length);
  });
});
