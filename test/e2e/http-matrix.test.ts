/**
 * Every route of the reference against what must not happen: showing another book's objects, reading a list on from what is no
 * object of it, accepting a key without the scope, answering without a key, or failing on an unexpected body or query.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Client, List, Problem } from '../../scripts/harness/client.ts';
import type { Route } from '../../src/api/route.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { EVERY_SCOPE, LIVE_BY_NAME, MAKES_KEYS, SCOPES } from '../../src/organisations/api-key.ts';
import { newId, publicId } from '../../src/values/ids.ts';
import { startContracted } from '../support/contracted.ts';
import { junkBodies, junkQueries, takesBody, takesQuery } from '../support/junk.ts';
import { clientFor, type OneOfEach, oneOfEach, pathOf } from '../support/one-of-each.ts';
import type { OrganisationKeys, Product } from '../support/product.ts';
import { USED_KEY } from './transcript/groups/group.ts';

let product: Product;
let keys: OrganisationKeys;
let client: Client;
/** One object of each kind in the first organisation's test book. */
let ids: OneOfEach;
/** Another book with the same. */
let other: { readonly client: Client; readonly ids: OneOfEach };

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres', environment: { TRUSTED_PROXIES: 'loopback' } });
  ({ keys, client } = await product.organisation());
  ids = await oneOfEach(product, keys);
  const second = await product.organisation();
  other = { client: second.client, ids: await oneOfEach(product, second.keys) };
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
/** The routes whose answers have pages: lists, children, timelines. */
const paged = ROUTES.filter(({ of }) => of !== undefined && ['list', 'children', 'timeline'].includes(of.kind));
const named = (one: Route) => `${one.method.toUpperCase()} ${one.path}`;

test('the matrix has an object for every kind of id in a path', () => {
  for (const one of ROUTES) {
    for (const kind of Object.values(one.params ?? {})) expect(Object.keys(ids)).toContain(kind);
    expect([...one.path.matchAll(/:(\w+)/g)].map(([, name]) => name)).toEqual(Object.keys(one.params ?? {}));
  }
});

/** Every scope does not stand for those that a live key has by name. */
async function liveClientFor({ scope }: Route): Promise<Client> {
  if (scope === null || ![...LIVE_BY_NAME, MAKES_KEYS].includes(scope)) return product.client(keys.liveKey);
  return product.clientWith({ bookId: keys.liveBookId, mode: 'live', scopes: [scope] });
}

describe('an object of one book', () => {
  test.each(withIds.map((one) => [named(one), one] as const))(
    '%s is not found for another organisation, nor in the other mode',
    async (_, one) => {
      const stranger = await product.organisation();
      const foreign = await call(one, await clientFor(one, product, stranger.keys));
      expect([foreign.status, foreign.body.code]).toEqual([404, 'resource_not_found']);
      const other = await call(one, await liveClientFor(one));
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

  test.each(paged.filter(({ of }) => of!.kind === 'list').map((one) => [named(one), one] as const))(
    'is not in %s for another organisation',
    async (_, one) => {
      const own = (await client.read<List<Shown>>(one.path)).data.map(({ id }) => id);
      expect(own).not.toEqual([]);
      const { client: stranger } = await product.organisation();
      const { data } = await stranger.read<List<Shown>>(one.path);
      // Every book has the key that asks, and its owner.
      if (['listApiKeys', 'listPeople'].includes(one.operation))
        expect(data.filter(({ id }) => own.includes(id))).toEqual([]);
      else expect(data).toEqual([]);
    },
  );

  test.each([
    ['entries', () => `/v1/journal/entries?resource=${ids.payout}`],
    ['events', () => `/v1/events?object=${ids.payout}`],
    ['exceptions', () => `/v1/exceptions?resource=${ids.payout}`],
  ])('has no %s in another book', async (_, path) => {
    const { client: stranger } = await product.organisation();
    expect((await stranger.read<List<unknown>>(path())).data).toEqual([]);
  });
});

/** A step of a timeline is its event. */
interface Shown {
  readonly id?: string;
  readonly event?: string;
  readonly sequence?: number;
}
const cursorOf = (kind: string, { id, event, sequence }: Shown) =>
  kind === 'sequence' ? String(sequence) : (id ?? event!);

/** What stands behind the path: a list that is read by time is walked in another way. */
const waysToRead = ({ query }: Route) =>
  'created_at' in ((query as { shape?: object }).shape ?? {}) ? ['', '?created_at[gte]=2020-01-01T00:00:00Z'] : [''];

describe.each(paged.flatMap((one) => waysToRead(one).map((filter) => [named(one) + filter, one, filter] as const)))(
  'the pages of %s',
  (_, one, filter) => {
    const kind = one.of!.kind === 'timeline' ? 'event' : one.of!.resource.cursor;
    const pathIn = (objects: OneOfEach) => pathOf(one, objects) + filter;
    const read = (cursor: string, param: string) =>
      client.get<Problem>(`${pathIn(ids)}${filter === '' ? '?' : '&'}${param}=${cursor}`);

    async function expectRefused(cursor: string): Promise<void> {
      for (const param of ['starting_after', 'ending_before']) {
        const { status, body } = await read(cursor, param);
        expect([status, body.code, body.param]).toEqual([400, 'cursor_invalid', param]);
      }
    }

    test('read on from no cursor that nothing has', () =>
      expectRefused(kind === 'sequence' ? '99999' : publicId(kind === 'owner' ? 'person' : kind, newId())));

    test('read on from what they show', async () => {
      const [known] = (await client.read<List<Shown>>(pathIn(ids))).data;
      for (const param of ['starting_after', 'ending_before'])
        expect((await read(cursorOf(kind, known!), param)).status).toBe(200);
    });

    // What has a number has the same in every book.
    test.runIf(kind !== 'sequence')('read on from nothing of another book', async () => {
      const [foreign] = (await other.client.read<List<Shown>>(pathIn(other.ids))).data;
      await expectRefused(cursorOf(kind, foreign!));
    });
  },
);

describe('a key', () => {
  test.each(ROUTES.map((one) => [named(one), one] as const))('%s requires its scope', async (_, one) => {
    const others = SCOPES.filter((scope) => ![one.scope, one.orScope, MAKES_KEYS].includes(scope));
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
      const { keys: own, client: opener } = await product.organisation();
      const caller = await clientFor(one, product, own);
      const account = await opener.openAccount();
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
