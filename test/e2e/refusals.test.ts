/**
 * Every operation refuses as the document says: each status that it lists is provoked here, or was heard in transcript/. The
 * answers are examples of the document (src/http/reference/examples/errors.json).
 * `npx vitest run test/e2e/refusals.test.ts -u` records them anew.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type Client, type Problem, type SendOptions, until } from '../../scripts/harness/client.ts';
import { issueApiKey } from '../../scripts/harness/issue-api-key.ts';
import { isWrite, type Route } from '../../src/api/route.ts';
import { ERRORS, type ErrorCode } from '../../src/errors/errors.ts';
import { BODY_LIMIT_BYTES } from '../../src/http/input/request-body.ts';
import { codesOf } from '../../src/http/reference/openapi.ts';
import { readExamples } from '../../src/http/reference/openapi-examples.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { MAKES_KEYS, SCOPES } from '../../src/organisations/api-key.ts';
import type { IssueApiKey } from '../../src/organisations/issue-api-key.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { startContracted } from '../support/contracted.ts';
import { startWithGateway } from '../support/gateway.ts';
import { HeldSecond } from '../support/held-second.ts';
import { bodiesOf, type OneOfEach, oneOfEach, pathOf } from '../support/one-of-each.ts';
import { addPersonOf } from '../support/people.ts';
import { lookInto, type OrganisationKeys, type Product, startProduct } from '../support/product.ts';
import { Refusals } from './transcript/refused.ts';

const writes = ROUTES.filter(isWrite);
/** They name themselves: an Idempotency-Key is not looked at. */
const messages = ROUTES.filter(({ isMessage }) => isMessage);
const keyed = writes.filter(({ isMessage }) => !isMessage);
const withBodies = ROUTES.filter(({ method }) => method === 'post' || method === 'patch');

const named = (...names: string[]) => ROUTES.filter(({ operation }) => names.includes(operation));

const refusals = new Refusals();
const second = new HeldSecond();
let product: Product;
let keys: OrganisationKeys;
let client: Client;
/** By the key of a person, who may do what a service may not. */
let ada: Client;
/** By a key that makes keys. */
let maker: Client;
let ids: OneOfEach;
/** In the place of the reference's example, where that names something that is not there. */
let bodies: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres', api: { limiter: second.limiter } });
  ({ keys, client } = await product.organisation());
  maker = await keyWith({ scopes: ['*', MAKES_KEYS] });
  ids = await oneOfEach(product, keys);
  const person = await addPersonOf(product.runtime.pool, keys.testBookId, { name: 'Ada' });
  ada = product.client(person.key);
  bodies = bodiesOf(ids, person.id);
});
afterAll(() => product?.close());

interface Call extends SendOptions {
  by?: Client;
  query?: string;
  of?: OneOfEach;
}

/** The route as the reference shows it, by a key that may do everything. */
async function call(
  route: Route,
  { by = client, query = '', of = ids, ...options }: Call = {},
): Promise<Answer<Problem>> {
  const body = withBodies.includes(route)
    ? (options.body ?? bodies[route.operation] ?? route.bodyExample ?? {})
    : undefined;
  const caller = route.scope === MAKES_KEYS && [client, ada].includes(by) ? maker : by;
  const began = Date.now();
  const answer = await caller.send<Problem>(route.method.toUpperCase(), `${pathOf(route, of)}${query}`, {
    ...(options.rawBody === undefined && { body }),
    ...options,
  });
  if (answer.status >= 400) refusals.add(route, answer.body, began);
  return answer;
}

/** Fails with the routes that answered otherwise. */
async function expectOfEach(
  routes: readonly Route[],
  code: ErrorCode,
  options: Call | ((route: Route) => Call),
  paramOf?: (route: Route) => string,
): Promise<void> {
  expect(routes.length).toBeGreaterThan(0);
  const others: string[] = [];
  for (const route of routes) {
    const answer = await call(route, typeof options === 'function' ? options(route) : options);
    const { status } = ERRORS[code];
    const isNamed = paramOf === undefined || answer.body.param === paramOf(route);
    if (answer.status !== status || answer.body.code !== code || !isNamed)
      others.push(`${route.operation}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  expect(others).toEqual([]);
}

const keyWith = (key: Partial<IssueApiKey>) =>
  product.clientWith({ bookId: keys.testBookId, mode: 'test', scopes: ['*'], ...key });

test('without a key', () => expectOfEach(ROUTES, 'api_key_missing', { headers: { authorization: '' } }));

/** Of one route: an address that tries many keys is turned away. */
const anyRoute = ROUTES.slice(0, 1);

test('with a key that nobody has', () =>
  expectOfEach(anyRoute, 'api_key_invalid', { by: product.client(`sk_test_${'0'.repeat(32)}`) }));

test('with a key that has expired', async () => {
  const anHourAgo = { now: () => Date.now() - 3_600_000 };
  const issued = await issueApiKey(product.runtime.pool, anHourAgo, {
    bookId: keys.testBookId,
    mode: 'test',
    name: 'Old',
    scopes: ['*'],
    expiresAt: Date.now() - 60_000,
  });
  await expectOfEach(anyRoute, 'api_key_expired', { by: product.client(issued.token) });
});

test('with a key for something else', async () => {
  for (const scope of SCOPES) {
    const routes = ROUTES.filter((route) => route.scope === scope);
    if (routes.length === 0) continue;
    const enough = [scope, MAKES_KEYS, ...routes.flatMap(({ orScope }) => orScope ?? [])];
    const by = await keyWith({ scopes: SCOPES.filter((other) => !enough.includes(other)) });
    await expectOfEach(routes, 'permission_denied', { by });
  }
});

test('from an address that is not on the list of the key', async () =>
  expectOfEach(anyRoute, 'ip_not_allowed', { by: await keyWith({ allowedIps: ['203.0.113.0/24'] }) }));

test('of a test book, by a live key', () =>
  expectOfEach(
    ROUTES.filter(({ testModeOnly }) => testModeOnly),
    'test_mode_only',
    { by: product.client(keys.liveKey) },
  ));

test('with a parameter that no route knows', () =>
  expectOfEach(ROUTES, 'parameter_unknown', ({ operation }) => ({
    query: operation === 'findIdempotencyKey' ? `?surplus=1&key=${ids.text}` : '?surplus=1',
  })));

test('of an object that is not there', () =>
  expectOfEach(
    ROUTES.filter(({ params }) => params && !Object.values(params).includes('text')),
    'resource_not_found',
    {
      of: Object.fromEntries(Object.entries(ids).map(([kind, id]) => [kind, id.replace(/.{4}$/, '0000')])) as OneOfEach,
    },
    ({ params }) => Object.keys(params!).at(-1)!,
  ));

test('with a body that is no JSON', () => expectOfEach(withBodies, 'malformed_json', { rawBody: '{"amount": 1,}' }));

test('with a body of another type', () =>
  expectOfEach(withBodies, 'unsupported_media_type', {
    rawBody: 'amount=1',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }));

test('with a body that is too large', () =>
  expectOfEach(withBodies, 'payload_too_large', { rawBody: JSON.stringify({ name: 'x'.repeat(BODY_LIMIT_BYTES) }) }));

test('under a key that cannot be one', () =>
  expectOfEach(keyed, 'idempotency_key_invalid', { idempotencyKey: 'two words' }));

test('under a key that is a card number', () =>
  expectOfEach(keyed, 'card_number_not_allowed', { idempotencyKey: '4242424242424242' }));

test('under a key that was used for something else', () =>
  expectOfEach(
    keyed.filter(({ operation }) => operation !== 'voidIdempotencyKey'),
    'idempotency_key_reused',
    { idempotencyKey: ids.text },
  ));

test('as a message whose reference was used for another one', async () => {
  const [createTransaction] = named('createTransaction') as [Route];
  const message_reference = 'msg-of-something-else';
  const first = { ...(bodies.createTransaction as object), message_reference };
  expect((await call(createTransaction, { body: first })).status).toBe(200);
  await expectOfEach(messages, 'idempotency_key_reused', ({ operation, bodyExample }) => ({
    body: {
      ...((bodies[operation] ?? bodyExample) as object),
      ...{ message_reference, ...(operation === 'createTransaction' && { amount: 777 }) },
    },
  }));
});

test('under a key that was voided', async () => {
  expect((await client.post('/v1/idempotency_keys/voided/void', undefined, { idempotencyKey: null })).status).toBe(200);
  await expectOfEach(keyed, 'idempotency_key_voided', { idempotencyKey: 'voided' });
});

test('with a version that is not the one of the object', () =>
  expectOfEach(
    ROUTES.filter(({ ifMatch }) => ifMatch),
    'version_mismatch',
    { by: ada, headers: { 'if-match': '"77"' } },
    ({ bodyExample }) => (bodyExample && 'version' in (bodyExample as object) ? '/version' : 'If-Match'),
  ));

test('without the key that a movement of money needs', () =>
  expectOfEach(
    ROUTES.filter(({ idempotency }) => idempotency === 'required'),
    'idempotency_key_missing',
    { idempotencyKey: null },
  ));

const BACKTESTED = {
  controls: { cash: 'block' },
  ...{ from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' },
};

test('what is named in the request, and is not there', async () => {
  const nobody = ids.account.replace(/.{4}$/, '0000');
  await expectOfEach(named('findIdempotencyKey'), 'resource_not_found', { query: '?key=nobody' });
  await expectOfEach(named('simulateInboundTransfer'), 'resource_not_found', {
    body: { account: nobody, amount: 1, currency: 'JOD' },
  });
  const items = [{ amount: 1, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } }];
  await expectOfEach(named('createPayoutBatch'), 'resource_not_found', { body: { account: nobody, items } });
  await expectOfEach(named('createReport'), 'resource_not_found', {
    body: { type: 'general_ledger', from: '2026-01-01', to: '2026-01-31', format: 'csv', account: nobody },
  });
  await expectOfEach(named('createCardControls'), 'resource_not_found', { body: { account: nobody, cash: 'block' } });
  await expectOfEach(named('backtestControls'), 'resource_not_found', { body: { ...BACKTESTED, account: nobody } });
  await expectOfEach(named('simulateBankStatement'), 'resource_not_found', {
    body: { bank_account: nobody.replace('acct_', 'ba_') },
  });
  await expectOfEach(named('simulateCardTokenRequest'), 'resource_not_found', {
    body: { card: ids.card!.replace(/.{4}$/, '0000'), wallet: 'other' },
  });
});

test('with less than an amount may be', () => {
  const limits = [{ window: 'day', amount: -1 }];
  return expectOfEach(named('backtestControls'), 'amount_below_minimum', {
    body: { ...BACKTESTED, program: true, controls: { limits } },
  });
});

test('as a message with a card that is not there', () => {
  const withCard = ROUTES.filter(({ operation }) => 'network_reference' in ((bodies[operation] ?? {}) as object));
  const simulated = ROUTES.filter(({ operation }) => /^simulateCard(?!Token|Dispute|Presented)/.test(operation));
  const card = ids.card!.replace(/.{4}$/, '0000');
  return expectOfEach([...withCard, ...simulated], 'resource_not_found', ({ operation }) => ({
    body: { ...(bodies[operation] as object), card },
  }));
});

test('beyond the rate of messages of a book', async () => {
  const environment = { RATE_LIMIT_MESSAGES_PER_SECOND: '1' };
  const limited = await startProduct({ backend: 'postgres', pools: [], environment, api: { limiter: second.limiter } });
  for (const route of messages) {
    const { client: by } = await limited.organisation();
    await expectOneOfThree(route, by);
  }
  await limited.close();
});

test('beyond the rate of a key', async () => {
  for (const route of ROUTES.filter(({ isMessage }) => !isMessage)) {
    const by = await keyWith({ writesPerSecond: 1, readsPerSecond: 1 });
    await expectOneOfThree(route, by);
  }
});

/** Of three requests within a second, two are beyond a rate of one. */
async function expectOneOfThree(route: Route, by: Client): Promise<void> {
  const answers = await second.during(() =>
    Promise.all(Array.from({ length: 3 }, () => call(route, { by, query: '?surplus=1' }))),
  );
  expect(answers.filter(({ body }) => body.code === 'rate_limited')).toHaveLength(2);
}

test('money that may not move', async () => {
  const [createPayout] = named('createPayout') as [Route];
  const from = (account: string, by = client) => ({
    by,
    body: { account, amount: 10, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } },
  });
  const expectCode = async (code: ErrorCode, asked: Call) =>
    expect((await call(createPayout, asked)).body.code).toBe(code);
  const { id } = await client.openAccount({ funds: 0 });
  await client.post(`/v1/accounts/${id}/freeze`);
  await expectCode('account_frozen', from(id));
  await client.post(`/v1/accounts/${id}/unfreeze`);
  await client.post(`/v1/accounts/${id}/close`);
  await expectCode('account_closed', from(id));
  const live = product.client(keys.liveKey);
  const account = (await live.post<{ id: string }>('/v1/accounts', { currency: 'JOD', name: 'Live' })).body.id;
  await expectCode('rail_unavailable', from(account, live));
});

test('an entry of a day that is closed', async () => {
  const [debit, credit] = [(await client.openAccount()).id, (await client.openAccount()).id];
  const superuser = lookInto(product.database);
  await superuser.query(`UPDATE books SET closed_through = '2026-01-31' WHERE id = $1`, [keys.testBookId]);
  await superuser.end();
  const entry = { postings: [{ debit, credit, amount: 1, currency: 'JOD' }], effective_on: '2026-01-31' };
  await expectOfEach(named('createJournalEntry'), 'period_closed', { body: entry });
  await expectOfEach(named('createJournalEntryBatch'), 'period_closed', { body: { entries: [entry] } });
});

test('destinations of nobody, and those that were erased', async () => {
  const [createPayee] = named('createPayee') as [Route];
  const account = ids.account.replace(/.{4}$/, '0000');
  const body = { ...(createPayee.bodyExample as object), destination: { type: 'account', account } };
  expect((await call(createPayee, { body })).body.code).toBe('resource_not_found');
  const alias = { destination: { type: 'cliq', alias: 'NOALIAS' } };
  await expectOfEach(named('resolveDestination'), 'alias_not_found', { body: alias });
  const [createPayout] = named('createPayout') as [Route];
  const made = await client.post<{ id: string }>('/v1/cards', {
    ...{ account: ids.account, type: 'virtual', cardholder: { name: 'Ada Lovelace' } },
  });
  await client.post(`/v1/cards/${made.body.id}/freeze`);
  const frozen = { ...(createPayout.bodyExample as object), account: ids.account };
  await expectOfEach([createPayout], 'card_not_active', {
    body: { ...frozen, destination: { type: 'card', card: made.body.id } },
  });
  const payout = await client.pay({ account: ids.account });
  await client.payoutUntil(payout.id, 'paid');
  const superuser = lookInto(product.database);
  await superuser.query('UPDATE payees SET destination_sealed = NULL');
  await superuser.query('UPDATE payouts SET destination_sealed = NULL WHERE id = $1', [
    parsePublicId('payout', payout.id),
  ]);
  await superuser.end();
  const of = { ...ids, payout: payout.id };
  await expectOfEach(named('getPayoutDestination', 'getPayeeDestination'), 'state_conflict', { of });
});

test('cards that no processor makes', async () => {
  const live = product.client(keys.liveKey);
  const { id: account } = (await live.post<{ id: string }>('/v1/accounts', { currency: 'JOD', name: 'Of cards' })).body;
  const body = { account, type: 'virtual', cardholder: { name: 'Ada Lovelace' } };
  await expectOfEach(named('createCard'), 'processor_unavailable', { by: live, body });
});

test('payments that no acquirer takes, or that nobody captured in time', async () => {
  const [createPayment] = named('createPayment') as [Route];
  const [capturePayment] = named('capturePayment') as [Route];
  const live = product.client(keys.liveKey);
  const { id: account } = (await live.post<{ id: string }>('/v1/accounts', { currency: 'JOD', name: 'Live too' })).body;
  const body = { ...(createPayment.bodyExample as object), account };
  expect((await call(createPayment, { by: live, body })).body.code).toBe('acquirer_unavailable');

  const manual = { ...(createPayment.bodyExample as object), account: ids.account, capture: 'manual' };
  const { id } = (await client.post<{ id: string }>('/v1/payments', manual)).body;
  await product.stopPools();
  const superuser = lookInto(product.database);
  await superuser.query(`UPDATE payments SET expires_at = created_at WHERE status = 'authorized'`);
  const late = await call(capturePayment, { of: { ...ids, payment: id }, body: {} });
  expect(late.body.code).toBe('authorization_expired');
  await superuser.end();
  await product.startPools();
});

test('card numbers, where the acquirer of live payments is not to get them from here', async () => {
  const other = await startWithGateway({ pools: [] });
  const { live } = await other.product.organisation();
  const { id: account } = (await live.post<{ id: string }>('/v1/accounts', { currency: 'JOD', name: 'Live' })).body;
  const [createPayment] = named('createPayment') as [Route];
  const body = { ...(createPayment.bodyExample as object), account };
  expect((await call(createPayment, { by: live, body })).body.code).toBe('card_data_disabled');
  await expectOfEach(named('createPaymentToken'), 'card_data_disabled', { by: live });
  await other.close();
});

test('twice at once, while the book is held', async () => {
  const [createAccount] = named('createAccount') as [Route];
  const holder = lookInto(product.database);
  await holder.query('BEGIN');
  await holder.query('SELECT FROM books WHERE id = $1 FOR UPDATE', [keys.testBookId]);
  const answers = await Promise.all([1, 2].map(() => call(createAccount, { idempotencyKey: 'twice' })));
  await holder.query('ROLLBACK');
  await holder.end();
  expect(answers.map(({ body }) => body.code).sort()).toEqual(['idempotency_in_progress', 'service_unavailable']);
});

test('while the clock of the book is on its way', async () => {
  await product.stopPools();
  expect((await client.post('/v1/simulations/clock/advance', { by: 'P1D' })).status).toBe(202);
  // What the body of a match names is looked up first, and its example names nothing that exists.
  const others = writes.filter(({ operation }) => operation !== 'createBankMatch');
  await expectOfEach(others, 'state_conflict', { by: ada });
});

/** Statements of a superuser that begin and end a fault of a database. */
interface Outage {
  /** They run in another database of the server. */
  outside?: boolean;
  begin(database: string): string;
  end(database: string): string;
}

/** On a database of its own, broken for as long as it takes to ask each route. The key is no known one: it is looked up. */
async function during({ outside = false, begin, end }: Outage, code: ErrorCode): Promise<void> {
  const other = await startProduct({ backend: 'postgres', pools: [] });
  const { name, superuserUrl } = other.database;
  const superuser = lookInto({ superuserUrl: outside ? superuserUrl.replace(name, 'postgres') : superuserUrl });
  const by = other.client(`sk_test_${'1'.repeat(32)}`);
  await superuser.query(begin(name));
  await until(
    () => by.get('/v1/limits'),
    ({ body }) => body.code === code,
  );
  await expectOfEach(ROUTES, code, { by });
  await superuser.query(end(name));
  await superuser.end();
  await until(
    () => by.get('/v1/limits'),
    ({ status }) => status === 401,
  );
  await other.close();
}

test('without a connection to its database', () =>
  during(
    {
      outside: true,
      begin: (name) =>
        `ALTER DATABASE ${name} CONNECTION LIMIT 0; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      end: (name) => `ALTER DATABASE ${name} CONNECTION LIMIT -1`,
    },
    'service_unavailable',
  ));

test('in the middle of a fault of its own, such as a table that a mistaken hand renamed', () =>
  during(
    {
      begin: () => 'ALTER TABLE api_keys RENAME TO api_keys_away',
      end: () => 'ALTER TABLE api_keys_away RENAME TO api_keys',
    },
    'internal_error',
  ));

test('every status of the document was heard of every operation, and every code of some', () => {
  const { operations } = readExamples();
  const recorded = ({ operation }: Route) => Object.entries(operations[operation]?.responses ?? {});
  const silent = ROUTES.flatMap((route) => {
    const heard = [
      ...recorded(route).map(([status]) => Number(status)),
      ...refusals.codesOf(route).map((code) => ERRORS[code].status),
    ];
    const documented = [
      // Files have no examples.
      ...Object.entries(route.responses).flatMap(([status, { isFile }]) => (isFile ? [] : [Number(status)])),
      ...codesOf(route).map((code) => ERRORS[code].status),
    ];
    return [...new Set(documented)]
      .filter((status) => !heard.includes(status))
      .map((status) => `${route.operation} ${status}`);
  });
  expect(silent).toEqual([]);
  const heardOfSome = ROUTES.flatMap((route) => [
    ...refusals.codesOf(route),
    ...recorded(route).flatMap(([, examples]) => Object.keys(examples)),
  ]);
  const documentedOfSome = new Set(ROUTES.flatMap(codesOf));
  expect([...documentedOfSome].filter((code) => !heardOfSome.includes(code))).toEqual([]);
});

test('the examples of errors are those of the document', async () => {
  const recorded = `${JSON.stringify(refusals.examples(ROUTES), null, 1)}\n`;
  await expect(recorded).toMatchFileSnapshot('../../src/http/reference/examples/errors.json');
});
