import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { generateApiKey } from '../../../src/organisations/api-key.ts';
import { findApiKey, listApiKeys, revokeApiKey } from '../../../src/organisations/api-key-store.ts';
import { type Authenticator, createAuthenticator } from '../../../src/organisations/authenticate.ts';
import { type IssueApiKey, issueApiKey, rollApiKey } from '../../../src/organisations/issue-api-key.ts';
import { openOrganisation } from '../../../src/organisations/open-organisation.ts';
import { findBookId } from '../../../src/organisations/organisation-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import type { Clock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = createLogger('silent', 'test');
const START = Date.parse('2026-03-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let pool: Pool;
let bookId: string;
let now: number;
const clock: Clock = { now: () => now };
const authenticators: Authenticator[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 4, log });
  now = START;
  const { id } = await openOrganisation(pool, { name: 'Acme', clock });
  bookId = (await findBookId(pool, id, 'test'))!;
});

beforeEach(() => {
  now = START;
});

afterAll(async () => {
  for (const authenticator of authenticators) await authenticator.close();
  await pool?.end();
  await database?.drop();
});

const authenticator = (options: { flushUsesAfterMs?: number } = {}) => {
  const made = createAuthenticator({ pool, clock, log, ...options });
  authenticators.push(made);
  return made;
};

const issue = (request: Partial<IssueApiKey> = {}) =>
  issueApiKey(pool, clock, { bookId, mode: 'test', name: 'key', scopes: ['*'], ...request });

describe('organisations', () => {
  test('opening one at the same time many times makes one, with one book a mode', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => openOrganisation(pool, { name: 'Twice', clock })));
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
    const { rows } = await pool.query(
      'SELECT mode, entry_sequence, event_sequence, chain_hash, last_posted_at FROM books WHERE organisation_id = $1 ORDER BY mode',
      [opened[0]!.id],
    );
    const empty = { entry_sequence: 0n, event_sequence: 0n, chain_hash: Buffer.alloc(32), last_posted_at: 0 };
    expect(rows).toEqual([
      { mode: 'live', ...empty },
      { mode: 'test', ...empty },
    ]);
  });
});

describe('a key', () => {
  test('opens its book, with its scopes and limits', async () => {
    const { key, token } = await issue({ scopes: ['payouts:write', 'accounts:read'], writesPerSecond: 5_000 });
    expect(await authenticator().authenticate(token, '127.0.0.1')).toMatchObject({
      keyId: key.id,
      bookId,
      mode: 'test',
      scopes: ['payouts:write', 'accounts:read'],
      writesPerSecond: 5_000,
      readsPerSecond: null,
    });
  });

  test('is not stored in the clear', async () => {
    const { token } = await issue();
    const { rows } = await pool.query('SELECT row_to_json(k)::text AS text FROM api_keys k');
    expect(rows.some(({ text }) => text.includes(token.slice(8)))).toBe(false);
  });

  test.each`
    token                               | kind
    ${'nothing like a key'}             | ${'another text'}
    ${''}                               | ${'nothing'}
    ${generateApiKey('test')}           | ${'a key that was never made'}
    ${`sk_test_${'\u0000'.repeat(32)}`} | ${'NUL characters'}
  `('$kind is answered api_key_invalid', async ({ token }) => {
    await expect(authenticator().authenticate(token, '127.0.0.1')).rejects.toMatchObject({ code: 'api_key_invalid' });
  });

  test('is refused once it has expired, from the cache too', async () => {
    const { token } = await issue({ expiresAt: START + HOUR_MS });
    const own = authenticator();
    await own.authenticate(token, '127.0.0.1');
    now = START + HOUR_MS;
    await expect(own.authenticate(token, '127.0.0.1')).rejects.toMatchObject({ code: 'api_key_expired' });
  });

  test('is refused from an address outside its list', async () => {
    const { token } = await issue({ allowedIps: ['203.0.113.0/24', '2001:db8::1'] });
    const own = authenticator();
    await own.authenticate(token, '::ffff:203.0.113.9');
    await own.authenticate(token, '2001:db8::1');
    await expect(own.authenticate(token, '::ffff:127.0.0.1')).rejects.toMatchObject({
      code: 'ip_not_allowed',
      message: 'The API key may not be used from 127.0.0.1.',
    });
  });

  test.each`
    fault                      | request                       | words
    ${'an unknown scope'}      | ${{ scopes: ['everything'] }} | ${/no scope everything/}
    ${'a network name'}        | ${{ allowedIps: ['office'] }} | ${/office is neither/}
    ${'an expiry in the past'} | ${{ expiresAt: START }}       | ${/cannot expire before it is made/}
  `('is not issued with $fault', async ({ request, words }) => {
    await expect(issue(request)).rejects.toThrow(words);
  });
});

describe('last use', () => {
  const lastUse = async (id: string) => (await findApiKey(pool, id))!.lastUsedAt;

  test('is written after the request, at most once a minute', async () => {
    const { key, token } = await issue();
    const own = authenticator({ flushUsesAfterMs: 1 });
    await own.authenticate(token, '127.0.0.1');
    await eventually(async () => expect(await lastUse(key.id)).toBe(START));
    now = START + 59_000;
    await own.authenticate(token, '127.0.0.1');
    await own.close();
    expect(await lastUse(key.id)).toBe(START);
    now = START + 60_000;
    await own.authenticate(token, '127.0.0.1');
    await own.close();
    expect(await lastUse(key.id)).toBe(START + 60_000);
  });

  test('written by two processes keeps the later time', async () => {
    const { key, token } = await issue();
    const [one, other] = [authenticator(), authenticator()];
    await one.authenticate(token, '127.0.0.1');
    now = START + 5 * 60_000;
    await other.authenticate(token, '127.0.0.1');
    await other.close();
    await one.close();
    expect(await lastUse(key.id)).toBe(START + 5 * 60_000);
  });

  test('is not set by a refused key', async () => {
    const { key, token } = await issue({ allowedIps: ['203.0.113.1'] });
    const own = authenticator();
    await own.authenticate(token, '127.0.0.1').catch(() => undefined);
    await own.close();
    expect(await lastUse(key.id)).toBeNull();
  });
});

describe('rolling a key', () => {
  test('issues a successor with the same rights; both open during the overlap', async () => {
    const old = await issue({
      scopes: ['payouts:read'],
      allowedIps: ['127.0.0.1'],
      readsPerSecond: 7,
      expiresAt: START + 48 * HOUR_MS,
    });
    const next = await rollApiKey(pool, clock, { id: old.key.id, overlapMs: 24 * HOUR_MS });
    expect(next.key).toMatchObject({
      scopes: ['payouts:read'],
      allowedIps: ['127.0.0.1/32'],
      readsPerSecond: 7,
      expiresAt: START + 48 * HOUR_MS,
    });
    const own = authenticator();
    await own.authenticate(old.token, '127.0.0.1');
    now = START + 24 * HOUR_MS;
    await expect(own.authenticate(old.token, '127.0.0.1')).rejects.toMatchObject({ code: 'api_key_expired' });
    expect(await own.authenticate(next.token, '127.0.0.1')).toMatchObject({ keyId: next.key.id });
  });

  test('without overlap revokes the old key at once', async () => {
    const old = await issue();
    await rollApiKey(pool, clock, { id: old.key.id, overlapMs: 0 });
    await expect(authenticator().authenticate(old.token, '127.0.0.1')).rejects.toMatchObject({
      code: 'api_key_invalid',
    });
  });

  test('does not extend a key that expires sooner', async () => {
    const old = await issue({ expiresAt: START + HOUR_MS });
    await rollApiKey(pool, clock, { id: old.key.id, overlapMs: 24 * HOUR_MS });
    expect((await findApiKey(pool, old.key.id))!.expiresAt).toBe(START + HOUR_MS);
  });

  test('is refused for a revoked or unknown key', async () => {
    const { key } = await issue();
    await revokeApiKey(pool, { bookId, id: key.id, at: now });
    const before = (await listApiKeys(pool, { limit: 1_000 })).length;
    await expect(rollApiKey(pool, clock, { id: key.id, overlapMs: 0 })).rejects.toThrow(/is revoked/);
    await expect(rollApiKey(pool, clock, { id: newId(), overlapMs: 0 })).rejects.toThrow(/no such key/);
    expect((await listApiKeys(pool, { limit: 1_000 })).length).toBe(before);
  });
});

test('keys are listed in pages, by organisation and mode', async () => {
  const { id } = await openOrganisation(pool, { name: 'Lister', clock });
  const live = (await findBookId(pool, id, 'live'))!;
  const made = [];
  for (let n = 0; n < 3; n++) made.push((await issue({ bookId: live, mode: 'live' })).key.id);
  const first = await listApiKeys(pool, { organisationName: 'Lister', mode: 'live', limit: 2 });
  const second = await listApiKeys(pool, { organisationName: 'Lister', limit: 2, after: first[1]!.id });
  expect([...first, ...second].map((key) => key.id)).toEqual(made);
  expect(await listApiKeys(pool, { organisationName: 'Lister', mode: 'test', limit: 2 })).toEqual([]);
});
