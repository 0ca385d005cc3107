/** Exceptions over the wire: who may do what, that another person approves, and that what is repeated or raced counts once. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Account,
  type Answer,
  type Client,
  type Event,
  type List,
  type Payout,
  succeeded,
} from '../../scripts/harness/client.ts';
import { EXCEPTION_KINDS } from '../../src/exceptions/exception-kind.ts';
import { expectInvariants } from '../support/invariants.ts';
import { addPersonOf, type TestPerson } from '../support/people.ts';
import { type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

interface Exception {
  id: string;
  kind: string;
  resource_id: string;
  status: string;
  version: number;
  assignee: string | null;
  reason: string | null;
  allowed_actions: string[];
  handled_by: { id: string } | null;
  journal_entries: string[];
  evidence: { type: string; actor: { id: string } }[];
}

const FUNDS = 100_000;
const AMOUNT = 10_000;
const FEE = 50;

let product: Product;
let keys: OrganisationKeys;
let service: Client;
let ada: Client;
let ben: Client;
let [adaIs, benIs]: TestPerson[] = [];

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ keys, client: service } = await product.organisation());
  const { pool } = product.runtime;
  adaIs = await addPersonOf(pool, keys.testBookId, { name: 'Ada' });
  benIs = await addPersonOf(pool, keys.testBookId, { name: 'Ben' });
  ada = product.client(adaIs.key);
  ben = product.client(benIs.key);
});

afterAll(() => product?.close());

const simulate = async (id: string, action: string, body?: object) =>
  succeeded(await service.post<Payout>(`/v1/simulations/payouts/${id}/${action}`, body));

async function sent(account: Account): Promise<Payout> {
  const { id } = await service.pay({
    account: account.id,
    amount: AMOUNT,
    destination: { type: 'cliq', alias: 'PENDING' },
  });
  return service.payoutUntil(id, ({ next_inquiry_at }) => next_inquiry_at !== null);
}

async function exceptionOf(payout: Payout): Promise<Exception> {
  const { data } = await service.read<List<Exception>>(`/v1/exceptions?resource=${payout.id}`);
  expect(data).toHaveLength(1);
  return data[0]!;
}

/** The rail rejects a payout and then says that it paid it. */
async function contradicted(): Promise<Exception> {
  const { id } = await sent(await service.openAccount({ funds: FUNDS }));
  await simulate(id, 'fail');
  return exceptionOf(await simulate(id, 'complete'));
}

/** Money comes back to an account that was closed meanwhile. */
async function backToClosed(): Promise<{ exception: Exception; closed: Account }> {
  const closed = await service.openAccount({ funds: AMOUNT + FEE });
  const { id } = await sent(closed);
  await simulate(id, 'complete');
  succeeded(await service.post(`/v1/accounts/${closed.id}/close`));
  return { exception: await exceptionOf(await simulate(id, 'return')), closed };
}

const act = (client: Client, { id }: Pick<Exception, 'id'>, action: string, body: object, headers = {}) =>
  client.post<Exception & { code: string }>(`/v1/exceptions/${id}/${action}`, body, { headers });

const assigned = async (exception: Exception) =>
  succeeded(await act(service, exception, 'assign', { person: adaIs!.id }));
const explained = async (exception: Exception, by = ada) =>
  succeeded(await act(by, await assigned(exception), 'explain', { reason: 'Paid twice by agreement' }));

const outcomes = (answers: readonly Answer<{ code?: string; status: unknown }>[]) =>
  answers.map(({ status, body }) => `${status} ${body.code ?? body.status}`).sort();

test('one person explains, another approves; each step has its event, and the timeline says who', async () => {
  const opened = await contradicted();
  expect(opened).toMatchObject({ kind: 'paid_after_failed', status: 'open', version: 1, allowed_actions: ['assign'] });
  const told = await explained(opened);
  expect(told).toMatchObject({
    status: 'explained',
    version: 3,
    assignee: adaIs!.id,
    reason: 'Paid twice by agreement',
  });
  expect(told.evidence).toMatchObject([{ type: 'explanation', actor: { id: adaIs!.id } }]);
  const stale = await act(ben, told, 'approve', { version: told.version - 1 });
  expect(stale.body).toMatchObject({ code: 'version_mismatch', param: '/version' });
  const done = succeeded(await act(ben, told, 'approve', { version: told.version }));
  expect(done).toMatchObject({
    status: 'approved',
    allowed_actions: [],
    handled_by: { id: adaIs!.id },
    approved_by: { type: 'person', id: benIs!.id },
    journal_entries: [],
  });
  expect(await service.read(`/v1/exceptions/${opened.id}`)).toEqual(done);
  const { data: events } = await service.read<List<Event>>(`/v1/events?object=${opened.id}`);
  expect(events.map(({ type }) => type)).toEqual([
    'exception.resolved',
    'exception.updated',
    'exception.updated',
    'exception.opened',
  ]);
  const { data: steps } = await service.read<List<{ status: string; actor: { type: string }; reason: unknown }>>(
    `/v1/exceptions/${opened.id}/timeline`,
  );
  expect(steps.map(({ status, actor }) => `${status} ${actor.type}`)).toEqual([
    'open system',
    'assigned service',
    'explained person',
    'approved person',
  ]);
  expect(steps[2]!.reason).toEqual({ message: 'Paid twice by agreement' });
});

test('an explanation that does not convince is sent back', async () => {
  const told = await explained(await contradicted());
  const back = succeeded(await act(ben, told, 'assign', { person: benIs!.id }));
  expect(back).toMatchObject({ status: 'assigned', assignee: benIs!.id, reason: 'Paid twice by agreement' });
  const again = succeeded(await act(ben, back, 'explain', { reason: 'The rail sent a correction' }));
  expect(again.evidence).toHaveLength(1);
  expect((await act(ben, again, 'approve', { version: again.version })).body.code).toBe('self_approval_forbidden');
  expect((await act(ada, again, 'approve', { version: again.version })).body.status).toBe('approved');
});

test('what came back to a closed account is moved to another, once, and another person approves', async () => {
  const { exception, closed } = await backToClosed();
  const target = await service.openAccount({ funds: 0 });
  const taken = await assigned(exception);
  expect(taken).toMatchObject({
    kind: 'return_to_closed_account',
    waiting: { account: closed.id, amount: AMOUNT },
    allowed_actions: ['assign', 'explain', 'move_to'],
  });
  const raced = await Promise.all(
    [ada, ben, ada].map((client) => act(client, taken, 'move_to', { account: target.id })),
  );
  expect(outcomes(raced)).toEqual(['200 adjusted', '409 state_conflict', '409 state_conflict']);
  const { body: moved } = raced.find(({ status }) => status === 200)!;
  expect(moved.journal_entries).toHaveLength(1);
  expect(await service.read(`/v1/accounts/${target.id}`)).toMatchObject({ balance: { posted: AMOUNT } });
  expect(await service.read(`/v1/accounts/${closed.id}`)).toMatchObject({ balance: { posted: 0 } });
  const { data: events } = await service.read<List<Event>>(`/v1/events?object=${exception.id}&limit=1`);
  expect(events[0]).toMatchObject({
    type: 'exception.updated',
    journal_entries: [{ id: moved.journal_entries[0], resource: 'exception', step: 'moved' }],
  });
  const entries = await service.read<List<{ id: string }>>(`/v1/journal/entries?resource=${exception.id}`);
  expect(entries.data.map(({ id }) => id)).toEqual(moved.journal_entries);

  const [mover, other] = moved.handled_by?.id === adaIs!.id ? [ada, ben] : [ben, ada];
  const approvals: Answer<Exception & { code: string }>[] = [];
  for (const client of [mover, other, other])
    approvals.push(await act(client, moved, 'approve', { version: moved.version }));
  expect(approvals.map(({ status, body }) => `${status} ${body.code ?? body.status}`)).toEqual([
    '422 self_approval_forbidden',
    '200 approved',
    '412 version_mismatch',
  ]);
});

describe('refuses', () => {
  let exception: Exception;
  beforeAll(async () => {
    exception = await contradicted();
  });

  test('what the status does not allow, with what it does', async () => {
    for (const [action, body] of [
      ['explain', { reason: 'Too early' }],
      ['approve', { version: 1 }],
    ] as const)
      expect((await act(ada, exception, action, body)).body).toMatchObject({
        code: 'state_conflict',
        current_status: 'open',
        allowed_actions: ['assign'],
      });
    const account = (await service.openAccount({ funds: 0 })).id;
    expect((await act(ada, await assigned(exception), 'move_to', { account })).body).toMatchObject({
      code: 'state_conflict',
      detail: 'No money waits for this exception.',
    });
  });

  test('a person of another organisation, a service, and one who has ended as assignee', async () => {
    const { keys: others } = await product.organisation();
    const stranger = await addPersonOf(product.runtime.pool, others.testBookId, { name: 'Eve' });
    const ended = await addPersonOf(product.runtime.pool, keys.testBookId, { name: 'Zoe' });
    await product.runtime.pool.query(`UPDATE people SET ended_at = now() WHERE name = 'Zoe'`);
    for (const person of [stranger.id, ended.id])
      expect((await act(service, exception, 'assign', { person })).body).toMatchObject({
        code: 'resource_not_found',
        param: '/person',
      });
  });

  test('a service that explains or moves money, so that one person alone would approve', async () => {
    const taken = await assigned(await contradicted());
    const account = (await service.openAccount({ funds: 0 })).id;
    expect(await act(service, taken, 'explain', { reason: 'By a script' })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    expect(await act(service, taken, 'move_to', { account })).toMatchObject({ status: 403 });
  });

  test('the approval of a service, of a version that is over, and without the scope', async () => {
    const told = await explained(await contradicted());
    expect(await act(service, told, 'approve', { version: told.version })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    expect((await act(ben, told, 'approve', { version: told.version - 1 })).status).toBe(412);
    const torn = await act(ben, told, 'approve', { version: told.version }, { 'if-match': '"1"' });
    expect(torn.status).toBe(412);
    expect((await act(ben, told, 'explain', { reason: 'Late' }, { 'if-match': '"1"' })).status).toBe(412);
    const reader = await addPersonOf(product.runtime.pool, keys.testBookId, {
      name: 'Kim',
      scopes: ['exceptions:read', 'exceptions:write'],
    });
    const kim = product.client(reader.key);
    expect((await act(kim, told, 'approve', { version: told.version })).body).toMatchObject({
      code: 'permission_denied',
      required_scope: 'exceptions:approve',
    });
  });

  test('money to an account that is not there, closed, of another currency, or the same', async () => {
    const { exception: back, closed } = await backToClosed();
    const taken = await assigned(back);
    const other = await service.openAccount({ funds: 0 });
    const euro = await service.openAccount({ funds: 0, currency: 'EUR' });
    succeeded(await service.post(`/v1/accounts/${other.id}/close`));
    const missing = `${other.id.slice(0, -4)}0000`;
    for (const [account, code] of [
      [missing, 'resource_not_found'],
      [closed.id, 'destination_invalid'],
      [euro.id, 'currency_mismatch'],
      [other.id, 'account_closed'],
    ] as const)
      expect((await act(ada, taken, 'move_to', { account })).body).toMatchObject({ code, param: '/account' });
    const mismatch = (await act(ada, taken, 'move_to', { account: euro.id })).body;
    expect(mismatch).toMatchObject({ code: 'currency_mismatch', account_currency: 'EUR' });
    expect(await service.read(`/v1/accounts/${closed.id}`)).toMatchObject({ balance: { posted: AMOUNT } });
    expect(await service.read(`/v1/exceptions/${back.id}`)).toEqual(taken);
  });

  test('anybody of another organisation, and of the live book', async () => {
    const { client, live } = await product.organisation();
    for (const stranger of [client, live]) {
      expect((await stranger.get(`/v1/exceptions/${exception.id}`)).status).toBe(404);
      expect((await stranger.get(`/v1/exceptions/${exception.id}/timeline`)).status).toBe(404);
      expect((await act(stranger, exception, 'explain', { reason: 'Ours' })).status).toBe(404);
      expect((await stranger.read<List<Exception>>('/v1/exceptions')).data).toEqual([]);
      expect((await stranger.get(`/v1/exceptions?starting_after=${exception.id}`)).body.code).toBe('cursor_invalid');
    }
  });
});

test('an approval that is repeated under its key, or raced under others, counts once', async () => {
  const told = await explained(await contradicted());
  const body = { version: told.version };
  const idempotencyKey = randomUUID();
  const path = `/v1/exceptions/${told.id}/approve`;
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => ben.post<Exception>(path, body, { idempotencyKey })),
    ...Array.from({ length: 3 }, () => ben.post<Exception>(path, body)),
  ]);
  const texts = new Set(answers.slice(0, 4).map(({ status, text }) => `${status} ${text.replace(/req_\w+/, '')}`));
  expect(texts.size).toBeLessThanOrEqual(2);
  expect(answers.filter(({ status, headers }) => status === 200 && !headers['idempotent-replayed'])).toHaveLength(1);
  const { data } = await service.read<List<Event>>(`/v1/events?object=${told.id}&type=exception.resolved`);
  expect(data).toHaveLength(1);
  expect(await service.read(`/v1/exceptions/${told.id}`)).toMatchObject({
    status: 'approved',
    version: told.version + 1,
  });
});

test('an assignment that is repeated under its key gets its first answer, also once the person has left', async () => {
  const left = await addPersonOf(product.runtime.pool, keys.testBookId, { name: 'Una' });
  const exception = await contradicted();
  const assign = () =>
    service.post<Exception>(
      `/v1/exceptions/${exception.id}/assign`,
      { person: left.id },
      { idempotencyKey: `assign-${exception.id}` },
    );
  const first = succeeded(await assign());
  await product.runtime.pool.query(`UPDATE people SET ended_at = now() WHERE name = 'Una'`);
  expect(succeeded(await assign())).toEqual(first);
});

test('lists by status, kind, resource and time, newest first, page by page', async () => {
  const all = (await service.read<List<Exception>>('/v1/exceptions?limit=100')).data;
  expect(all.length).toBeGreaterThan(4);
  const ids = async (query: string) =>
    (await service.read<List<Exception>>(`/v1/exceptions?limit=100&${query}`)).data.map(({ id }) => id);
  const among = (isWanted: (exception: Exception) => boolean) => all.filter(isWanted).map(({ id }) => id);
  expect(await ids('status=approved,open')).toEqual(among(({ status }) => ['approved', 'open'].includes(status)));
  expect(await ids('kind=return_to_closed_account')).toEqual(among(({ kind }) => kind === 'return_to_closed_account'));
  expect(await ids('kind=paid_after_failed&status=approved')).toEqual(
    among(({ kind, status }) => kind === 'paid_after_failed' && status === 'approved'),
  );
  expect(await ids(`resource=${all[1]!.resource_id}`)).toEqual([all[1]!.id]);
  expect(await ids('created_at[lt]=2026-01-01T00:00:00Z')).toEqual([]);
  const paged: string[] = [];
  for (let after = ''; ; ) {
    const page = await service.read<List<Exception>>(`/v1/exceptions?limit=2${after}`);
    paged.push(...page.data.map(({ id }) => id));
    if (!page.has_more) break;
    after = `&starting_after=${page.next_cursor}`;
  }
  expect(paged).toEqual(all.map(({ id }) => id));
});

test('a list is of kinds that there are: any other word is refused with all of them', async () => {
  const list = (kinds: readonly string[]) =>
    service.send<{ code: string; detail: string }>('GET', `/v1/exceptions?kind=${kinds.join(',')}`);
  const { status, body } = await list(['paid_after_failed', 'foo']);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'parameter_invalid', param: 'kind' });
  expect(body.detail).toMatch(/^Expects one or more of: .*paid_after_failed.*inbound_unallocated/);
  expect((await list(EXCEPTION_KINDS)).status).toBe(200);
});

interface Answers {
  data: { id: string; status: number; exception: Exception | null; problem: { code: string } | null }[];
}

describe('several at once', () => {
  test('each has an answer of its own, once under the key', async () => {
    const [one, other] = [await contradicted(), await contradicted()];
    const nobody = `${one.id.slice(0, -4)}0000`;
    const items = [one.id, nobody, other.id, one.id];
    const send = () =>
      service.post<Answers>('/v1/exceptions/assign', { items, person: adaIs!.id }, { idempotencyKey: key });
    const key = randomUUID();
    const first = await send();
    expect(first.body.data.map(({ id, status, problem }) => [id, status, problem?.code])).toEqual([
      [one.id, 200, undefined],
      [nobody, 404, 'resource_not_found'],
      [other.id, 200, undefined],
    ]);
    expect(first.body.data[0]!.exception).toMatchObject({ status: 'assigned', assignee: adaIs!.id, version: 2 });
    const again = await send();
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await service.read(`/v1/idempotency_keys/${key}`)).toMatchObject({ resource: 'book' });
    for (const { id } of [one, other])
      succeeded(await ada.post(`/v1/exceptions/${id}/explain`, { reason: 'Both were meant' }));
    const approval = {
      items: [
        { id: one.id, version: 3 },
        { id: other.id, version: 2 },
      ],
    };
    const codes = ({ body }: Answer<Answers>) => body.data.map(({ status, problem }) => problem?.code ?? status);
    expect(codes(await ada.post('/v1/exceptions/approve', approval))).toEqual([
      'self_approval_forbidden',
      'version_mismatch',
    ]);
    const byKey = randomUUID();
    const approve = () => ben.post<Answers>('/v1/exceptions/approve', approval, { idempotencyKey: byKey });
    expect(codes(await approve())).toEqual([200, 'version_mismatch']);
    expect(codes(await approve())).toEqual([200, 'version_mismatch']);
    expect(codes(await service.post('/v1/exceptions/approve', approval))).toEqual([
      'permission_denied',
      'permission_denied',
    ]);
  });

  test('a hundred are, one more is not; none of another book is', async () => {
    const stranger = await product.organisation();
    const theirs = await contradicted();
    const { body } = await stranger.client.post<Answers>('/v1/exceptions/assign', {
      items: [theirs.id],
      person: adaIs!.id,
    });
    expect(body.data).toMatchObject([{ status: 404, exception: null }]);
    const many = Array.from({ length: 101 }, () => theirs.id);
    expect((await service.post('/v1/exceptions/assign', { items: many, person: adaIs!.id })).status).toBe(400);
    expect((await service.post('/v1/exceptions/assign', { items: [], person: adaIs!.id })).status).toBe(400);
    expect((await service.post('/v1/exceptions/assign', { items: many.slice(1), person: adaIs!.id })).status).toBe(200);
  });
});

test('after these tests every invariant holds', () => expectInvariants({ database: product.database }));
