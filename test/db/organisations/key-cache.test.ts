/** Keys in memory: how long they count, and how soon a change of a key takes effect in every process. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { generateApiKey, hashApiKey } from '../../../src/organisations/api-key.ts';
import { expireApiKey, insertApiKey, revokeApiKey } from '../../../src/organisations/api-key-store.ts';
import { createAuthenticator } from '../../../src/organisations/authenticate.ts';
import { endPerson } from '../../../src/organisations/end-person.ts';
import { type IssueApiKey, type IssuedApiKey, issueApiKey } from '../../../src/organisations/issue-api-key.ts';
import { MAX_AGE_MS } from '../../../src/organisations/key-stamp.ts';
import { openOrganisation } from '../../../src/organisations/open-organisation.ts';
import { findBookId } from '../../../src/organisations/organisation-store.ts';
import { newPerson } from '../../../src/organisations/person.ts';
import { insertPeople } from '../../../src/organisations/person-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { type Clock, systemClock } from '../../../src/values/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { type KeyPool, openKeyPool } from '../../support/key-pool.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = createLogger('silent', 'test');
const clock: Clock = systemClock;
const ADDRESS = '127.0.0.1';

let database: TestDatabase;
/** Where keys are changed: another process. */
let elsewhere: Pool;
/** What only the owner may change. */
let owner: Pool;
let bookId: string;
let organisationId: string;
let asked: KeyPool;
/** What a test opened, closed in reverse order. */
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  closing.push(() => database.drop());
  elsewhere = poolOf(database.applicationUrl);
  owner = poolOf(database.ownerUrl);
  asked = openKeyPool(database.applicationUrl);
  closing.push(() => asked.pool.end());
  organisationId = (await openOrganisation(elsewhere, { name: 'Acme', clock })).id;
  bookId = (await findBookId(elsewhere, organisationId, 'test'))!;
});

afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0).reverse()) await close();
});

function poolOf(url: string): Pool {
  const pool = createPool({ url, name: 'test', size: 4, log });
  closing.push(() => pool.end());
  return pool;
}

function authenticatorOn(pool: Pool, now?: () => number) {
  const made = createAuthenticator({ pool, clock, log, ...(now && { now }) });
  closing.push(() => made.close());
  const use = (token: string) => made.authenticate(token, ADDRESS);
  return Object.assign(use, { close: made.close });
}

const issue = (request: Partial<IssueApiKey> = {}) =>
  issueApiKey(elsewhere, clock, { bookId, mode: 'test', name: 'key', scopes: ['*'], ...request });
const revoke = ({ key }: IssuedApiKey) => revokeApiKey(elsewhere, { bookId, id: key.id, at: clock.now() });
const INVALID = { code: 'api_key_invalid' };

describe('an answer from memory', () => {
  test('serves a hundred concurrent requests with one lookup, later ones with none', async () => {
    const { token } = await issue();
    const use = authenticatorOn(asked.pool, () => 0);
    await Promise.all(Array.from({ length: 100 }, () => use(token)));
    await use(token);
    expect(asked.lookUps()).toBe(1);
  });

  test('serves a thousand invalid keys with a few lookups, and none the second time', async () => {
    const use = authenticatorOn(asked.pool, () => 0);
    const tokens = Array.from({ length: 1_000 }, () => generateApiKey('live'));
    const all = () => Promise.all(tokens.map((token) => use(token).catch(({ code }) => code)));
    expect(new Set(await all())).toEqual(new Set(['api_key_invalid']));
    const before = asked.lookUps();
    expect(before).toBeLessThanOrEqual(4);
    await all();
    expect(asked.lookUps()).toBe(before);
  });

  test('counts for a minute, as long as the stamp is known', async () => {
    const [first, second] = [await issue(), await issue()];
    let now = 0;
    const use = authenticatorOn(asked.pool, () => now);
    await use(first.token);
    now = 59_999;
    // A lookup reads the stamp too.
    await use(second.token);
    await use(first.token);
    expect(asked.lookUps()).toBe(2);
    now = 60_000;
    await use(second.token);
    await use(first.token);
    expect(asked.lookUps()).toBe(3);
  });

  test('counts while the stamp is read beside it, for a book that is quiet too', async () => {
    const { token } = await issue();
    const use = authenticatorOn(asked.pool);
    await use(token);
    // More than the stamp may be old.
    await eventually(() => expect(asked.readings()).toBeGreaterThanOrEqual(3));
    await use(token);
    expect(asked.lookUps()).toBe(1);
  });

  test('counts no more once the stamp is a second old', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { token } = await issue();
    let now = 0;
    const use = authenticatorOn(asked.pool, () => now);
    await use(token);
    now = MAX_AGE_MS - 1;
    await use(token);
    expect(asked.lookUps()).toBe(1);
    now = MAX_AGE_MS;
    await use(token);
    expect(asked.lookUps()).toBe(2);
  });

  test('opens without a database for as long as it counts; then requests are service_unavailable until it is back', async () => {
    const [first, second] = [await issue(), await issue()];
    const gone = database.applicationUrl.replace(/:\d+\//, ':1/'); // a port on which nothing listens
    const lost = createPool({ url: gone, name: 'lost', size: 1, log });
    closing.push(() => lost.end());
    let now = 0;
    const use = authenticatorOn(lost, () => now);
    const unavailable = { code: 'service_unavailable', headers: { 'Retry-After': '1' } };
    await expect(use(first.token)).rejects.toMatchObject(unavailable);
    lost.options.connectionString = database.applicationUrl;
    await use(first.token);
    lost.options.connectionString = gone;
    await elsewhere.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'lost %'`,
    );
    await eventually(() => expect(lost.totalCount).toBe(0));
    await use(first.token);
    await expect(use(second.token)).rejects.toMatchObject(unavailable);
    now = MAX_AGE_MS;
    await expect(use(first.token)).rejects.toMatchObject(unavailable);
    lost.options.connectionString = database.applicationUrl;
    expect(await use(first.token)).toMatchObject({ keyId: first.key.id });
    expect(await use(second.token)).toMatchObject({ keyId: second.key.id });
  });
});

describe('in a process that has the key in memory', () => {
  const sql = (text: string) => (issued: IssuedApiKey) => owner.query(text, [issued.key.id]);

  test.each<[string, (issued: IssuedApiKey) => Promise<unknown>, object]>([
    ['a revocation', revoke, INVALID],
    [
      'an earlier expiry',
      ({ key }) => expireApiKey(elsewhere, { bookId, id: key.id, at: clock.now() }),
      { code: 'api_key_expired' },
    ],
    ['the end of its person', ({ key }) => endPerson(elsewhere, clock, key.owner.id), INVALID],
    [
      'an update by hand',
      sql(`UPDATE api_keys SET allowed_ips = '{203.0.113.7/32}' WHERE id = $1`),
      { code: 'ip_not_allowed' },
    ],
    ['a deletion by hand', sql('DELETE FROM api_keys WHERE id = $1'), INVALID],
  ])('%s takes effect', async (_, change, refusal) => {
    const person = newPerson(organisationId, 'Ada', clock.now());
    await insertPeople(elsewhere, [person]);
    const issued = await issue({ personId: person.id });
    const use = authenticatorOn(asked.pool);
    await use(issued.token);
    await change(issued);
    await eventually(() => expect(use(issued.token)).rejects.toMatchObject(refusal));
  });

  test('a change of its limits and scopes takes effect', async () => {
    const issued = await issue();
    const use = authenticatorOn(asked.pool);
    await use(issued.token);
    await sql(`UPDATE api_keys SET writes_per_second = 7, scopes = '{payouts:read}' WHERE id = $1`)(issued);
    const changed = { writesPerSecond: 7, scopes: ['payouts:read'] };
    await eventually(async () => expect(await use(issued.token)).toMatchObject(changed));
  });

  test('an unknown key opens once it is made', async () => {
    const [{ key }, token] = [await issue(), generateApiKey('test')];
    const use = authenticatorOn(asked.pool);
    await expect(use(token)).rejects.toMatchObject(INVALID);
    await insertApiKey(elsewhere, { ...key, id: crypto.randomUUID(), hash: hashApiKey(token) });
    await eventually(() => use(token));
  });

  test('a lookup that began before the revocation and ended after it is not remembered', async () => {
    const issued = await issue();
    const use = authenticatorOn(asked.pool);
    const held = asked.holdNext();
    const early = use(issued.token);
    await held.answered;
    await revoke(issued);
    // Of two readings that end from now on, the second began after the revocation.
    const before = asked.readings();
    await eventually(() => expect(asked.readings()).toBeGreaterThanOrEqual(before + 2));
    held.gate.open();
    // It came before the revocation.
    expect(await early).toMatchObject({ keyId: issued.key.id });
    await expect(use(issued.token)).rejects.toMatchObject(INVALID);
  });

  test.each`
    age               | answer
    ${MAX_AGE_MS - 1} | ${'joins it'}
    ${MAX_AGE_MS}     | ${'asks again'}
  `('a request that finds a lookup of $age ms under way $answer', async ({ age, answer }) => {
    const issued = await issue();
    let now = 0;
    const use = authenticatorOn(asked.pool, () => now);
    const held = asked.holdNext();
    const early = use(issued.token);
    await held.answered;
    await revoke(issued);
    now = age;
    const late = use(issued.token);
    held.gate.open();
    await early;
    if (answer === 'joins it') expect(await late).toMatchObject({ keyId: issued.key.id });
    else await expect(late).rejects.toMatchObject(INVALID);
  });
});

describe('the stamp is read', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });

  test('only while keys are asked for', async () => {
    const { token } = await issue();
    let now = 0;
    const use = authenticatorOn(asked.pool, () => now);
    expect(vi.getTimerCount()).toBe(0);
    await use(token);
    expect(vi.getTimerCount()).toBe(1);
    now = 60_001;
    vi.advanceTimersByTime(500);
    expect(vi.getTimerCount()).toBe(0);
    await use(token);
    expect(vi.getTimerCount()).toBe(1);
    expect(asked.readings()).toBe(0);
  });

  test('until the authenticator is closed', async () => {
    const { token } = await issue();
    const use = authenticatorOn(asked.pool);
    await use(token);
    await use.close();
    expect(vi.getTimerCount()).toBe(0);
    await use(token);
    expect(vi.getTimerCount()).toBe(0);
  });
});
