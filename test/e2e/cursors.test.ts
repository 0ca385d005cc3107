/** Cursors of lists that have more to say than any list: http-matrix.test.ts reads every list on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account, Client, Endpoint, List, Payout, Problem } from '../../scripts/harness/client.ts';
import { succeeded } from '../../scripts/harness/client.ts';
import { type Product, startProduct } from '../support/product.ts';

interface Furnished {
  readonly client: Client;
  readonly account: Account;
  readonly payout: Payout;
  readonly endpoint: Endpoint;
}

let product: Product;
let own: Furnished;

beforeAll(async () => {
  // Without workers: a payout stays pending.
  product = await startProduct({ backend: 'postgres', pools: [] });
  const { client } = await product.organisation();
  const endpoint = succeeded(
    await client.post<Endpoint>('/v1/webhooks', { url: 'https://example.com/hooks', events: ['payout.*'] }),
  );
  const account = await client.openAccount();
  const payout = await client.pay({ account: account.id });
  succeeded(await client.post(`/v1/accounts/${account.id}/holds`, { amount: 100 }));
  own = { client, account, payout, endpoint };
});
afterAll(() => product?.close());

const withCursor = (path: string, param: string, cursor: string) =>
  `${path}${path.includes('?') ? '&' : '?'}${param}=${cursor}`;

async function expectRefused(path: string, cursor: string): Promise<void> {
  for (const param of ['starting_after', 'ending_before']) {
    const { status, body } = await own.client.get<Problem>(withCursor(path, param, cursor));
    expect([status, body.code, body.param]).toEqual([400, 'cursor_invalid', param]);
  }
}

test('a cursor of another list of the book is refused', async () => {
  const { client, account, payout, endpoint } = own;
  const second = await client.openAccount({ funds: 1_000 });
  const held = succeeded(await client.post<{ id: string }>(`/v1/accounts/${second.id}/holds`, { amount: 100 }));
  await expectRefused(`/v1/accounts/${account.id}/holds`, held.id);
  // A hold that a payout made is read by its id, and in no list.
  await expectRefused(`/v1/accounts/${account.id}/holds`, payout.hold!);
  // Of the events, only those of payouts are delivered to the endpoint.
  const events = await client.read<List<{ id: string }>>('/v1/events?type=account.created');
  await expectRefused(`/v1/webhooks/${endpoint.id}/deliveries`, events.data[0]!.id);
});

test('an object that the filters no longer let through is still a cursor of the list', async () => {
  const { client, account } = own;
  const [first] = (await client.read<List<Payout>>('/v1/payouts?status=pending&limit=1')).data;
  const second = await client.pay({ account: account.id });
  succeeded(await client.post(`/v1/payouts/${second.id}/cancel`));
  const page = await client.read<List<Payout>>(`/v1/payouts?status=pending&starting_after=${second.id}`);
  expect(page.data[0]!.id).toBe(first!.id);
});

test('an endpoint that was deleted is still a cursor: a client may delete what it reads', async () => {
  const { client } = own;
  const { id } = succeeded(await client.post<Endpoint>('/v1/webhooks', { url: 'https://example.com/deleted' }));
  succeeded(await client.delete(`/v1/webhooks/${id}`));
  const page = await client.read<List<Endpoint>>(`/v1/webhooks?starting_after=${id}`);
  expect(page.data.map((endpoint) => endpoint.id)).toEqual([own.endpoint.id]);
});

test('a timeline is read in pages, oldest first, forwards and backwards', async () => {
  const { client } = own;
  const { id } = await client.openAccount({ funds: 0 });
  for (const action of ['freeze', 'unfreeze', 'freeze', 'unfreeze'])
    succeeded(await client.post(`/v1/accounts/${id}/${action}`));
  const path = `/v1/accounts/${id}/timeline`;
  const read = (query: string) => client.read<List<{ event: string; type: string }> & { url: string }>(path + query);
  const whole = await read('');
  expect(whole).toMatchObject({ object: 'timeline', has_more: false, next_cursor: null, url: path });
  expect(whole.data.map(({ type }) => type.slice('account.'.length))).toEqual([
    'created',
    'frozen',
    'unfrozen',
    'frozen',
    'unfrozen',
  ]);
  const events = whole.data.map(({ event }) => event);
  const pageOf = async (query: string) => {
    const { data, has_more: hasMore, next_cursor: cursor } = await read(query);
    return [data.map(({ event }) => events.indexOf(event)), hasMore && events.indexOf(cursor!)];
  };
  expect(await pageOf('?limit=2')).toEqual([[0, 1], 1]);
  expect(await pageOf(`?limit=2&starting_after=${events[1]}`)).toEqual([[2, 3], 3]);
  expect(await pageOf(`?limit=2&starting_after=${events[3]}`)).toEqual([[4], false]);
  expect(await pageOf(`?limit=2&starting_after=${events[4]}`)).toEqual([[], false]);
  expect(await pageOf(`?limit=2&ending_before=${events[4]}`)).toEqual([[2, 3], 2]);
  expect(await pageOf(`?limit=2&ending_before=${events[2]}`)).toEqual([[0, 1], false]);
  // An event of another object is no cursor of this one.
  const [other] = (await client.read<List<{ event: string }>>(`/v1/payouts/${own.payout.id}/timeline`)).data;
  await expectRefused(path, other!.event);
});
