/** Requests that change nothing, what events say of an object before, and money that tells the account where it arrives. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Account,
  type Client,
  type Endpoint,
  type Event,
  type List,
  type Problem,
  succeeded,
} from '../../scripts/harness/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

let product: Product;
let client: Client;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ client } = await product.organisation());
});
afterAll(() => product?.close());

const eventsOf = async (id: string) => (await client.read<List<Event>>(`/v1/events?object=${id}`)).data;

describe('a PATCH', () => {
  const FULL = { name: 'Payroll', external_id: 'ours-1', metadata: { a: '1', b: '2' } };
  let account: Account;
  beforeAll(async () => {
    account = await client.openAccount({ funds: 0, ...FULL });
  });

  test.each([{}, { name: 'Payroll' }, FULL, { metadata: { b: '2', a: '1' } }])(
    'of an account with %j changes nothing: no version, no event, the same answer',
    async (body) => {
      const before = await client.read<Account>(`/v1/accounts/${account.id}`);
      const told = (await eventsOf(account.id)).length;
      expect(succeeded(await client.patch<Account>(`/v1/accounts/${account.id}`, body))).toEqual(before);
      expect(await client.read<Account>(`/v1/accounts/${account.id}`)).toEqual(before);
      expect(await eventsOf(account.id)).toHaveLength(told);
    },
  );

  test('that changes nothing is still refused for a version that was left behind', async () => {
    const headers = { 'if-match': '"7"' };
    const { body } = await client.patch<Problem>(`/v1/accounts/${account.id}`, {}, { headers });
    expect(body).toMatchObject({ status: 412, code: 'version_mismatch' });
  });

  test('that changes one attribute tells of that one alone', async () => {
    const change = { ...FULL, external_id: null };
    const after = succeeded(await client.patch<Account>(`/v1/accounts/${account.id}`, change));
    expect(after).toMatchObject({ version: account.version + 1, external_id: null, metadata: FULL.metadata });
    const [event] = await eventsOf(account.id);
    expect(event).toMatchObject({ type: 'account.updated', data: { object: after } });
    expect(event!.data.previous_attributes).toEqual({ external_id: 'ours-1' });
  });

  test('of a webhook endpoint changes nothing, or what it says', async () => {
    const made = succeeded(
      await client.post<Endpoint>('/v1/webhooks', {
        url: 'https://example.com/a',
        events: ['payout.*'],
        metadata: { a: '1' },
      }),
    );
    const path = `/v1/webhooks/${made.id}`;
    const before = await client.read<Endpoint>(path);
    const same = { url: made.url, events: ['payout.*', 'payout.*'], metadata: { a: '1' }, description: null };
    for (const body of [{}, same]) expect(succeeded(await client.patch<Endpoint>(path, body))).toEqual(before);
    const changed = succeeded(await client.patch<Endpoint>(path, { ...same, description: 'ours' }));
    expect(changed).toMatchObject({ version: before.version + 1, description: 'ours' });
  });
});

test('every event of a payout says what was before', async () => {
  const { id: account } = await client.openAccount();
  const { id } = await client.pay({ account });
  const paid = await client.payoutUntil(id, 'paid');
  const [last, processing, created] = await eventsOf(id);
  expect(created!.data.previous_attributes).toEqual({});
  expect(processing!.data.previous_attributes).toEqual({
    status: 'pending',
    waiting_on: 'ledger',
    sent_at: null,
    journal_entries: [],
    allowed_actions: ['cancel'],
  });
  expect(last!.data.previous_attributes).toEqual({
    status: 'processing',
    waiting_on: 'rail',
    rail_reference: null,
    journal_entries: [paid.journal_entries[0]],
  });
});

describe('an account is told of money that arrives', () => {
  const arrivals = async ({ id }: Account) =>
    (await eventsOf(id))
      .filter(({ type }) => type === 'account.updated')
      .map(({ data, journal_entries: entries }) => ({
        balance: data.object.balance,
        before: data.previous_attributes,
        entries: entries.map((entry) => entry.id),
      }));

  test('by a book transfer', async () => {
    const [from, to] = [await client.openAccount({ funds: 9_000 }), await client.openAccount({ funds: 0 })];
    const { id } = await client.pay({
      account: from.id,
      amount: 9_000,
      destination: { type: 'account', account: to.id },
    });
    const paid = await client.payoutUntil(id, 'paid');
    expect(await arrivals(to)).toEqual([
      {
        balance: { posted: 9_000, held: 0, available: 9_000 },
        before: { balance: { posted: 0, held: 0, available: 0 } },
        entries: [paid.journal_entries[1]],
      },
    ]);
    const shown = await client.read<Account>(`/v1/accounts/${to.id}`);
    const [event] = await eventsOf(to.id);
    expect(event!.data.object).toEqual(shown);
    expect(event!.object_sequence).toBe(to.version + 1);
  });

  test('by a return, whole or in part, and the entry is that of the return', async () => {
    const account = await client.openAccount({ funds: 10_000 });
    const { id } = await client.pay({
      account: account.id,
      amount: 5_000,
      destination: { type: 'cliq', alias: 'RETURNHALF' },
    });
    await client.payoutUntil(id, ({ amount_returned: returned }) => returned > 0);
    succeeded(await client.post(`/v1/simulations/payouts/${id}/return`));
    const returns = (await client.read<List<{ journal_entries: string[] }>>(`/v1/payouts/${id}/returns`)).data;
    const [second, first] = (await arrivals(account)).slice(0, 2);
    expect([second!.entries, first!.entries]).toEqual(returns.map(({ journal_entries: entries }) => entries));
    expect(second!.before).toEqual({ balance: first!.balance });
    expect(second!.balance).toEqual((await client.read<Account>(`/v1/accounts/${account.id}`)).balance);
  });

  test('and whoever counts each entry once comes to the balances', () => expectInvariants(product));
});
