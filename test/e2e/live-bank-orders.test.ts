/** What a bank's files say of payouts twice, late and in other orders than the rows H of money-scenarios.md (live-bank.test.ts). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client, List, Payout } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/client.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/process/log.ts';
import { createRuntime } from '../../src/runtime.ts';
import { startPools } from '../../workers/run.ts';
import { camt054, type EntryOptions, pain002, type TransactionOptions } from '../support/bank-files.ts';
import { expectInvariants } from '../support/invariants.ts';
import { FILE_FEE, type Filed, type LiveBank, LiveFiles, startWithBank } from '../support/live-bank.ts';
import { balanceOf, bookedOf, eventsOf, exceptionsAbout, holding } from '../support/payout-rows.ts';

let started: LiveBank;
let bank: LiveFiles;
let dollars: LiveFiles;
let live: Client;

beforeAll(async () => {
  started = await startWithBank();
  bank = new LiveFiles(started);
  dollars = new LiveFiles(started, 'status_bank');
  ({ live } = started);
});
afterAll(async () => {
  if (started) {
    for (const [files, currency] of [
      [bank, 'EUR'],
      [dollars, 'USD'],
    ] as const)
      for (const filed of files.filed) {
        const rest = (await statuses(filed)).flatMap((now, at) =>
          now === 'processing' ? [debit(filed, at, { currency })] : [],
        );
        if (rest.length === 0) continue;
        await files.tell(camt054(rest, { id: `E${++told}` }));
        await until(
          () => statuses(filed),
          (now) => !now.includes('processing'),
        );
      }
    await expectInvariants(started.product);
  }
  await started?.close();
});

const FUNDS = 100_000;
const AMOUNTS = ['100.00', '200.00', '300.00'] as const;
let told = 0;
let bookings = 0;
const reference = () => `F${++bookings}`;
const statuses = async ({ payouts }: Pick<Filed, 'payouts'>) =>
  Promise.all(payouts.map(async ({ id }) => (await live.payout(id)).status));
const become = (filed: Filed, ...wanted: Payout['status'][]) =>
  until(
    () => statuses(filed),
    (found) => found.join() === wanted.join(),
  );
const notify = (entries: readonly EntryOptions[], to = bank, options: Parameters<typeof camt054>[1] = {}) =>
  to.tell(camt054(entries, { id: `N${++told}`, ...options }));
const report = (content: Omit<Parameters<typeof pain002>[0], 'id'>, to = bank) =>
  to.tell(pain002({ ...content, id: `S${++told}` }));
const say = (filed: Filed, at: number, status: string, reason?: string, to = bank) =>
  report(
    {
      messageId: filed.messageId,
      payments: [
        {
          paymentInformationId: filed.group,
          transactions: [{ endToEndId: filed.payouts[at]!.end_to_end_id, status, ...(reason && { reason }) }],
        },
      ],
    },
    to,
  );
function debit({ payouts }: Filed, at: number, change: Partial<EntryOptions & TransactionOptions> = {}): EntryOptions {
  const { amount = AMOUNTS[at]!, endToEndId = payouts[at]!.end_to_end_id, instructed, charges, ...entry } = change;
  return {
    amount,
    bankReference: reference(),
    transactions: [{ endToEndId, ...(instructed && { instructed }), ...(charges && { charges }) }],
    ...entry,
  };
}
const credit = (
  { payouts }: Filed,
  at: number,
  amount: string = AMOUNTS[at]!,
  change: Partial<EntryOptions & { reason: string }> = {},
): EntryOptions => {
  const { reason = 'AC04', ...entry } = change;
  return {
    amount,
    direction: 'CRDT',
    bankReference: reference(),
    transactions: [{ endToEndId: payouts[at]!.end_to_end_id, reason }],
    ...entry,
  };
};
const exceptions = (payout: Payout, wanted: string[]) =>
  until(
    () => exceptionsAbout(live, payout),
    (found) => found.sort().join() === wanted.sort().join(),
  );
const paidAll = async (filed: Filed, to = bank, currency = 'EUR') => {
  await notify(
    [0, 1, 2].map((at) => debit(filed, at, { currency })),
    to,
  );
  await become(filed, 'paid', 'paid', 'paid');
};
const returned = async ({ payouts }: Filed, at: number) => (await live.payout(payouts[at]!.id)).amount_returned;

describe('a bank’s files', () => {
  test('two whole credits of one payout: the first is its return, the second exceeds it and waits for people', async () => {
    const filed = await bank.file();
    await paidAll(filed);
    await notify([credit(filed, 1)]);
    await become(filed, 'paid', 'returned', 'paid');
    await notify([credit(filed, 1)]);
    await exceptions(filed.payouts[1]!, ['return_exceeds_payout']);
    expect(await returned(filed, 1)).toBe(20_000);
    const { data } = await live.read<List<{ waiting: object }>>(`/v1/exceptions?resource=${filed.payouts[1]!.id}`);
    expect(data).toMatchObject([{ waiting: { account: null, amount: 20_000, currency: 'EUR' } }]);
    expect(await balanceOf(live, filed.account.id)).toEqual(holding(FUNDS - 60_000 + 20_000 - 3 * FILE_FEE));
  });

  test('the same credit in two files, under one reference of the bank, is one return', async () => {
    const filed = await bank.file();
    await paidAll(filed);
    const back = credit(filed, 0, '40.00');
    await notify([back]);
    await until(
      () => returned(filed, 0),
      (amount) => amount === 4_000,
    );
    await notify([back]);
    await notify([credit(filed, 0, '60.00')]);
    await become(filed, 'returned', 'paid', 'paid');
    expect(
      (await live.read<List<{ amount: number }>>(`/v1/payouts/${filed.payouts[0]!.id}/returns`)).data
        .map(({ amount }) => amount)
        .sort(),
    ).toEqual([4_000, 6_000]);
  });

  test('rejected, and debited afterwards: paid after it failed, without the fee', async () => {
    const filed = await bank.file();
    await say(filed, 1, 'RJCT', 'AC04');
    await become(filed, 'processing', 'failed', 'processing');
    await notify([debit(filed, 1)]);
    await become(filed, 'processing', 'paid', 'processing');
    expect(await bookedOf(live, filed.payouts[1]!)).toEqual([
      ['reserved', 20_000],
      ['failed', 20_000],
      ['paid_after_failed', 20_000],
    ]);
    expect(await exceptionsAbout(live, filed.payouts[1]!)).toEqual(['paid_after_failed']);
    expect(await balanceOf(live, filed.account.id)).toEqual(holding(FUNDS - 60_000, 2 * FILE_FEE));
  });

  test('a credit of a payout that was rejected is a return of what was not paid', async () => {
    const filed = await bank.file();
    await say(filed, 0, 'RJCT', 'AC01');
    await become(filed, 'failed', 'processing', 'processing');
    await notify([credit(filed, 0)]);
    await exceptions(filed.payouts[0]!, ['return_of_unpaid']);
    expect(await bookedOf(live, filed.payouts[0]!)).toEqual([
      ['reserved', 10_000],
      ['failed', 10_000],
    ]);
  });

  test('the sum of all, and a rejection of one afterwards: it is taken back', async () => {
    const filed = await bank.file();
    await notify([{ amount: '600.00', bankReference: reference(), batch: { paymentInformationId: filed.group } }]);
    await become(filed, 'paid', 'paid', 'paid');
    await say(filed, 1, 'RJCT', 'AC04');
    await become(filed, 'paid', 'returned', 'paid');
    await exceptions(filed.payouts[1]!, ['failed_after_paid']);
    await notify([credit(filed, 1)]);
    await notify([credit(filed, 0)]);
    await become(filed, 'returned', 'returned', 'paid');
    expect(await exceptionsAbout(live, filed.payouts[1]!)).toEqual(['failed_after_paid']);
  });

  test('a payment is rejected: all of it that has no word of its own', async () => {
    const filed = await bank.file();
    await report({
      messageId: filed.messageId,
      payments: [
        {
          paymentInformationId: filed.group,
          status: 'RJCT',
          reason: 'AM04',
          transactions: [{ endToEndId: filed.payouts[0]!.end_to_end_id, status: 'ACSP' }],
        },
      ],
    });
    await become(filed, 'processing', 'failed', 'failed');
    expect((await live.payout(filed.payouts[1]!.id)).failure).toMatchObject({
      code: 'rail_suspended',
      rail_code: 'AM04',
    });
  });

  test('the group is rejected, one was accepted by its own word: that one goes on', async () => {
    const filed = await bank.file();
    await report({
      messageId: filed.messageId,
      group: { status: 'RJCT', reason: 'FF01' },
      payments: [
        {
          paymentInformationId: filed.group,
          transactions: [{ endToEndId: filed.payouts[2]!.end_to_end_id, status: 'ACSP' }],
        },
      ],
    });
    await become(filed, 'failed', 'failed', 'processing');
    expect((await live.payout(filed.payouts[0]!.id)).failure).toMatchObject({
      code: 'rail_suspended',
      rail_code: 'FF01',
    });
  });

  test('CANC rejects; PDNG, ACWC, RCVD and words that nobody knows change nothing', async () => {
    const filed = await bank.file();
    for (const word of ['RCVD', 'PDNG', 'ACWC', 'ACWP', 'ZZZZ', 'ACCC', 'ACSC']) await say(filed, 0, word);
    await say(filed, 1, 'CANC', 'CUST');
    await become(filed, 'processing', 'failed', 'processing');
    expect((await live.payout(filed.payouts[1]!.id)).failure).toMatchObject({
      code: 'refused_by_payee',
      rail_code: 'CUST',
    });
  });

  test('one debited alone and the sum of all under the same reference: all are paid, each once', async () => {
    const filed = await bank.file();
    const ref = reference();
    await notify([debit(filed, 0, { bankReference: ref })]);
    await become(filed, 'paid', 'processing', 'processing');
    await notify([{ amount: '600.00', bankReference: ref, batch: { paymentInformationId: filed.group } }]);
    await become(filed, 'paid', 'paid', 'paid');
    for (const payout of filed.payouts) expect(await bookedOf(live, payout)).toHaveLength(2);
  });

  test('a debit of another currency, one short, and then the right one', async () => {
    const filed = await bank.file();
    await notify([debit(filed, 0, { currency: 'USD' })]);
    await exceptions(filed.payouts[0]!, ['rail_currency_mismatch']);
    await notify([debit(filed, 1, { amount: '199.99' })]);
    await exceptions(filed.payouts[1]!, ['rail_amount_mismatch']);
    expect(await live.payout(filed.payouts[1]!.id)).toMatchObject({ status: 'processing', outcome: 'unknown' });
    await notify([debit(filed, 0), debit(filed, 1)]);
    await become(filed, 'paid', 'paid', 'processing');
  });

  test('part came back, then it is rejected, then the rest comes: what was left once, and no more', async () => {
    const filed = await dollars.file();
    await report({ messageId: filed.messageId, group: { status: 'ACSC' } }, dollars);
    await become(filed, 'paid', 'paid', 'paid');
    await notify([credit(filed, 1, '120.00', { currency: 'USD' })], dollars);
    await until(
      () => returned(filed, 1),
      (amount) => amount === 12_000,
    );
    await say(filed, 1, 'RJCT', 'AC04', dollars);
    await become(filed, 'paid', 'returned', 'paid');
    await notify([credit(filed, 1, '80.00', { currency: 'USD' })], dollars);
    await notify([credit(filed, 0, '100.00', { currency: 'USD' })], dollars);
    await become(filed, 'returned', 'returned', 'paid');
    await exceptions(filed.payouts[1]!, ['failed_after_paid', 'return_short']);
    expect(await eventsOf(live, filed.payouts[1]!)).toEqual([
      'payout.created',
      'payout.processing',
      'payout.paid',
      'payout.returned',
      'payout.returned',
    ]);
  });

  test('rejected after it was paid, and credited in two parts: both are the evidence of the one return', async () => {
    const filed = await dollars.file();
    await report({ messageId: filed.messageId, group: { status: 'ACCC' } }, dollars);
    await become(filed, 'paid', 'paid', 'paid');
    await say(filed, 1, 'RJCT', 'AC04', dollars);
    await become(filed, 'paid', 'returned', 'paid');
    await notify([credit(filed, 1, '120.00', { currency: 'USD' })], dollars);
    await notify([credit(filed, 1, '80.00', { currency: 'USD' })], dollars);
    await notify([credit(filed, 0, '100.00', { currency: 'USD' })], dollars);
    await become(filed, 'returned', 'returned', 'paid');
    await exceptions(filed.payouts[1]!, ['failed_after_paid', 'return_short']);
  });

  test('paid by its status, rejected, and debited only then: the return stands, nothing is booked twice', async () => {
    const filed = await dollars.file();
    await say(filed, 0, 'ACSC', undefined, dollars);
    await become(filed, 'paid', 'processing', 'processing');
    await say(filed, 0, 'RJCT', 'AC04', dollars);
    await become(filed, 'returned', 'processing', 'processing');
    await notify([debit(filed, 0, { currency: 'USD' })], dollars);
    await notify([debit(filed, 1, { currency: 'USD' }), credit(filed, 0, '100.00', { currency: 'USD' })], dollars);
    await become(filed, 'returned', 'paid', 'processing');
    expect(await exceptionsAbout(live, filed.payouts[0]!)).toEqual(['failed_after_paid']);
  });

  test('a credit that is pending is none; booked it is', async () => {
    const filed = await bank.file();
    await paidAll(filed);
    const ref = reference();
    await notify([credit(filed, 2, '300.00', { status: 'PDNG', bankReference: ref })]);
    await notify([credit(filed, 2, '300.00', { status: 'INFO', bankReference: ref })]);
    await notify([credit(filed, 2, '300.00', { bankReference: ref })], bank, { copy: 'COPY' });
    await notify([credit(filed, 0)]);
    await become(filed, 'returned', 'paid', 'paid');
    await notify([credit(filed, 2, '300.00', { bankReference: ref })]);
    await become(filed, 'returned', 'paid', 'returned');
  });
});

test.each([
  ['missing', 'inbox', '/nowhere', /the rail .+ cannot start\. The folder inbox is not there: \/nowhere/],
  ['on another file system', 'outbox', '/dev/shm', /the rail .+ cannot start\. .+ are on different file systems/],
] as const)('a process with the pool of rails does not start where a folder is %s', async (_, name, folder, why) => {
  const before = JSON.parse(readFileSync(started.environment.RAILS_FILE!, 'utf8'));
  const [bankOf] = before.rails;
  const adapter = { ...bankOf.adapter, folders: { ...bankOf.adapter.folders, [name]: folder } };
  const path = join(started.places.house_bank.work, 'rails.json');
  writeFileSync(path, JSON.stringify({ ...before, rails: [{ ...bankOf, adapter }, ...before.rails.slice(1)] }));
  const config = readConfig({ ...started.environment, RAILS_FILE: path });
  const runtime = createRuntime(config, createLogger('silent', 'test'));
  try {
    await runtime.readInstallation();
    await expect(startPools(runtime, { pools: ['rails'] })).rejects.toThrow(why);
    await expect(startPools(runtime, { pools: ['rails'] })).rejects.toThrow(ConfigError);
    await (await startPools(runtime, { pools: ['webhooks'] })).close();
  } finally {
    await runtime.close();
  }
});
