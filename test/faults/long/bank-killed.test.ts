/** kill -9 of a worker at each step of a file for a bank, and of what the bank sends: everybody is paid once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ReferenceBank } from '../../../scripts/bank/reference-bank.ts';
import { type Payout, succeeded, until } from '../../../scripts/harness/client.ts';
import { type ProductProcess, startProcess } from '../../../scripts/harness/processes.ts';
import { FAILPOINTS, type Failpoint } from '../../../src/process/failpoints.ts';
import { expectInvariants } from '../../support/invariants.ts';
import { FILE_FEE, type LiveBank, PAYEE, startWithBank } from '../../support/live-bank.ts';
import { bookedOf } from '../../support/payout-rows.ts';
import { ALL_POOLS, lookInto, makeRowsDue } from '../../support/product.ts';

const POINTS: readonly Failpoint[] = [
  'rail.submit.after',
  ...FAILPOINTS.filter((point) => point.startsWith('bank.')),
  'notice.copy.after',
  'notice.book.after',
];

let started: LiveBank;
let bank: ReferenceBank;
let worker: ProductProcess;

beforeAll(async () => {
  started = await startWithBank({ pools: [], fileAfterSeconds: 0 });
  bank = new ReferenceBank(started.places.house_bank);
  worker = await startProcess([...ALL_POOLS], started.environment);
});
afterAll(async () => {
  await worker?.terminate();
  if (started) await expectInvariants(started.product);
  await started?.close();
});

async function pay(name: string): Promise<Payout> {
  const account = await started.funded(50_000);
  const body = { account: account.id, amount: 10_000, currency: 'EUR', destination: { ...PAYEE, name } };
  return succeeded(await started.live.post<Payout>('/v1/payouts', body));
}

/** Lets the bank work, and time pass, until it is so. */
async function whileBankWorks(isSo: () => Promise<boolean>): Promise<void> {
  const behind = lookInto(started.product.database);
  try {
    await until(async () => {
      await bank.work();
      await makeRowsDue(behind);
      return isSo();
    }, Boolean);
  } finally {
    await behind.end();
  }
}

/** How often the bank has carried it out, and how often it was told of it again. */
function carried({ end_to_end_id }: Payout) {
  const all = [...bank.records.files.values()].flatMap(({ order, rejected }) =>
    (order?.payments ?? []).map((payment) => ({ ...payment, rejected: rejected ?? payment.rejected })),
  );
  return all.filter(({ endToEndId }) => endToEndId === end_to_end_id).map(({ rejected }) => rejected);
}

test.each(POINTS)('at %s', async (point) => {
  await worker.kill();
  await worker.start({ failpoints: `${point}=kill` });
  const payouts = [await pay('Jana Müller'), await pay('Jana Closed'), await pay('Jana Returned')];
  await whileBankWorks(async () => !worker.running);
  expect(worker.output).toContain(`failpoint ${point}: SIGKILL`);
  await worker.start();
  const wanted = ['paid', 'failed', 'returned'];
  const statuses = () => Promise.all(payouts.map(async ({ id }) => (await started.live.payout(id)).status));
  await whileBankWorks(async () => (await statuses()).join() === wanted.join());
  expect(payouts.map(carried)).toEqual([[null], ['AC04'], [null]]);
  const paid = [
    ['reserved', 10_000],
    ['paid', 10_000, FILE_FEE],
  ];
  expect(await Promise.all(payouts.map((payout) => bookedOf(started.live, payout)))).toEqual([
    paid,
    [
      ['reserved', 10_000],
      ['failed', 10_000],
    ],
    paid,
  ]);
  const { amount_returned } = await started.live.payout(payouts[2]!.id);
  expect(amount_returned).toBe(10_000);
});
