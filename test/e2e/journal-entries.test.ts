/** The journal as an API: own accounts, entries that are asked for, what they capture of holds, reversals, and who may do what. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account, Answer, Client, Entry, Event, List, Problem } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

interface OwnAccount {
  id: string;
  code: string;
  status: string;
  version: number;
  balance: { posted: number };
}
interface Hold {
  id: string;
  status: string;
  remaining: number;
  captured: number;
  journal_entries: string[];
}

let product: Product;
let client: Client;
let anna: Account;
let bert: Account;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
});
afterAll(async () => {
  await product?.close();
});

const path = '/v1/journal/entries';
const posting = (debit: { id: string }, credit: { id: string }, amount: number, more: object = {}) => ({
  debit: debit.id,
  credit: credit.id,
  amount,
  currency: 'JOD',
  ...more,
});
const post = <Body = Entry>(body: object, options = {}): Promise<Answer<Body>> =>
  client.post<Body>(path, body, options);
const refused = async (body: object): Promise<Problem> => {
  const answer = await post<Problem>(body);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  return answer.body;
};
const own = async (code: string, type = 'asset', more: object = {}): Promise<OwnAccount> => {
  const answer = await client.post<OwnAccount>('/v1/journal/accounts', {
    ...{ code, name: code, type, currency: 'JOD' },
    ...more,
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const balance = async ({ id }: { id: string }) =>
  (await client.read<{ posted: number }>(`/v1/journal/accounts/${id}/balance`)).posted;

describe('entries of the journal', () => {
  beforeEach(async () => {
    ({ client } = await product.organisation());
    anna = await client.openAccount({ funds: 10_000 });
    bert = await client.openAccount({ funds: 0 });
  });

  test('an entry moves money between customers, and is shown, listed and told', async () => {
    const { status, body: entry } = await post({
      postings: [posting(anna, bert, 5_124)],
      description: 'Rent for March',
      external_id: 'rent-3',
      metadata: { month: '3' },
    });
    expect(status).toBe(201);
    expect(entry).toMatchObject({
      ...{ resource: 'entry', resource_id: entry.id, step: 'posted', origin: 'manual', description: 'Rent for March' },
      ...{ external_id: 'rent-3', metadata: { month: '3' }, reverses: null, reversed_by: null, occurred_on: null },
      actor: { type: 'service' },
    });
    expect(await client.read<Entry>(`${path}/${entry.id}`)).toEqual(entry);
    expect([await balance(anna), await balance(bert)]).toEqual([4_876, 5_124]);
    const { data } = await client.read<List<Event>>(`/v1/events?object=${entry.id}`);
    expect(data.map(({ type }) => type)).toEqual(['journal_entry.posted']);
    expect(data[0]!.journal_entries.map(({ id }) => id)).toEqual([entry.id]);
    expect(data[0]!.data.object).not.toHaveProperty('description');
    const arrivals = await client.read<List<Event>>(`/v1/events?object=${bert.id}`);
    expect(arrivals.data[0]!.type).toBe('account.updated');
  });

  test('the same key books once, and a dry run nothing', async () => {
    const body = { postings: [posting(anna, bert, 7)] };
    const dry = await client.post<{ dry_run: boolean; resulting_balances: object[] }>(`${path}?dry_run=true`, body);
    expect(dry.status).toBe(200);
    expect(dry.body.resulting_balances).toHaveLength(2);
    const first = await post(body, { idempotencyKey: 'once' });
    const again = await post(body, { idempotencyKey: 'once' });
    expect(again.text).toBe(first.text);
    expect(await balance(bert)).toBe(7);
  });

  test('own accounts have a code of their own and join no others', async () => {
    const bank = await own('bank');
    const equity = await own('equity', 'equity');
    const capital = await post({ postings: [posting(bank, equity, 900)] });
    expect(capital.status).toBe(201);
    expect([await balance(bank), await balance(equity)]).toEqual([900, 900]);
    const again = await client.post<Problem>('/v1/journal/accounts', {
      ...{ code: 'bank', name: 'Second', type: 'asset', currency: 'JOD' },
    });
    expect(again.body).toMatchObject({ status: 409, code: 'state_conflict' });
    const listed = await client.read<List<OwnAccount>>('/v1/journal/accounts?origin=own');
    expect(listed.data.map(({ code }) => code).sort()).toEqual(['bank', 'equity']);
    expect((await client.read<List<OwnAccount>>('/v1/journal/accounts?code=bank')).data).toHaveLength(1);
    const all = await client.read<List<OwnAccount>>('/v1/journal/accounts?limit=100');
    expect(all.data.map(({ code }) => code)).toEqual(expect.arrayContaining(['bank', 'customer', 'pool']));
  });

  test('an own account is archived at zero alone, and then takes nothing', async () => {
    const [cash, equity] = [await own('cash'), await own('equity', 'equity')];
    await post({ postings: [posting(cash, equity, 5)] });
    const full = await client.patch<Problem>(`/v1/journal/accounts/${cash.id}`, { status: 'archived' });
    expect(full.body).toMatchObject({ status: 409, code: 'account_not_empty' });
    await post({ postings: [posting(equity, cash, 5)] });
    const archived = await client.patch<OwnAccount>(`/v1/journal/accounts/${cash.id}`, { status: 'archived' });
    expect(archived.body).toMatchObject({ status: 'archived', version: 2 });
    expect(await refused({ postings: [posting(cash, equity, 5)] })).toMatchObject({ code: 'account_closed' });
    const strange = await client.patch<Problem>(`/v1/journal/accounts/${anna.id}`, { name: 'Mine' });
    expect(strange.body).toMatchObject({ status: 409, code: 'state_conflict' });
  });

  test('no pair of origins but a customer with a customer and own with own', async () => {
    const cash = await own('cash');
    const till = await own('till');
    const all = await client.read<List<OwnAccount>>('/v1/journal/accounts?origin=system');
    const pool = all.data.find(({ code }) => code === 'pool')!;
    const acquirer = { ...pool };
    const byOrigin = { customer: [anna, bert], own: [cash, till], system: [pool, acquirer] } as const;
    for (const [one, [debit]] of Object.entries(byOrigin))
      for (const [other, [, credit]] of Object.entries(byOrigin)) {
        if (debit.id === credit.id) continue;
        const { status, body } = await post<Problem>({ postings: [posting(debit, credit, 1)] });
        const may = one === other && one !== 'system';
        expect([one, other, status], JSON.stringify(body)).toEqual([one, other, may ? 201 : 422]);
        if (!may) expect(body.code).toBe('account_not_postable');
      }
  });

  test('a hold is captured in parts, at most what remains, and a reversal gives none back', async () => {
    const holds = `/v1/accounts/${anna.id}/holds`;
    const { body: hold } = await client.post<Hold>(holds, { amount: 4_000 });
    const first = await post({ postings: [posting(anna, bert, 1_500, { hold: hold.id })] });
    expect(first.status, first.text).toBe(201);
    expect(await client.read<Hold>(`${holds}/${hold.id}`)).toMatchObject({
      ...{ status: 'open', remaining: 2_500, captured: 1_500, journal_entries: [first.body.id] },
    });
    expect(await refused({ postings: [posting(anna, bert, 2_501, { hold: hold.id })] })).toMatchObject({
      ...{ code: 'amount_above_maximum', limit: 2_500 },
    });
    expect(await refused({ postings: [posting(bert, anna, 1, { hold: hold.id })] })).toMatchObject({
      ...{ status: 404, errors: [{ param: '/postings/0/hold' }] },
    });
    // Frozen since: what was reserved still leaves, and nothing else.
    await client.post(`/v1/accounts/${anna.id}/freeze`);
    expect(await refused({ postings: [posting(anna, bert, 1)] })).toMatchObject({ code: 'account_frozen' });
    const rest = await post({ postings: [posting(anna, bert, 2_500, { hold: hold.id })] });
    expect(rest.status, rest.text).toBe(201);
    expect(await client.read<Hold>(`${holds}/${hold.id}`)).toMatchObject({ status: 'captured', remaining: 0 });
    expect(await refused({ postings: [posting(anna, bert, 1, { hold: hold.id })] })).toMatchObject({
      ...{ code: 'state_conflict', current_status: 'captured' },
    });
    const reversal = await client.post<Entry>(`${path}/${first.body.id}/reverse`);
    expect(reversal.status, reversal.text).toBe(201);
    expect(await client.read<Hold>(`${holds}/${hold.id}`)).toMatchObject({ captured: 4_000 });
    const { data } = await client.read<List<Event>>(`/v1/events?object=${hold.id}`);
    expect(data.map(({ type }) => type)).toEqual(['hold.captured', 'hold.captured', 'hold.created']);
  });

  test('a hold that was captured in part is raised and released in part: what was captured counts', async () => {
    const holds = `/v1/accounts/${anna.id}/holds`;
    const { id } = (await client.post<Hold>(holds, { amount: 100 })).body;
    const capture = (...amounts: number[]) => ({
      postings: amounts.map((amount) => posting(anna, bert, amount, { hold: id })),
    });
    expect((await post(capture(60))).status).toBe(201);
    const onHold = async (what: string, amount: number) =>
      (await client.post<Hold & Problem>(`${holds}/${id}/${what}`, { amount })).body;
    expect(await onHold('increase', 150)).toMatchObject({ status: 'open', remaining: 90, captured: 60 });
    expect(await onHold('increase', 150)).toMatchObject({ code: 'amount_below_minimum', limit: 151 });
    expect(await onHold('release', 40)).toMatchObject({ status: 'open', remaining: 50 });
    expect(await onHold('release', 51)).toMatchObject({ code: 'amount_above_maximum', limit: 50 });
    expect(await refused(capture(30, 21))).toMatchObject({
      code: 'amount_above_maximum',
      param: '/postings/1/amount',
      limit: 20,
    });
    expect((await post(capture(30, 20))).status).toBe(201);
    expect(await client.read(`${holds}/${id}`)).toMatchObject({ status: 'captured', remaining: 0, captured: 110 });
    expect(await onHold('increase', 999)).toMatchObject({ code: 'state_conflict', current_status: 'captured' });
  });

  test('several currencies are one entry through own exchange accounts; a floor of an own account holds exactly', async () => {
    const [jod, fx] = [await own('cash', 'asset', { floor: 0 }), await own('fx')];
    const [usd, usdFx] = [
      await own('cash', 'asset', { currency: 'USD' }),
      await own('fx', 'asset', { currency: 'USD' }),
    ];
    const exchange = [posting(jod, fx, 7_090), { ...posting(usdFx, usd, 10_000), currency: 'USD' }];
    expect((await post({ postings: exchange })).status).toBe(201);
    expect(await refused({ postings: [posting(jod, usd, 1)] })).toMatchObject({ code: 'currency_mismatch' });
    expect(await refused({ postings: [posting(fx, jod, 7_091)] })).toMatchObject({
      ...{ code: 'insufficient_funds', available: 7_090, required: 7_091 },
    });
    expect((await post({ postings: [posting(fx, jod, 7_090)] })).status).toBe(201);
  });

  test("a payout's hold is not captured by an entry", async () => {
    const { hold, id } = await client.pay({ account: anna.id, amount: 100 });
    await client.payoutUntil(id, 'paid');
    expect(await refused({ postings: [posting(anna, bert, 1, { hold: hold! })] })).toMatchObject({
      ...{ status: 409, code: 'state_conflict' },
    });
  });

  test('an entry is reversed once, whole, and what a resource booked never', async () => {
    const { body: entry } = await post({ postings: [posting(anna, bert, 50), posting(bert, anna, 20)] });
    const { body: reversal } = await client.post<Entry>(`${path}/${entry.id}/reverse`, { description: 'Twice' });
    expect(reversal).toMatchObject({ reverses: entry.id, origin: 'manual', description: 'Twice' });
    expect(reversal.postings.map(({ amount }) => amount)).toEqual([20, 50]);
    expect((await client.read<Entry>(`${path}/${entry.id}`)).reversed_by).toBe(reversal.id);
    expect([await balance(anna), await balance(bert)]).toEqual([10_000, 0]);
    const again = await client.post<Problem>(`${path}/${entry.id}/reverse`);
    expect(again.body).toMatchObject({ status: 409, reversed_by: reversal.id });
    const ofReversal = await client.post<Problem>(`${path}/${reversal.id}/reverse`);
    expect(ofReversal.body).toMatchObject({ status: 409, code: 'state_conflict' });
    expect(ofReversal.body).toHaveProperty('undo');
    const { data } = await client.read<List<Entry>>(`${path}?origin=system`);
    const ofArrival = await client.post<Problem>(`${path}/${data[0]!.id}/reverse`);
    expect(ofArrival.body).toMatchObject({ status: 409, undo: 'Money that arrived goes back by a payout.' });
    const told = await client.read<List<Event>>(`/v1/events?object=${entry.id}`);
    expect(told.data.map(({ type }) => type)).toEqual(['journal_entry.reversed', 'journal_entry.posted']);
  });

  test('a reversal obeys floors: what was spent since is not taken back', async () => {
    const { body: entry } = await post({ postings: [posting(anna, bert, 50)] });
    const carl = await client.openAccount({ funds: 0 });
    await post({ postings: [posting(bert, carl, 1)] });
    const answer = await client.post<Problem>(`${path}/${entry.id}/reverse`);
    expect(answer.body).toMatchObject({ status: 422, code: 'insufficient_funds', available: 49, required: 50 });
  });

  test('what is expected is looked at before anything is booked', async () => {
    const body = (expected: object) => ({
      postings: [posting(anna, bert, 10_000)],
      expect: [{ account: bert.id, ...expected }],
    });
    expect(await refused(body({ sequence: 1 }))).toMatchObject({
      status: 409,
      code: 'expectation_failed',
      sequence: 0,
    });
    expect(await refused(body({ available_gte: 1 }))).toMatchObject({ code: 'expectation_failed', available: 0 });
    expect((await post(body({ sequence: 0, available_gte: 0 }))).status).toBe(201);
  });

  test('floors hold after each posting, in their order', async () => {
    const backAndForth = [posting(bert, anna, 1), posting(anna, bert, 1)];
    expect(await refused({ postings: backAndForth })).toMatchObject({
      ...{ code: 'insufficient_funds', errors: [{ param: '/postings/0/debit' }] },
    });
    expect((await post({ postings: backAndForth.toReversed() })).status).toBe(201);
    const {
      balance: { available },
    } = await client.read<Account>(`/v1/accounts/${anna.id}`);
    const twice = [posting(anna, bert, available - 1), posting(anna, bert, 2)];
    expect(await refused({ postings: twice })).toMatchObject({
      ...{ code: 'insufficient_funds', param: '/postings/1/debit', available: 1, required: 2 },
    });
  });

  test('a batch is booked whole or not at all', async () => {
    const entries = [{ postings: [posting(anna, bert, 10)] }, { postings: [posting(bert, anna, 11)] }];
    const failed = await client.post<Problem>(`${path}/batches`, { entries });
    expect(failed.body).toMatchObject({
      code: 'insufficient_funds',
      errors: [{ param: '/entries/1/postings/0/debit' }],
    });
    expect(await balance(bert)).toBe(0);
    entries[1] = { postings: [posting(bert, anna, 3)] };
    const booked = await client.post<{ entries: Entry[] }>(`${path}/batches`, { entries });
    expect(booked.status, booked.text).toBe(201);
    expect(booked.body.entries).toHaveLength(2);
    expect(await balance(bert)).toBe(7);
  });

  test.each([
    ['no posting', () => ({ postings: [] }), '/postings'],
    ['101 postings', () => ({ postings: Array(101).fill(posting(anna, bert, 1)) }), '/postings'],
    ['one account twice', () => ({ postings: [posting(anna, anna, 1)] }), '/postings/0/credit'],
    ['no amount', () => ({ postings: [posting(anna, bert, 0)] }), '/postings/0/amount'],
    [
      '29 February of 2027',
      () => ({ postings: [posting(anna, bert, 1)], effective_on: '2027-02-29' }),
      '/effective_on',
    ],
    ['the future', () => ({ postings: [posting(anna, bert, 1)], effective_on: '2999-01-01' }), '/effective_on'],
  ])('%s is refused at its place', async (_, body, param) => {
    const { status, body: problem } = await post<Problem>(body());
    expect([status, problem.errors[0]!.param]).toEqual([param.endsWith('amount') ? 422 : 400, param]);
  });

  test('100 postings are one entry', async () => {
    const { status } = await post({ postings: Array(100).fill(posting(anna, bert, 100)) });
    expect(status).toBe(201);
    expect(await balance(bert)).toBe(10_000);
  });

  test("another book's accounts and entries are not there", async () => {
    const { client: stranger } = await product.organisation();
    const elsewhere = await stranger.openAccount();
    expect(await refused({ postings: [posting(anna, elsewhere, 1)] })).toMatchObject({
      ...{ status: 404, errors: [{ param: '/postings/0/credit' }] },
    });
    const { body: entry } = await post({ postings: [posting(anna, bert, 1)] });
    expect((await stranger.get(`${path}/${entry.id}`)).status).toBe(404);
    expect((await stranger.post(`${path}/${entry.id}/reverse`)).status).toBe(404);
  });

  test('the journal is filtered, alone and together', async () => {
    const made: Entry[] = [];
    for (const n of [1, 2, 3, 4])
      made.push(
        (await post({ postings: [posting(anna, bert, n)], external_id: `r-${n % 2}`, metadata: { odd: `${n % 2}` } }))
          .body,
      );
    const idsOf = async (query: string) =>
      (await client.read<List<Entry>>(`${path}?${query}`)).data.map(({ id }) => id);
    const [first, second, third, fourth] = made.map(({ id }) => id);
    expect(await idsOf('origin=manual')).toEqual([fourth, third, second, first]);
    expect(await idsOf('external_id=r-1')).toEqual([third, first]);
    expect(await idsOf('metadata[odd]=0')).toEqual([fourth, second]);
    expect(await idsOf(`account=${bert.id}&limit=2`)).toEqual([fourth, third]);
    expect(await idsOf(`account=${bert.id}&limit=2&starting_after=${third}`)).toEqual([second, first]);
    expect(await idsOf(`account=${bert.id}&limit=2&ending_before=${second}`)).toEqual([fourth, third]);
    expect(await idsOf(`account=${bert.id}&external_id=r-0&metadata[odd]=0`)).toEqual([fourth, second]);
    expect(await idsOf('step=received')).toHaveLength(1);
    expect(await idsOf(`resource=${second}`)).toEqual([second]);
    const { sequence } = made[1]!;
    expect(await idsOf(`sequence[gt]=${sequence}&origin=manual`)).toEqual([fourth, third]);
    expect(await idsOf(`sequence[lte]=${sequence}&origin=manual`)).toEqual([second, first]);
    const today = made[0]!.posted_at.slice(0, 10);
    expect(await idsOf(`posted_on[gte]=${today}&origin=manual`)).toHaveLength(4);
    expect(await idsOf('posted_on[lte]=2026-01-01')).toEqual([]);
    expect((await client.get(`${path}?posted_on[gte]=${today}&posted_on[lte]=2026-01-01`)).status).toBe(400);
  });

  test('a frozen account receives; a closed one does not', async () => {
    await client.post(`/v1/accounts/${bert.id}/freeze`);
    expect((await post({ postings: [posting(anna, bert, 1)] })).status).toBe(201);
    const shut = await client.openAccount({ funds: 0 });
    await client.post(`/v1/accounts/${shut.id}/close`);
    expect(await refused({ postings: [posting(anna, shut, 1)] })).toMatchObject({ code: 'account_closed' });
  });

  test('every invariant of the ledger holds afterwards', async () => {
    await post({ postings: [posting(anna, bert, 9)], effective_on: '2026-01-05', description: 'Late' });
    await until(
      () => client.read<List<Entry>>(path),
      ({ data }) => data.length > 0,
    );
    await expectInvariants(product);
  });
});
