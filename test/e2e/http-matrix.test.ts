/**
 * Every route of the reference against what must not happen: showing another book's objects, accepting a key without
 * the scope, answering without a key, or failing on an unexpected body or query.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Client, List, Problem } from '../../scripts/harness/client.ts';
import type { Route } from '../../src/api/route.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { EVERY_SCOPE, SCOPES } from '../../src/organisations/api-key.ts';
import { junkBodies, junkQueries, takesBody, takesQuery } from '../support/junk.ts';
import { type OneOfEach, oneOfEach, pathOf } from '../support/one-of-each.ts';
import { type OrganisationKeys, type Product, startProduct } from '../support/product.ts';
import { USED_KEY } from './transcript/groups/group.ts';

let product: Product;
let keys: OrganisationKeys;
let client: Client;
/** One object of each kind in the first organisation's test book. */
let ids: OneOfEach;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', environment: { TRUSTED_PROXIES: 'loopback' } });
  ({ keys, client } = await product.organisation());
  ids = await oneOfEach(product, keys);
});

afterAll(() => product?.close());

function call(
  one: Route,
  caller: Client,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Problem>> {
  const hasBody = one.method === 'post' || one.method === 'patch';
  return caller.send<Problem>(one.method.toUpperCase(), pathOf(one, ids), {
    body: hasBody ? (body === undefined ? one.bodyExample : body) : undefined,
    headers,
  });
}

/** The routes with an object's id in their path. */
const withIds = ROUTES.filter(({ params }) => params && !Object.values(params).includes('text'));
const named = (one: Route) => `${one.method.toUpperCase()} ${one.path}`;

test('the matrix has an object for every kind of id in a path', () => {
  for (const one of ROUTES) {
    for (const kind of Object.values(one.params ?? {})) expect(Object.keys(ids)).toContain(kind);
    expect([...one.path.matchAll(/:(\w+)/g)].map(([, name]) => name)).toEqual(Object.keys(one.params ?? {}));
  }
});

describe('an object of one book', () => {
  test.each(withIds.map((one) => [named(one), one] as const))(
    '%s is not found for another organisation, nor in the other mode',
    async (_, one) => {
      const { client: stranger } = await product.organisation();
      const foreign = await call(one, stranger);
      expect([foreign.status, foreign.body.code]).toEqual([404, 'resource_not_found']);
      const other = await call(one, product.client(keys.liveKey));
      expect([other.status, other.body.code]).toEqual(
        one.testModeOnly ? [403, 'test_mode_only'] : [404, 'resource_not_found'],
      );
    },
  );

  test('has an idempotency key that another book does not know', async () => {
    const { client: stranger } = await product.organisation();
    expect((await stranger.get(`/v1/idempotency_keys/${USED_KEY}`)).status).toBe(404);
    expect((await stranger.post<{ status: string }>(`/v1/idempotency_keys/${USED_KEY}/void`)).body.status).toBe(
      'voided',
    );
    expect((await client.get<{ status: string }>(`/v1/idempotency_keys/${USED_KEY}`)).body.status).toBe('succeeded');
  });

  test('is in no list of another book', async () => {
    const { client: stranger } = await product.organisation();
    for (const path of [
      '/v1/payouts',
      '/v1/accounts',
      '/v1/journal/entries',
      '/v1/journal/checkpoints',
      '/v1/events',
      '/v1/webhooks',
      `/v1/journal/entries?resource=${ids.payout}`,
      `/v1/events?object=${ids.payout}`,
      '/v1/exceptions',
      `/v1/exceptions?resource=${ids.payout}`,
    ]) {
      expect((await stranger.read<List<unknown>>(path)).data).toEqual([]);
    }
  });
});

describe('a key', () => {
  test.each(ROUTES.map((one) => [named(one), one] as const))('%s requires its scope', async (_, one) => {
    const others = SCOPES.filter((scope) => scope !== one.scope);
    const caller = await product.clientWith({ bookId: keys.testBookId, mode: 'test', scopes: others });
    const { status, body } = await call(one, caller);
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: 'permission_denied', required_scope: one.scope });
  });

  test.each(ROUTES.map((one) => [named(one), one] as const))('%s requires a valid key', async (_, one) => {
    // Each from an address of its own: one that tries many keys is turned away.
    const from = { 'x-forwarded-for': `203.0.113.${ROUTES.indexOf(one)}` };
    const answer = await call(one, product.client(`sk_test_${'0'.repeat(32)}`), undefined, from);
    expect([answer.status, answer.body.code]).toEqual([401, 'api_key_invalid']);
  });

  test('is refused from an address outside its list', async () => {
    const caller = await product.clientWith({
      bookId: keys.testBookId,
      mode: 'test',
      scopes: [EVERY_SCOPE],
      allowedIps: ['203.0.113.0/24'],
    });
    expect((await caller.get<Problem>('/v1/limits')).body).toMatchObject({
      status: 403,
      code: 'ip_not_allowed',
      detail: 'The API key may not be used from 127.0.0.1.',
    });
  });
});

/** What the schemas refuse is tried in process (test/unit/http/fields.test.ts). The rest reaches handlers and Postgres. */
describe('any value', () => {
  test.each(ROUTES.filter(({ body }) => body).map((one) => [named(one), one] as const))(
    'as the body of %s is answered with 2xx or 4xx',
    async (_, one) => {
      const { client: caller } = await product.organisation();
      const account = await caller.openAccount();
      const example = one.path.includes('inbound')
        ? { ...(one.bodyExample as object), account: account.id }
        : one.bodyExample;
      const bodies = junkBodies({ ...one, bodyExample: example });
      const refused = bodies.find((body) => !takesBody(one, body));
      for (const body of [refused, ...bodies.filter((body) => takesBody(one, body))]) {
        const answer = await call(one, caller, body);
        if (body === refused) expect(answer.status).toBeGreaterThanOrEqual(400);
        if (answer.status >= 500)
          throw new Error(`${JSON.stringify(body)?.slice(0, 300)} was answered with ${answer.text}`);
      }
    },
  );

  test.each(ROUTES.filter(({ query }) => query).map((one) => [named(one), one] as const))(
    'as the query of %s is answered with 2xx or 4xx',
    async (_, one) => {
      const queries = junkQueries(one);
      const refused = queries.find((query) => !takesQuery(one, query))!;
      for (const query of [refused, ...queries.filter((query) => takesQuery(one, query))]) {
        const target = `${pathOf(one, ids)}?${query}`;
        const answer = await client.send(one.method.toUpperCase(), target, { body: one.bodyExample });
        if (query === refused) expect(answer.status).toBe(400);
        if (answer.status >= 500) throw new Error(`${target} was answered with ${answer.text}`);
      }
    },
  );
});
