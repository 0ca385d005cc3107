/** Keys over the API: rows J1 to J3 of the scenarios, who may give what, and what happens at the same moment. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client, List, Problem } from '../../scripts/harness/client.ts';
import { endPerson } from '../../src/organisations/end-person.ts';
import { issueApiKey, revokeApiKey, rollApiKey } from '../../src/organisations/issue-api-key.ts';
import { systemClock } from '../../src/values/clock.ts';
import { parsePublicId, publicId } from '../../src/values/ids.ts';
import { startContracted } from '../support/contracted.ts';
import { addPersonOf } from '../support/people.ts';
import type { OrganisationKeys, Product } from '../support/product.ts';

interface Key extends Partial<Omit<Problem, 'status'>> {
  id: string;
  secret: string;
  status: string;
  owner: string;
  scopes: string[];
  allowed_ips: string[];
  writes_per_second: number | null;
  expires_at: string | null;
  version: number;
}

const PATH = '/v1/api_keys';
const NAMES = { name: 'Reports', scopes: ['accounts:read'] };

let product: Product;
let keys: OrganisationKeys;
/** A service that makes keys. */
let maker: Client;

const withScopes = (...scopes: string[]) => product.clientWith({ bookId: keys.testBookId, mode: 'test', scopes });
const made = async (body: object, by: Client = maker): Promise<Key> => {
  const { status, body: key } = await by.post<Key>(PATH, body);
  expect([status, key.detail]).toEqual([201, undefined]);
  return key;
};
const ownId = async (client: Client): Promise<string> => {
  const listed = await maker.read<List<Key & { key: string }>>(`${PATH}?limit=100`);
  return listed.data.find(({ key }) => key.endsWith(client.key.slice(-4)))!.id;
};

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres', pools: [] });
  ({ keys } = await product.organisation());
  maker = await withScopes('*', 'api_keys:write');
});

afterAll(() => product?.close());

describe('a new key', () => {
  test('J3: a repeat under its Idempotency-Key gives the same bytes, secret included; at rest it is sealed', async () => {
    const idempotencyKey = 'a-key-whose-answer-is-lost';
    const first = await maker.post<Key>(PATH, NAMES, { idempotencyKey });
    const again = await maker.post<Key>(PATH, NAMES, { idempotencyKey });
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(again.text).toBe(first.text);
    expect((await product.client(first.body.secret).get('/v1/accounts')).status).toBe(200);
    const { rows } = await product.runtime.pool.query<{ body: string }>(
      'SELECT body FROM idempotency_keys WHERE book_id = $1 AND key = $2',
      [keys.testBookId, idempotencyKey],
    );
    expect(rows[0]!.body).toContain(first.body.id);
    expect(rows[0]!.body).not.toContain(first.body.secret);
    const { rows: events } = await product.runtime.pool.query<{ count: bigint }>(
      'SELECT count(*) FROM events WHERE book_id = $1 AND payload::text LIKE $2',
      [keys.testBookId, `%${first.body.secret}%`],
    );
    expect(Number(events[0]!.count)).toBe(0);
    expect((await maker.read<Key>(`${PATH}/${first.body.id}`)).secret).toBeUndefined();
  });

  test.each([['payouts:approve'], ['payouts:policy'], ['exceptions:approve'], ['api_keys:write']])(
    'J1: has no %s',
    async (scope) => {
      const { id: person } = await addPersonOf(product.runtime.pool, keys.testBookId, { name: 'Ada' });
      const { status, body } = await maker.post(PATH, { ...NAMES, person, scopes: [scope] });
      expect([status, body.code, body.required_scope]).toEqual([403, 'permission_denied', scope]);
    },
  );

  test('J1: with * for a person is made, and its * approves nothing and makes no keys', async () => {
    const { id: person } = await addPersonOf(product.runtime.pool, keys.testBookId, { name: 'Ada' });
    const key = await made({ name: 'All', person, scopes: ['*'] });
    expect([key.owner, key.scopes]).toEqual([person, ['*']]);
    const theirs = product.client(key.secret);
    expect((await theirs.get('/v1/accounts')).status).toBe(200);
    const refused = async (path: string, body: object) => {
      const answer = await theirs.post<Problem>(path, body);
      return [answer.status, answer.body.required_scope];
    };
    const payout = 'po_01h455vb4pex5vsknk084sn02q';
    expect(await refused(`/v1/payouts/${payout}/approve`, { version: 1 })).toEqual([403, 'payouts:approve']);
    expect(await refused(PATH, NAMES)).toEqual([403, 'api_keys:write']);
  });

  test('has nothing beyond the key that makes it, and what is left out from it', async () => {
    const expiresAt = Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000;
    const narrow = await product.clientWith({
      bookId: keys.testBookId,
      mode: 'test',
      scopes: ['accounts:read', 'api_keys:write'],
      allowedIps: ['127.0.0.0/8'],
      writesPerSecond: 20,
      readsPerSecond: 40,
      expiresAt,
    });
    expect(await made(NAMES, narrow)).toMatchObject({
      allowed_ips: ['127.0.0.0/8'],
      writes_per_second: 20,
      expires_at: new Date(expiresAt).toISOString(),
    });
    await made({ ...NAMES, allowed_ips: ['127.0.0.1'], writes_per_second: 19 }, narrow);
    const beyond = [
      { scopes: ['payouts:read'] },
      { scopes: ['*'] },
      { allowed_ips: ['127.0.0.1', '198.51.100.7'] },
      { allowed_ips: ['0.0.0.0/0'] },
      { writes_per_second: 21 },
      { reads_per_second: 41 },
      { expires_at: new Date(expiresAt + 1_000).toISOString() },
    ];
    for (const more of beyond) {
      const { status, body } = await narrow.post(PATH, { ...NAMES, ...more });
      expect([more, status, body.code]).toEqual([more, 403, 'permission_denied']);
    }
  });

  test('belongs to a person who is there, and to nobody of another organisation', async () => {
    const other = await product.organisation();
    const { id: stranger } = await addPersonOf(product.runtime.pool, other.keys.testBookId, { name: 'Eve' });
    const { id: left } = await addPersonOf(product.runtime.pool, keys.testBookId, { name: 'Ada' });
    await endPerson(product.runtime.pool, systemClock, parsePublicId('person', left)!);
    for (const person of [stranger, left]) {
      const { status, body } = await maker.post(PATH, { ...NAMES, person });
      expect([status, body.code, body.param]).toEqual([404, 'resource_not_found', '/person']);
    }
  });

  test('needs no scope that * has in live mode', async () => {
    const live = await product.clientWith({
      bookId: keys.liveBookId,
      mode: 'live',
      scopes: ['*', 'api_keys:write', 'cards:details'],
    });
    const { status, body } = await live.post(PATH, { ...NAMES, scopes: ['cards:details'] });
    expect([status, body.required_scope]).toEqual([403, 'cards:details']);
    expect((await live.post(PATH, { ...NAMES, scopes: ['*'] })).status).toBe(201);
  });
});

describe('a roll', () => {
  test("J2: a service rolls no person's key; the person rolls it with the key itself", async () => {
    const person = await addPersonOf(product.runtime.pool, keys.testBookId, {
      name: 'Ada',
      scopes: ['payouts:approve'],
    });
    const theirs = product.client(person.key);
    const id = await ownId(theirs);
    const refused = await maker.post(`${PATH}/${id}/roll`);
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied']);
    const idempotencyKey = 'a-roll-of-their-own';
    const rolled = await theirs.post<Key>(`${PATH}/${id}/roll`, {}, { idempotencyKey });
    expect([rolled.status, rolled.body.scopes, rolled.body.owner]).toEqual([200, ['payouts:approve'], person.id]);
    expect((await theirs.post(`${PATH}/${id}/roll`, {}, { idempotencyKey })).text).toBe(rolled.text);
    // Whoever makes keys and knows the Idempotency-Key does not see the secret.
    const stolen = await maker.post(`${PATH}/${id}/roll`, {}, { idempotencyKey });
    expect([stolen.status, stolen.text.includes(rolled.body.secret)]).toEqual([403, false]);
  });

  test('gives no key more than the one that rolls it, and ends the old one with its overlap', async () => {
    const strong = await withScopes('*');
    const refused = await maker.post(`${PATH}/${await ownId(strong)}/roll`);
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied']);
    const key = await made(NAMES);
    const { body: next } = await maker.post<Key>(`${PATH}/${key.id}/roll`, { overlap_seconds: 0 });
    expect((await maker.read<Key>(`${PATH}/${key.id}`)).status).toBe('revoked');
    expect((await product.client(next.secret).get('/v1/accounts')).status).toBe(200);
    const again = await maker.post(`${PATH}/${key.id}/roll`);
    expect([again.status, again.body.code]).toEqual([409, 'state_conflict']);
  });
});

describe('the people of an organisation', () => {
  test('are listed newest first with the services, in pages, also who has ended; others are not', async () => {
    const { pool } = product.runtime;
    const { keys: foreign } = await product.organisation();
    const stranger = await addPersonOf(pool, foreign.testBookId, { name: 'Eve' });
    const [ada, grace] = [
      await addPersonOf(pool, keys.testBookId, { name: 'Ada' }),
      await addPersonOf(pool, keys.testBookId, { name: 'Grace' }),
    ];
    await endPerson(pool, systemClock, parsePublicId('person', ada.id)!);
    interface Listed {
      id: string;
      type: string;
      name: string;
      ended_at: string | null;
    }
    const read = (query = '') => maker.get<List<Listed>>(`/v1/people?${query}`);
    const all: Listed[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await read(`limit=2${cursor && `&starting_after=${cursor}`}`);
      expect(status).toBe(200);
      all.push(...body.data);
      if (!body.has_more) break;
      cursor = body.next_cursor!;
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.find(({ id }) => id === ada.id)).toMatchObject({
      type: 'person',
      name: 'Ada',
      ended_at: expect.any(String),
    });
    expect(all.find(({ id }) => id === grace.id)).toMatchObject({ type: 'person', name: 'Grace', ended_at: null });
    expect(all.some(({ id, type }) => type === 'service' && id.startsWith('svc_'))).toBe(true);
    expect(all.some(({ id }) => id === stranger.id)).toBe(false);
    const back = await read(`ending_before=${all[2]!.id}&limit=2`);
    expect(back.body.data).toEqual(all.slice(0, 2));
    const refused = await maker.get<Problem>(`/v1/people?starting_after=${stranger.id}`);
    expect([refused.status, refused.body.code]).toEqual([400, 'cursor_invalid']);
    expect((await (await withScopes('accounts:read')).get('/v1/people')).status).toBe(403);
  });
});

describe('a key of the operator', () => {
  test('is made, rolled and revoked by the same commands: its events are those of the API, and its secret is nowhere', async () => {
    const { pool, committer } = product.runtime;
    const issuer = { db: pool, committer, actor: 'operator:ada' };
    const made = await issueApiKey(issuer, { bookId: keys.testBookId, mode: 'test', name: 'By hand', scopes: ['*'] });
    const shown = publicId('apiKey', made.id);
    expect((await product.client(made.token).get('/v1/accounts')).status).toBe(200);
    expect(await maker.read<Key & { made_over_api: boolean }>(`${PATH}/${shown}`)).toMatchObject({
      status: 'active',
      made_over_api: false,
      allowed_ips: [],
      expires_at: null,
    });
    const next = await rollApiKey(issuer, { id: made.id, overlapMs: 0 });
    expect((await maker.read<Key>(`${PATH}/${shown}`)).status).toBe('revoked');
    expect([await revokeApiKey(issuer, next.id), await revokeApiKey(issuer, next.id)]).toEqual([true, false]);
    const types = async (id: string) =>
      (await maker.read<List<{ type: string }>>(`/v1/events?object=${id}`)).data.map(({ type }) => type);
    expect(await types(shown)).toEqual(['api_key.rolled', 'api_key.created']);
    expect(await types(publicId('apiKey', next.id))).toEqual(['api_key.revoked', 'api_key.created']);
    for (const [table, column] of [
      ['events', 'payload'],
      ['idempotency_keys', 'body'],
    ])
      for (const { token } of [made, next])
        expect(
          (
            await pool.query(`SELECT 1 FROM ${table} WHERE book_id = $1 AND ${column}::text LIKE $2`, [
              keys.testBookId,
              `%${token}%`,
            ])
          ).rowCount,
        ).toBe(0);
  });

  test('never has api_keys:write beside what decides', async () => {
    const { pool, committer } = product.runtime;
    const issuer = { db: pool, committer, actor: 'operator:ada' };
    const scopes = ['api_keys:write', 'payouts:approve'];
    await expect(issueApiKey(issuer, { bookId: keys.testBookId, mode: 'test', name: 'Both', scopes })).rejects.toThrow(
      /No key has api_keys:write beside payouts:approve/,
    );
  });
});

describe('a revocation', () => {
  test('ends a key, its own without a scope', async () => {
    const key = await made(NAMES);
    const theirs = product.client(key.secret);
    const other = await made(NAMES);
    expect((await theirs.post(`${PATH}/${other.id}/revoke`)).status).toBe(403);
    const revoked = await theirs.post<Key>(`${PATH}/${key.id}/revoke`);
    expect([revoked.status, revoked.body.status, revoked.body.version]).toEqual([200, 'revoked', 2]);
    expect((await maker.post(`${PATH}/${key.id}/revoke`)).status).toBe(409);
    const events = await maker.read<List<{ type: string }>>(`/v1/events?object=${key.id}`);
    expect(events.data.map(({ type }) => type)).toEqual(['api_key.revoked', 'api_key.created']);
  });

  test('at the moment of a roll leaves no key, or comes after it', async () => {
    for (let round = 0; round < 10; round++) {
      const key = await made(NAMES);
      const [roll, revoke] = await Promise.all([
        maker.post<Key>(`${PATH}/${key.id}/roll`),
        maker.post<Key>(`${PATH}/${key.id}/revoke`),
      ]);
      expect(revoke.status).toBe(200);
      expect([200, 409]).toContain(roll.status);
      expect((await maker.read<Key>(`${PATH}/${key.id}`)).status).toBe('revoked');
    }
  });

  test('by hand at the moment of a roll is not undone', async () => {
    for (let round = 0; round < 10; round++) {
      const key = await made(NAMES);
      const id = parsePublicId('apiKey', key.id)!;
      const [roll] = await Promise.all([
        maker.post<Key>(`${PATH}/${key.id}/roll`),
        product.runtime.pool.query('UPDATE api_keys SET revoked_at = now() WHERE book_id = $1 AND id = $2', [
          keys.testBookId,
          id,
        ]),
      ]);
      expect([200, 409]).toContain(roll.status);
      expect((await maker.read<Key>(`${PATH}/${key.id}`)).status).toBe('revoked');
    }
  });

  test('of a person who ends leaves no key, also when keys are made and rolled at that moment', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await addPersonOf(product.runtime.pool, keys.testBookId, {
        name: 'Ada',
        scopes: ['accounts:read'],
      });
      const theirs = product.client(person.key);
      const id = await ownId(theirs);
      const answers = await Promise.all([
        maker.post<Key>(PATH, { ...NAMES, person: person.id }),
        theirs.post<Key>(`${PATH}/${id}/roll`),
        maker.post<Key>(PATH, { ...NAMES, person: person.id }),
        endPerson(product.runtime.pool, systemClock, parsePublicId('person', person.id)!),
      ]);
      for (const answer of answers.slice(0, 3)) expect((answer as { status: number }).status).toBeLessThan(500);
      const { rows } = await product.runtime.pool.query(
        'SELECT id FROM api_keys WHERE book_id = $1 AND owner_id = $2 AND revoked_at IS NULL',
        [keys.testBookId, parsePublicId('person', person.id)],
      );
      expect(rows).toEqual([]);
    }
  });

  test('of the key that makes one comes first, or after it', async () => {
    for (let round = 0; round < 5; round++) {
      const short = await withScopes('accounts:read', 'api_keys:write');
      const [key, revoked] = await Promise.all([
        short.post<Key>(PATH, NAMES),
        maker.post(`${PATH}/${await ownId(short)}/revoke`),
      ]);
      expect(revoked.status).toBe(200);
      expect([201, 401]).toContain(key.status);
      const after = await short.post(PATH, NAMES);
      expect([201, 401]).toContain(after.status);
    }
  });
});
