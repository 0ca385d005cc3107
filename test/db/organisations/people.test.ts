/** To whom keys belong: people and services, also where release 0.2.0 made the key. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueApiKey, rollApiKey } from '../../../scripts/harness/issue-api-key.ts';
import { changeAccountStatus } from '../../../src/accounts/account/change-account.ts';
import { adoptKeys } from '../../../src/organisations/adopt-keys.ts';
import { generateApiKey, hashApiKey } from '../../../src/organisations/api-key.ts';
import { findApiKey } from '../../../src/organisations/api-key-store.ts';
import { createAuthenticator } from '../../../src/organisations/authenticate.ts';
import { endPerson } from '../../../src/organisations/end-person.ts';
import type { IssueApiKey } from '../../../src/organisations/issue-api-key.ts';
import { openOrganisation } from '../../../src/organisations/open-organisation.ts';
import { findOrganisationOfBook } from '../../../src/organisations/organisation-store.ts';
import { newPerson, type Person, serviceOf } from '../../../src/organisations/person.ts';
import { findPerson, insertPeople, listPeople } from '../../../src/organisations/person-store.ts';
import { readTimeline } from '../../../src/timeline/timeline.ts';
import type { Clock } from '../../../src/values/clock.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const clock: Clock = { now: () => START };

let database: TestDatabase;
let book: TestBook;
let organisationId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  organisationId = (await findOrganisationOfBook(book.pool, book.id))!;
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const issue = (request: Partial<IssueApiKey> = {}) =>
  issueApiKey(book.pool, clock, { bookId: book.id, mode: 'test', name: 'shop', scopes: ['*'], ...request });

async function addPerson(name: string | null = 'Ada', of = organisationId): Promise<Person> {
  const person = { ...newPerson(of, 'Ada', START), name };
  await insertPeople(book.pool, [person]);
  return person;
}

/** A key as release 0.2.0 inserts it. */
async function keyOfLastRelease(name: string): Promise<{ id: string; token: string }> {
  const [id, token] = [newId(), generateApiKey('test')];
  await book.pool.query(
    `INSERT INTO api_keys (book_id, id, name, hash, prefix, last_four, scopes, allowed_ips, created_at)
     VALUES ($1, $2, $3, $4, 'sk_test_', $5, '{*}', '{}', $6)`,
    [book.id, id, name, hashApiKey(token), token.slice(-4), new Date(START)],
  );
  return { id, token };
}

async function principalOf(token: string) {
  const authenticator = createAuthenticator({ pool: book.pool, clock });
  try {
    return await authenticator.authenticate(token, '127.0.0.1');
  } finally {
    await authenticator.close();
  }
}

const ownerOf = async (keyId: string) => (await findApiKey(book.pool, keyId))!.owner;
const servicesNamed = (name: string) =>
  book.pool.query("SELECT id FROM people WHERE name = $1 AND kind = 'service'", [name]).then(({ rows }) => rows);

describe('a key', () => {
  test('belongs to the service of its name, one for all keys of that name', async () => {
    const [first, second] = await Promise.all([issue(), issue()]);
    const service = serviceOf(organisationId, 'shop', START);
    const owner = { id: service.id, kind: 'service', name: 'shop' };
    expect([await ownerOf(first.key.id), await ownerOf(second.key.id)]).toEqual([owner, owner]);
    expect(await servicesNamed('shop')).toHaveLength(1);
    expect(await principalOf(first.token)).toMatchObject({ ownerKind: 'service', ownerId: service.id });
  });

  test('belongs to the person that it is made for', async () => {
    const person = await addPerson();
    const { key, token } = await issue({ personId: person.id });
    expect(await ownerOf(key.id)).toEqual({ id: person.id, kind: 'person', name: 'Ada' });
    expect(await principalOf(token)).toMatchObject({ ownerKind: 'person', ownerId: person.id });
  });

  test('of a person whose name is erased stays theirs', async () => {
    const person = await addPerson(null);
    const { key } = await issue({ personId: person.id });
    expect(await ownerOf(key.id)).toEqual({ id: person.id, kind: 'person', name: null });
  });

  test('keeps its owner when it is rolled', async () => {
    const person = await addPerson();
    const own = await issue({ personId: person.id });
    const [service, old] = [await issue({ name: 'rolled' }), await keyOfLastRelease('rolled')];
    for (const id of [own.key.id, service.key.id, old.id]) {
      const next = await rollApiKey(book.pool, clock, { id, overlapMs: 0 });
      expect(await ownerOf(next.key.id)).toEqual(await ownerOf(id));
    }
  });

  test.each`
    who                     | personId
    ${'nobody'}             | ${() => newId()}
    ${'a service'}          | ${async () => (await issue()).key.owner.id}
    ${'a person who ended'} | ${ended}
    ${'a person of others'} | ${ofOthers}
  `('is not made for $who', async ({ personId }) => {
    const id = await personId();
    const before = await book.rows('SELECT id FROM api_keys WHERE book_id = $1');
    await expect(issue({ personId: id })).rejects.toThrow(/no such person in this organisation|has ended/);
    expect(await book.rows('SELECT id FROM api_keys WHERE book_id = $1')).toEqual(before);
  });

  async function ended() {
    const { id } = await addPerson();
    await endPerson(book.pool, clock, id);
    return id;
  }

  async function ofOthers() {
    const others = await openOrganisation(book.pool, { name: 'Others', clock });
    return (await addPerson('Eve', others.id)).id;
  }
});

describe('a key that release 0.2.0 made', () => {
  test('is read as one of the service of its name, and gets it when keys are adopted', async () => {
    const { id, token } = await keyOfLastRelease('till');
    const service = serviceOf(organisationId, 'till', START);
    expect(await ownerOf(id)).toEqual({ id: service.id, kind: 'service', name: 'till' });
    expect(await principalOf(token)).toMatchObject({ ownerKind: 'service', ownerId: service.id });
    expect(await findPerson(book.pool, service.id)).toBeUndefined();

    await keyOfLastRelease('till');
    await Promise.all(Array.from({ length: 4 }, () => adoptKeys(book.pool)));
    expect(await findPerson(book.pool, service.id)).toEqual(service);
    expect(await book.rows('SELECT id FROM api_keys WHERE book_id = $1 AND owner_id IS NULL')).toEqual([]);
    expect(await ownerOf(id)).toEqual({ id: service.id, kind: 'service', name: 'till' });
  });

  test('is adopted however many there are, each name of each organisation once', async () => {
    await book.pool.query(
      `INSERT INTO api_keys (book_id, id, name, hash, prefix, last_four, scopes, created_at)
       SELECT $1, gen_random_uuid(), 'many ' || n % 3, sha256(n::text::bytea), 'sk_test_', '0000', '{*}', $2
       FROM generate_series(1, 1200) AS n`,
      [book.id, new Date(START)],
    );
    await adoptKeys(book.pool);
    const { rows } = await book.pool.query(
      `SELECT p.name, count(*)::int AS keys FROM people p JOIN api_keys k ON k.owner_id = p.id
       WHERE p.name LIKE 'many %' AND p.kind = 'service' GROUP BY p.name ORDER BY p.name`,
    );
    expect(rows).toEqual(['many 0', 'many 1', 'many 2'].map((name) => ({ name, keys: 400 })));
  });
});

describe('a person who ends', () => {
  test('has no valid key from then on, and keeps the row', async () => {
    const person = await addPerson();
    const { token } = await issue({ personId: person.id });
    const listed = async () =>
      (await listPeople(book.pool, { organisationName: undefined, now: START, after: undefined, limit: 500 })).find(
        ({ id }) => id === person.id,
      );
    expect(await listed()).toMatchObject({ name: 'Ada', validKeys: 1, endedAt: null });
    expect(await endPerson(book.pool, clock, person.id)).toEqual({ changed: true, revokedKeys: 1 });
    expect(await endPerson(book.pool, clock, person.id)).toMatchObject({ changed: false });
    expect(await listed()).toMatchObject({ name: 'Ada', validKeys: 0, endedAt: START });
    await expect(principalOf(token)).rejects.toMatchObject({ code: 'api_key_invalid' });
  });

  test('has none either when a key is made or rolled at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await addPerson();
      const { key } = await issue({ personId: person.id });
      const results = await Promise.allSettled([
        endPerson(book.pool, clock, person.id),
        issue({ personId: person.id }),
        rollApiKey(book.pool, clock, { id: key.id, overlapMs: 1_000 }),
      ]);
      expect(results[0]!.status).toBe('fulfilled');
      for (const result of results)
        if (result.status === 'rejected') expect(String(result.reason)).toMatch(/has ended|revoked/);
      const valid = await book.rows(
        'SELECT id FROM api_keys WHERE book_id = $1 AND owner_id = $2 AND revoked_at IS NULL',
        person.id,
      );
      expect(valid).toEqual([]);
    }
  });
});

test('a timeline shows the owner of a key that events name in either form, read in one query', async () => {
  const person = await addPerson();
  const [own, old] = [await issue({ personId: person.id }), await keyOfLastRelease('old till')];
  const accountId = await book.account();
  const act = (action: 'freeze' | 'unfreeze' | 'close', actor: string) =>
    book.submit(changeAccountStatus(action, { accountId, currency: 'EUR', requestId: newId(), actor }, []));
  const shownKey = (id: string) => publicId('apiKey', id);
  const unknown = newId();
  await act('freeze', `api_key:${shownKey(own.key.id)}`);
  await act('unfreeze', `api_key:${shownKey(old.id)}`);
  await act('freeze', `api_key:${shownKey(unknown)}`);
  await act('unfreeze', `person:${publicId('person', person.id)}:${shownKey(own.key.id)}`);

  const of = { bookId: book.id, resource: { events: [] }, id: accountId, page: { limit: 20 } };
  const { items } = await readTimeline(book.pool, of);
  const ofPerson = { type: 'person', id: publicId('person', person.id), key: shownKey(own.key.id) };
  expect(items.slice(1).map(({ actor }) => actor)).toEqual([
    ofPerson,
    {
      type: 'service',
      id: publicId('service', serviceOf(organisationId, 'old till', START).id),
      key: shownKey(old.id),
    },
    { type: 'service', id: null, key: shownKey(unknown) },
    ofPerson,
  ]);
});
