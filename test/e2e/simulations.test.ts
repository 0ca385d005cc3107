/** Simulations of payouts that their rail reports wrongly. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, type Payout, succeeded } from '../../scripts/harness/client.ts';
import { type Product, startProduct } from '../support/product.ts';

let product: Product;
let client: Client;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ client } = await product.organisation());
});

afterAll(() => product?.close());

const CASES = ['WRONGPAYEE', 'WRONGAMOUNT', 'WRONGCURRENCY'].flatMap((alias) =>
  ['complete', 'fail'].map((action) => [alias, action] as const),
);

test.each(CASES)('%s: to %s it changes nothing, since a person decides', async (alias, action) => {
  const account = await client.openAccount({ funds: 20_000 });
  const { id } = await client.pay({ account: account.id, destination: { type: 'cliq', alias } });
  await client.payoutUntil(id, ({ outcome }) => outcome === 'unknown');
  const answer = await client.post<Payout>(`/v1/simulations/payouts/${id}/${action}`);
  const asked = {
    id,
    status: 'processing',
    outcome: 'unknown',
    waiting_on: 'inquiry',
    next_inquiry_at: expect.any(String),
  };
  expect(succeeded(answer)).toMatchObject(asked);
  expect((await client.read<{ data: unknown[] }>(`/v1/exceptions?resource=${id}`)).data).toMatchObject([
    { resource_id: id, status: 'open' },
  ]);
});
