/** Refunds, releases and settlements of a book, by account, state and time. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, succeeded, until } from '../../scripts/harness/client.ts';
import { type Product, startProduct } from '../support/product.ts';

interface Listed {
  readonly id: string;
  readonly created_at: string;
}
interface Page {
  readonly data: readonly Listed[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

const REFUNDS_FAIL = '4000000000005126';

let product: Product;
let client: Client;
let accounts: readonly string[];
/** The refunds, oldest first: of the first account, one that failed, then one of the second. */
let refunds: Listed[];

const ids = async (path: string) => (await client.read<Page>(path)).data.map(({ id }) => id);
const idsOf = (listed: readonly Listed[]) => listed.map(({ id }) => id);

async function refunded(account: string, number: string): Promise<Listed> {
  const source = { type: 'card', number, exp_month: 12, exp_year: 2034, cvc: '123' };
  const payment = succeeded(
    await client.post<Listed>('/v1/payments', { account, amount: 20_000, currency: 'JOD', source }),
  );
  return succeeded(await client.post<Listed>(`/v1/payments/${payment.id}/refunds`, { amount: 5_000 }));
}

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ client } = await product.organisation());
  accounts = [(await client.openAccount({ funds: 0 })).id, (await client.openAccount({ funds: 0 })).id];
  refunds = [
    await refunded(accounts[0]!, '4242424242424242'),
    await refunded(accounts[0]!, REFUNDS_FAIL),
    await refunded(accounts[1]!, '4242424242424242'),
  ];
  await until(
    () => client.read<{ status: string }>(`/v1/payments/refunds/${refunds[1]!.id}`),
    ({ status }) => status === 'failed',
  );
});
afterAll(() => product.close());

test('refunds are listed by the account of their payment', async () => {
  expect(await ids(`/v1/payments/refunds?account=${accounts[0]}`)).toEqual(idsOf([refunds[1]!, refunds[0]!]));
  expect(await ids(`/v1/payments/refunds?account=${accounts[1]}`)).toEqual(idsOf([refunds[2]!]));
});

test('refunds are listed by their states, one or more', async () => {
  expect(await ids('/v1/payments/refunds?status=failed')).toEqual(idsOf([refunds[1]!]));
  expect(await ids(`/v1/payments/refunds?status=failed&account=${accounts[1]}`)).toEqual([]);
  expect(await ids('/v1/payments/refunds?status=failed,succeeded')).toHaveLength(3);
  expect((await client.get('/v1/payments/refunds?status=paid')).body).toMatchObject({
    code: 'parameter_invalid',
    param: 'status',
  });
});

test('refunds of a time are read in pages, forwards and backwards', async () => {
  const since = `created_at[gte]=${refunds[1]!.created_at}`;
  expect(await ids(`/v1/payments/refunds?${since}`)).toEqual(idsOf([refunds[2]!, refunds[1]!]));
  const first = await client.read<Page>(`/v1/payments/refunds?${since}&limit=1`);
  expect(first).toMatchObject({ data: [{ id: refunds[2]!.id }], has_more: true });
  const rest = `/v1/payments/refunds?${since}&limit=1`;
  expect(await ids(`${rest}&starting_after=${first.next_cursor}`)).toEqual(idsOf([refunds[1]!]));
  expect(await ids(`${rest}&ending_before=${refunds[1]!.id}`)).toEqual(idsOf([refunds[2]!]));
  expect(await ids(`/v1/payments/refunds?${since}&account=${accounts[0]}`)).toEqual(idsOf([refunds[1]!]));
});

test('captures and refunds of one payment are their own lists', async () => {
  const [newest] = (await client.read<{ data: { id: string; payment: string }[] }>('/v1/payments/refunds?limit=1'))
    .data;
  expect(await ids(`/v1/payments/${newest!.payment}/refunds`)).toEqual([newest!.id]);
  const [capture, ...others] = await ids(`/v1/payments/${newest!.payment}/captures`);
  expect([capture!.slice(0, 4), others]).toEqual(['cap_', []]);
});

test('settlements and releases are listed by the time at which they were made', async () => {
  succeeded(await client.post('/v1/simulations/acquirer_settlements'));
  const [settlement] = await until(
    async () => (await client.read<Page>('/v1/payments/settlements')).data,
    (made) => made.length === 1,
  );
  succeeded(await client.post('/v1/simulations/clock/advance', { by: 'P3D' }));
  const released = await until(
    async () => (await client.read<Page>('/v1/payments/releases')).data,
    (made) => made.length === 2,
  );
  for (const [path, { created_at: made }, all] of [
    ['/v1/payments/settlements', settlement!, [settlement!]],
    ['/v1/payments/releases', released.at(-1)!, released],
  ] as const) {
    expect(await ids(`${path}?created_at[gte]=${made}`)).toEqual(idsOf(all));
    expect(await ids(`${path}?created_at[lt]=${made}`)).toEqual([]);
  }
  const ofFirst = `/v1/payments/releases?account=${accounts[0]}&created_at[gte]=${released.at(-1)!.created_at}`;
  expect(await ids(ofFirst)).toHaveLength(1);
});
