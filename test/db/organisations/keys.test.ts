/** `npm run keys`, run as an operator runs it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { program } from '../../../scripts/keys.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createAuthenticator } from '../../../src/organisations/authenticate.ts';
import { OPERATOR_NAME } from '../../../src/organisations/organisation.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 2, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const keys = (args: string[], environment: NodeJS.ProcessEnv = { DATABASE_URL: database.applicationUrl }) =>
  runHere(program, args, environment);

const json = async (args: string[]) => {
  const { code, out, err } = await keys([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
};

const authenticate = async (token: string) => {
  const authenticator = createAuthenticator({ pool, clock: systemClock });
  try {
    return await authenticator.authenticate(token, '127.0.0.1');
  } finally {
    await authenticator.close();
  }
};

test('create, list, roll and revoke', async () => {
  const made = await json([
    'create',
    '--organisation',
    'Acme',
    '--mode',
    'live',
    '--name',
    'shop',
    '--scopes',
    'payouts:write,payouts:read',
    '--expires',
    '90d',
    '--ips',
    '127.0.0.0/8',
    '--writes-per-second',
    '500',
  ]);
  expect(made).toMatchObject({
    name: 'shop',
    scopes: ['payouts:write', 'payouts:read'],
    allowed_ips: ['127.0.0.0/8'],
    writes_per_second: 500,
  });
  expect(await authenticate(made.key)).toMatchObject({ mode: 'live', scopes: ['payouts:write', 'payouts:read'] });

  const listed = await json(['list', '--organisation', 'Acme']);
  expect(listed).toMatchObject({ id: made.id, organisation: 'Acme', mode: 'live', standing: 'good' });
  expect(JSON.stringify(listed)).not.toContain(made.key);

  const next = await json(['roll', made.id, '--overlap', '1h']);
  expect(next).toMatchObject({ name: 'shop', scopes: made.scopes, expires_at: made.expires_at });
  await authenticate(made.key);
  await authenticate(next.key);

  expect(await json(['revoke', made.id])).toEqual({ id: made.id, revoked: true, changed: true });
  expect(await json(['revoke', made.id])).toMatchObject({ changed: false });
  await expect(authenticate(made.key)).rejects.toMatchObject({ code: 'api_key_invalid' });
  await authenticate(next.key);
});

test('a key belongs to a service of its name, or to a person until the person ends', async () => {
  const service = await json(['create', '--organisation', 'Owned', '--mode', 'test', '--name', 'shop']);
  expect(service.owner).toEqual({ type: 'service', id: expect.stringMatching(/^svc_/), name: 'shop' });
  const person = await json(['person', 'Ada', '--organisation', 'Owned']);
  expect(person).toEqual({ id: expect.stringMatching(/^person_/), type: 'person', name: 'Ada' });
  const own = await json(['create', '--organisation', 'Owned', '--mode', 'test', '--person', person.id]);
  expect(own.owner).toEqual({ type: 'person', id: person.id, name: 'Ada' });
  expect((await json(['roll', own.id])).owner).toEqual(own.owner);

  const { out } = await keys(['people', '--organisation', 'Owned', '--json']);
  const people = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(people.map(({ type, name, valid_keys }) => [type, name, valid_keys])).toEqual([
    ['service', 'shop', 1],
    ['person', 'Ada', 2],
  ]);
  expect((await keys(['list', '--organisation', 'Owned'])).out).toContain(person.id);

  expect(await json(['end', person.id])).toEqual({ id: person.id, ended: true, changed: true, revoked_keys: 2 });
  const refused = await keys(['create', '--organisation', 'Owned', '--mode', 'test', '--person', person.id]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/has ended/)]);
});

test("the operator's books are opened by --operator alone, to read", async () => {
  const made = await json(['create', '--operator', '--mode', 'live']);
  const books = await operatorBooks(pool);
  expect(await authenticate(made.key)).toMatchObject({ bookId: books.live, mode: 'live' });
  expect(made.scopes.every((scope: string) => scope.endsWith(':read'))).toBe(true);
  const named = await json(['create', '--organisation', OPERATOR_NAME, '--mode', 'live']);
  expect((await authenticate(named.key)).bookId).not.toBe(books.live);
});

test.each`
  mode      | scopes
  ${'live'} | ${'exceptions:read,exceptions:write,exceptions:approve'}
  ${'test'} | ${'events:read,simulations:write'}
`("a $mode key of the operator's books may have $scopes", async ({ mode, scopes }) => {
  const made = await json(['create', '--operator', '--mode', mode, '--scopes', scopes]);
  expect(made.scopes).toEqual(scopes.split(','));
});

test('a second key of an organisation opens the same book', async () => {
  const [first, second] = [
    await json(['create', '--organisation', 'Twice', '--mode', 'test']),
    await json(['create', '--organisation', 'Twice', '--mode', 'test']),
  ];
  expect((await authenticate(first.key)).bookId).toBe((await authenticate(second.key)).bookId);
});

test('without --json the output shows the key and its id', async () => {
  const { out } = await keys(['create', '--organisation', 'Reader', '--mode', 'test']);
  expect(out).toMatch(/^sk_test_[0-9A-Za-z]{32}\n\nkey_[0-9a-z]{26}, shown this once/);
  const list = await keys(['list', '--organisation', 'Reader']);
  expect(list.out).toMatch(/sk_test_…[0-9A-Za-z]{4}/);
  expect((await keys(['list', '--organisation', 'Nobody'])).out).toMatch(/There are no keys\. Make one/);
});

test.each`
  args                                                                                                    | words
  ${['create', '--mode', 'test']}                                                                         | ${/--organisation/}
  ${['create', '--organisation', 'X', '--mode', 'prod']}                                                  | ${/test or live/}
  ${['create', '--organisation', 'X', '--mode', 'test', '--scopes', 'everything']}                        | ${/no scope everything/}
  ${['create', '--organisation', 'X', '--mode', 'test', '--expires', 'tomorrow']}                         | ${/2027-01-31T00:00:00Z/}
  ${['create', '--organisation', 'X', '--mode', 'test', '--expires', '2020-01-01']}                       | ${/cannot expire before it is made/}
  ${['create', '--organisation', 'X', '--mode', 'test', '--ips', 'office']}                               | ${/office is neither/}
  ${['create', '--operator', '--organisation', 'X', '--mode', 'test']}                                    | ${/cannot be used with/}
  ${['create', '--operator', '--mode', 'test', '--scopes', 'payouts:write']}                              | ${/may not have payouts:write/}
  ${['create', '--operator', '--mode', 'live', '--scopes', 'simulations:write']}                          | ${/may not have simulations:write/}
  ${['create', '--operator', '--mode', 'test', '--scopes', '*']}                                          | ${/may not have \*/}
  ${['create', '--organisation', 'X', '--mode', 'test', '--person', 'Ada']}                               | ${/person_01h455vb4pex5vsknk084sn02q/}
  ${['create', '--organisation', 'X', '--mode', 'test', '--person', 'person_01h455vb4pex5vsknk084sn02q']} | ${/no such person in this organisation/}
  ${['person', 'Ada']}                                                                                    | ${/--organisation NAME, or --operator/}
  ${['end', 'person_01h455vb4pex5vsknk084sn02q']}                                                         | ${/There is no person person_01h455vb4pex5vsknk084sn02q/}
  ${['revoke', 'shop']}                                                                                   | ${/key_01h455vb4pex5vsknk084sn02q/}
  ${['revoke', 'key_01h455vb4pex5vsknk084sn02q']}                                                         | ${/There is no key key_01h455vb4pex5vsknk084sn02q/}
  ${['roll', 'key_01h455vb4pex5vsknk084sn02q', '--overlap', 'long']}                                      | ${/24h, 30m, 7d or 0/}
`('keys $args is refused with a message', async ({ args, words }) => {
  const { code, out, err } = await keys(args);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(words);
  expect(err).not.toMatch(/\n\s+at /);
});

test('without a database the command says what to set or start', async () => {
  const { code, err } = await keys(['list'], { COUNTINGHOUSE_DATA: 'no-such-folder' });
  expect(code).toBe(1);
  expect(err).toMatch(/no folder .*no-such-folder[\s\S]*npm start[\s\S]*DATABASE_URL/);
});
