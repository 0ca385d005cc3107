/** Payouts of batches in a file for a bank: each batch is a PmtInf of its own, and singles are another. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ReferenceBank } from '../../scripts/bank/reference-bank.ts';
import { type List, type Payout, succeeded, until } from '../../scripts/harness/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type LiveBank, PAYEE, startWithBank } from '../support/live-bank.ts';

const BATCHES = '/v1/payouts/batches';
let started: LiveBank;

beforeAll(async () => {
  started = await startWithBank({ paymentsPerFile: 7 });
});
afterAll(() => started?.close());

test('two batches and singles of one file become their PmtInf, and both batches are paid', async () => {
  const { live, places } = started;
  const account = await started.funded(1_000_000);
  const of = (amount: number) => ({ amount, currency: 'EUR', destination: PAYEE });
  const single = async (amount: number) =>
    succeeded(await live.post<Payout>('/v1/payouts', { ...of(amount), account: account.id }));
  const batch = async (...amounts: number[]) =>
    succeeded(await live.post<{ id: string }>(BATCHES, { account: account.id, items: amounts.map(of) }));
  const singles = [await single(10_000)];
  const batches = [await batch(11_000, 12_000), await batch(13_000, 14_000, 15_000)];
  singles.push(await single(16_000));

  const bank = new ReferenceBank(places.house_bank);
  const status = async ({ id }: { id: string }) => (await live.read<{ status: string }>(`${BATCHES}/${id}`)).status;
  await until(
    async () => {
      await bank.work();
      return Promise.all(batches.map(status));
    },
    (found) => found.every((one) => one === 'completed'),
  );
  for (const { id } of singles) await live.payoutUntil(id, 'paid');

  const files = [...bank.records.files.values()].flatMap(({ order }) => (order ? [order] : []));
  expect(files).toHaveLength(1);
  const groups = new Map<string, string[]>();
  for (const { group, endToEndId } of files[0]!.payments)
    groups.set(group, [...(groups.get(group) ?? []), endToEndId].sort());
  const ids = async ({ id }: { id: string }) =>
    (await live.read<List<{ end_to_end_id: string }>>(`${BATCHES}/${id}/items`)).data
      .map(({ end_to_end_id }) => end_to_end_id)
      .sort();
  const wanted = [...(await Promise.all(batches.map(ids))), singles.map(({ end_to_end_id }) => end_to_end_id).sort()];
  expect([...groups.values()].map(String).sort()).toEqual(wanted.map(String).sort());
  expect([...groups.values()].map(({ length }) => length).sort()).toEqual([2, 2, 3]);
  await expectInvariants(started.product);
});
