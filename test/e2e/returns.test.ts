/** Returns of a payout over the API, before and after the contract that makes them children in the journal as well. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account, Client, Entry, List, Payout } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/until.ts';
import { migrate } from '../../src/db/migrate.ts';
import { RIGHTS } from '../../src/groups.ts';
import { createLogger } from '../../src/process/log.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

interface Return {
  id: string;
  amount: number;
  journal_entries: string[];
}

interface Returned {
  object_sequence: number;
  data: { object: Payout; previous_attributes: object };
  journal_entries: { id: string; resource: string; resource_id: string; step: string }[];
}

let product: Product;
let client: Client;
let account: Account;
let payout: Payout;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', earlierForms: '0.2.0' });
  ({ client } = await product.organisation());
  account = await client.openAccount({ funds: 100_000 });
  const sent = await client.pay({
    account: account.id,
    amount: 10_000,
    destination: { type: 'cliq', alias: 'SHOP1' },
  });
  payout = await client.payoutUntil(sent.id, 'paid');
});
afterAll(() => product?.close());

const giveBack = async (amount: number) =>
  (await client.post<Payout>(`/v1/simulations/payouts/${payout.id}/return`, { amount })).body;
const returns = async (query = '') => client.read<List<Return>>(`/v1/payouts/${payout.id}/returns${query}`);
const entriesOf = async (id: string) => (await client.read<List<Entry>>(`/v1/journal/entries?resource=${id}`)).data;
const lastReturned = async () =>
  (await client.read<List<Returned>>(`/v1/events?object=${payout.id}&type=payout.returned&limit=1`)).data[0]!;

test('a return is booked as a step of its payout, and after the contract under its own name', async () => {
  const before = await giveBack(1_000);
  expect(before.journal_entries).toHaveLength(3);
  await migrate({
    rights: RIGHTS,
    ...product.database,
    log: createLogger('silent', 'test'),
    contract: { watchMs: 0 },
  });
  await until(() => product.runtime.forms.returnsApart);

  const after = await giveBack(2_000);
  expect(after).toMatchObject({ status: 'paid', amount_returned: 3_000, journal_entries: before.journal_entries });
  const { data } = await returns();
  expect(data.map(({ amount }) => amount)).toEqual([2_000, 1_000]);
  const [child, step] = data;

  expect((await entriesOf(payout.id)).map((entry) => entry.step)).toEqual(['returned_1', 'paid', 'reserved']);
  expect(step!.journal_entries).toEqual([before.journal_entries[2]]);
  const own = await entriesOf(child!.id);
  expect(own.map((entry) => [entry.id, entry.step])).toEqual([[child!.journal_entries[0], 'returned']]);

  expect(await lastReturned()).toMatchObject({
    object_sequence: after.version,
    data: { object: { id: payout.id }, previous_attributes: { amount_returned: 1_000 } },
    journal_entries: [{ id: own[0]!.id, resource: 'payout_return', resource_id: child!.id, step: 'returned' }],
  });
});

test('the rest comes back: the payout is returned, and each return can be read', async () => {
  expect(await giveBack(7_000)).toMatchObject({ status: 'returned', amount_returned: 10_000 });
  const first = await returns('?limit=2');
  const rest = await returns(`?limit=2&starting_after=${first.next_cursor}`);
  expect([first.has_more, rest.has_more]).toEqual([true, false]);
  const all = [...first.data, ...rest.data];
  expect(all.map(({ amount }) => amount)).toEqual([7_000, 2_000, 1_000]);
  for (const one of all) expect(await client.read(`/v1/payouts/${payout.id}/returns/${one.id}`)).toEqual(one);
  const { balance } = await client.read<Account>(`/v1/accounts/${account.id}`);
  expect(balance.posted).toBe(100_000 - 50);
  await expectInvariants(product);
});
