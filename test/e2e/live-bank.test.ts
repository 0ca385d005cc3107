/** Payouts in live mode, through API and workers, by files: rows H of money-scenarios.md. Kills between the steps of a file: test/db/rails/. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account, Client, Payout } from '../../scripts/harness/client.ts';
import { succeeded, until } from '../../scripts/harness/client.ts';
import { issueApiKey } from '../../scripts/harness/issue-api-key.ts';
import { program as ops } from '../../scripts/ops.ts';
import { findOrganisationOfBook } from '../../src/organisations/organisation-store.ts';
import { newPerson } from '../../src/organisations/person.ts';
import { insertPeople } from '../../src/organisations/person-store.ts';
import { systemClock } from '../../src/values/clock.ts';
import { publicId } from '../../src/values/ids.ts';
import { camt054, type EntryOptions, pain002, type TransactionOptions } from '../support/bank-files.ts';
import { expectInvariants } from '../support/invariants.ts';
import { FILE_FEE, type Filed, type LiveBank, LiveFiles, PAYEE, startWithBank } from '../support/live-bank.ts';
import { balanceOf, bookedOf, eventsOf, exceptionsAbout, holding } from '../support/payout-rows.ts';
import { lookInto, makeRowsDue } from '../support/product.ts';
import { runHere } from '../support/run-here.ts';

let started: LiveBank;
let bank: LiveFiles;
let live: Client;

beforeAll(async () => {
  started = await startWithBank();
  bank = new LiveFiles(started);
  ({ live } = started);
});
afterAll(async () => {
  if (started) {
    await payTheRest();
    await expectInvariants(started.product);
  }
  await started?.close();
});

/** What a row leaves on its way is debited, so that the books are at rest. */
async function payTheRest(): Promise<void> {
  for (const filed of bank.filed) {
    const found = await statuses(filed);
    const rest = found.flatMap((status, at) => (status === 'processing' ? [debit(filed, at)] : []));
    if (rest.length === 0) continue;
    await notify(rest);
    await until(
      () => statuses(filed),
      (now) => !now.includes('processing'),
    );
  }
}

const FUNDS = 100_000;
const AMOUNTS = ['100.00', '200.00', '300.00'] as const;
const paid = (amount: number) => [
  ['reserved', amount],
  ['paid', amount, FILE_FEE],
];
const givenBack = (amount: number) => [
  ['reserved', amount],
  ['failed', amount],
];

const statuses = async ({ payouts }: Pick<Filed, 'payouts'>) =>
  Promise.all(payouts.map(async ({ id }) => (await live.payout(id)).status));
const become = ({ payouts }: Filed, wanted: readonly Payout['status'][]) =>
  until(
    () => statuses({ payouts }),
    (found) => found.join() === wanted.join(),
  );

let notifications = 0;
const notify = (entries: readonly EntryOptions[], options: Parameters<typeof camt054>[1] = {}, name?: string) =>
  bank.tell(camt054(entries, { id: `N${++notifications}`, ...options }), name);
let reports = 0;
const status = (content: Omit<Parameters<typeof pain002>[0], 'id'>) => pain002({ ...content, id: `S${++reports}` });

let bookings = 0;
/** A booked debit of one of the three. */
function debit({ payouts }: Filed, at: number, change: Partial<EntryOptions & TransactionOptions> = {}): EntryOptions {
  const { amount = AMOUNTS[at]!, endToEndId = payouts[at]!.end_to_end_id, ...rest } = change;
  const { instructionId, instructed, charges, ...entry } = rest;
  return {
    ...{ amount, bankReference: `B${++bookings}` },
    transactions: [
      {
        endToEndId,
        ...(instructionId === undefined ? {} : { instructionId }),
        ...(instructed === undefined ? {} : { instructed }),
        ...(charges === undefined ? {} : { charges }),
      },
    ],
    ...entry,
  };
}
const credit = ({ payouts }: Filed, at: number, amount: string = AMOUNTS[at]!, reason = 'AC04'): EntryOptions => ({
  ...{ amount, direction: 'CRDT', bankReference: `B${++bookings}` },
  transactions: [{ endToEndId: payouts[at]!.end_to_end_id, reason }],
});

/** Resolves once every notice about the payouts that a file has made is booked: what they should not change is seen to be unchanged then. */
async function taken({ payouts }: Filed): Promise<void> {
  const behind = lookInto(started.product.database);
  const open = `SELECT FROM bank_notices WHERE end_to_end_id = ANY ($1::text[]) AND acknowledged_at IS NULL
    UNION ALL SELECT FROM rail_notices WHERE end_to_end_id = ANY ($1::text[]) AND status = 'waiting'`;
  try {
    await until(
      () => behind.query(open, [payouts.map(({ end_to_end_id }) => end_to_end_id)]),
      ({ rowCount }) => rowCount === 0,
    );
  } finally {
    await behind.end();
  }
}

/** Rows of the rail, which the operator alone sees. */
async function findings(fileOrReport: string): Promise<string[]> {
  const behind = lookInto(started.product.database);
  try {
    const { rows } = await until(
      () =>
        behind.query<{ kind: string; opened: string | null }>(
          `SELECT f.kind, e.id AS opened FROM bank_findings f LEFT JOIN exceptions e ON e.book_id = f.book_id AND e.id = f.id
           WHERE f.detail LIKE '%' || $1 || '%'`,
          [fileOrReport],
        ),
      ({ rows }) => rows.length > 0 && rows.every(({ opened }) => opened !== null),
    );
    return rows.map(({ kind }) => kind);
  } finally {
    await behind.end();
  }
}

async function makeDue(): Promise<void> {
  const behind = lookInto(started.product.database);
  await makeRowsDue(behind);
  await behind.end();
}

/** What the timeline says of files beside an event of a payout. */
async function bankFilesOf({ id }: Pick<Payout, 'id'>, type: string): Promise<unknown> {
  const { data } = await live.read<{ data: { type: string; bank_files?: object }[] }>(`/v1/payouts/${id}/timeline`);
  return data.find((item) => item.type === type)?.bank_files;
}

describe('what the bank reports of its files', () => {
  test('H1: statuses pay nothing; each booked debit pays its own', async () => {
    const filed = await bank.file();
    const { account, payouts, messageId, group, file } = filed;
    for (const word of ['ACTC', 'ACCP']) await bank.tell(status({ messageId, group: { status: word } }));
    const transactions = payouts.map(({ end_to_end_id }) => ({ endToEndId: end_to_end_id, status: 'ACSP' }));
    await bank.tell(status({ messageId, payments: [{ paymentInformationId: group, transactions }] }));
    expect(await statuses(filed)).toEqual(['processing', 'processing', 'processing']);
    expect(await balanceOf(live, account.id)).toEqual(holding(FUNDS - 60_000, 3 * FILE_FEE));
    const debits = `${messageId}-debits.xml`;
    await notify([debit(filed, 1)]);
    await become(filed, ['processing', 'paid', 'processing']);
    await notify([debit(filed, 0), debit(filed, 2)], {}, debits);
    await become(filed, ['paid', 'paid', 'paid']);
    // In the order in which the rail was given them, which is nobody's.
    const inFile = [...bank.sent(file).matchAll(/<EndToEndId>(.*?)</g)].map(([, endToEndId]) => endToEndId);
    expect(await bankFilesOf(payouts[2]!, 'payout.paid')).toEqual({
      sent: { file, message_id: messageId, line: inFile.indexOf(payouts[2]!.end_to_end_id) + 1 },
      reported_by: { file: debits, line: 2 },
    });
    for (const [at, payout] of payouts.entries()) expect(await bookedOf(live, payout)).toEqual(paid((at + 1) * 10_000));
    expect(await balanceOf(live, account.id)).toEqual(holding(FUNDS - 60_000 - 3 * FILE_FEE));
    expect(await eventsOf(live, payouts[0]!)).toEqual(['payout.created', 'payout.processing', 'payout.paid']);
    expect(bank.sent(file)).toContain('<CtrlSum>600.00</CtrlSum>');
    expect(bank.list('staging')).toEqual([]);
  });

  test('H8: all is rejected for the operator’s own account', async () => {
    const filed = await bank.file();
    const { account, payouts, messageId } = filed;
    await bank.tell(status({ messageId, group: { status: 'RJCT', reason: 'AM10' } }));
    await become(filed, ['failed', 'failed', 'failed']);
    for (const [at, { id }] of payouts.entries()) {
      expect((await live.payout(id)).failure).toMatchObject({ code: 'rail_suspended', rail_code: 'AM10' });
      expect(await bookedOf(live, { id })).toEqual(givenBack((at + 1) * 10_000));
    }
    expect(await balanceOf(live, account.id)).toEqual(holding(FUNDS));
    expect(await findings(messageId)).toEqual(['file_rejected']);
  });

  test('H9: one of three is rejected, and its saved payee is disabled', async () => {
    const payee = succeeded(await live.post<{ id: string }>('/v1/payees', { name: 'Jana Müller', destination: PAYEE }));
    const filed = await bank.file({ destinations: [PAYEE, { type: 'payee', payee: payee.id }, PAYEE] });
    const { payouts, messageId, group } = filed;
    const transactions = [{ endToEndId: payouts[1]!.end_to_end_id, status: 'RJCT', reason: 'AC04' }];
    await bank.tell(
      status({ messageId, group: { status: 'PART' }, payments: [{ paymentInformationId: group, transactions }] }),
    );
    await become(filed, ['processing', 'failed', 'processing']);
    expect((await live.payout(payouts[1]!.id)).failure).toMatchObject({ code: 'payee_account_closed' });
    expect(await bookedOf(live, payouts[1]!)).toEqual(givenBack(20_000));
    expect(await live.read(`/v1/payees/${payee.id}`)).toMatchObject({ status: 'disabled' });
  });

  test('H10: paid by ACSC, rejected the next day, and credited: one return', async () => {
    const dollars = new LiveFiles(started, 'status_bank');
    const filed = await dollars.file();
    const { payouts, messageId, group } = filed;
    const second = (word: string, reason?: string) =>
      status({
        messageId,
        payments: [
          {
            paymentInformationId: group,
            transactions: [
              { endToEndId: payouts[1]!.end_to_end_id, status: word, ...(reason === undefined ? {} : { reason }) },
            ],
          },
        ],
      });
    await dollars.tell(second('ACSC'));
    await become(filed, ['processing', 'paid', 'processing']);
    await dollars.tell(second('RJCT', 'AC04'));
    await become(filed, ['processing', 'returned', 'processing']);
    const back = { ...credit(filed, 1), currency: 'USD' };
    await dollars.tell(camt054([back], { id: `N${++notifications}` }));
    // The next word of the same file comes behind it: the credit has been read by then.
    await dollars.tell(status({ messageId, group: { status: 'ACSC' } }));
    await become(filed, ['paid', 'returned', 'paid']);
    expect(await exceptionsAbout(live, payouts[1]!)).toEqual(['failed_after_paid']);
    const returns = await live.read<{ data: { id: string; amount: number }[] }>(
      `/v1/payouts/${payouts[1]!.id}/returns`,
    );
    expect(returns.data).toMatchObject([{ amount: 20_000, reason: 'AC04' }]);
    expect(await bookedOf(live, payouts[1]!)).toEqual(paid(20_000));
    expect(await bookedOf(live, returns.data[0]!)).toEqual([['returned', 20_000]]);
    // The fees stay.
    expect(await balanceOf(live, filed.account.id)).toEqual(holding(FUNDS - 40_000 - 3 * FILE_FEE));
  });

  test('H11 and H12: what is told twice, or behind a debit, changes nothing', async () => {
    const filed = await bank.file();
    const { payouts, messageId, group } = filed;
    const transactions = payouts.map(({ end_to_end_id }) => ({ endToEndId: end_to_end_id, status: 'ACSP' }));
    const told = status({ messageId, payments: [{ paymentInformationId: group, transactions }] });
    await notify([debit(filed, 0), debit(filed, 1), debit(filed, 2)]);
    await become(filed, ['paid', 'paid', 'paid']);
    const versions = await Promise.all(payouts.map(async ({ id }) => (await live.payout(id)).version));
    const [older, again] = [`${messageId}-older.xml`, `${messageId}-again.xml`];
    await bank.tell(told, older);
    await bank.tell(told, again);
    const renamed = status({ messageId, payments: [{ paymentInformationId: group, transactions }] });
    await bank.tell(renamed);
    await taken(filed);
    expect(bank.list('done')).toEqual(expect.arrayContaining([older, again]));
    expect(await statuses(filed)).toEqual(['paid', 'paid', 'paid']);
    expect(await Promise.all(payouts.map(async ({ id }) => (await live.payout(id)).version))).toEqual(versions);
  });

  test('H13 and H14: a line that is not ours between two of ours, and our InstrId alone', async () => {
    const filed = await bank.file();
    const instructionId = new RegExp(`<InstrId>([^<]+)</InstrId><EndToEndId>${filed.payouts[2]!.end_to_end_id}<`);
    const [, ofThird] = instructionId.exec(bank.sent(filed.file))!;
    await notify([
      debit(filed, 0),
      debit(filed, 1, { endToEndId: 'NOTOURS1' }),
      debit(filed, 2, { endToEndId: 'NOTPROVIDED', instructionId: ofThird! }),
    ]);
    await become(filed, ['paid', 'processing', 'paid']);
  });

  test.each([
    ['H15: a sum', ['paid', 'paid', 'paid'], '600.00', false],
    ['H16: a sum without what was rejected', ['paid', 'failed', 'paid'], '400.00', true],
  ] as const)('%s pays all that it is of', async (_, wanted, amount, isRejected) => {
    const filed = await bank.file();
    const { payouts, messageId, group } = filed;
    if (isRejected) {
      const transactions = [{ endToEndId: payouts[1]!.end_to_end_id, status: 'RJCT', reason: 'AC04' }];
      await bank.tell(status({ messageId, payments: [{ paymentInformationId: group, transactions }] }));
    }
    const bankReference = `B${++bookings}`;
    await notify([{ amount, bankReference, batch: { paymentInformationId: group } }]);
    await become(filed, wanted);
    for (const at of [0, 2]) expect(await bookedOf(live, payouts[at]!)).toEqual(paid((at + 1) * 10_000));
    // H18: the same booking line by line.
    if (isRejected) {
      expect(await bookedOf(live, payouts[1]!)).toEqual(givenBack(20_000));
      return;
    }
    await notify([
      {
        ...{ amount, bankReference, batch: { paymentInformationId: group } },
        transactions: payouts.map(({ end_to_end_id }, at) => ({ endToEndId: end_to_end_id, amount: AMOUNTS[at]! })),
      },
    ]);
    await taken(filed);
    expect(await statuses(filed)).toEqual(['paid', 'paid', 'paid']);
    for (const [at, payout] of payouts.entries()) expect(await bookedOf(live, payout)).toEqual(paid((at + 1) * 10_000));
  });

  test('H17: a sum that is not theirs pays none, and is not guessed', async () => {
    const filed = await bank.file();
    await notify([{ amount: '500.00', bankReference: `B${++bookings}`, batch: { paymentInformationId: filed.group } }]);
    expect(await findings(filed.group)).toEqual(['file_amount_mismatch']);
    expect(await statuses(filed)).toEqual(['processing', 'processing', 'processing']);
  });

  test('H19, H20 and H21: charges, an amount that is not ours, and a booking that was pending', async () => {
    const filed = await bank.file();
    const { payouts } = filed;
    const pending = debit(filed, 2);
    await notify([
      debit(filed, 0, { amount: '101.50', instructed: '100.00', charges: '1.50' }),
      debit(filed, 1, { amount: '201.50' }),
      { ...pending, status: 'PDNG' },
    ]);
    await live.payoutUntil(payouts[1]!.id, ({ outcome }) => outcome === 'unknown');
    await become(filed, ['paid', 'processing', 'processing']);
    expect(await bookedOf(live, payouts[0]!)).toEqual(paid(10_000));
    expect(await exceptionsAbout(live, payouts[1]!)).toEqual(['rail_amount_mismatch']);
    expect(await bookedOf(live, payouts[1]!)).toEqual([['reserved', 20_000]]);
    expect(await bookedOf(live, payouts[2]!)).toEqual([['reserved', 30_000]]);
    await notify([pending]);
    await become(filed, ['paid', 'processing', 'paid']);
    await notify([pending], { copy: 'DUPL' });
    await taken(filed);
    expect(await bookedOf(live, payouts[2]!)).toEqual(paid(30_000));
  });

  test('H28: without a word it is unknown, once for people, and a late debit pays it', async () => {
    const filed = await bank.file();
    const [first] = filed.payouts;
    const behind = lookInto(started.product.database);
    await behind.query(
      "UPDATE bank_instructions SET silent_at = now() - interval '1 second' WHERE end_to_end_id = $1",
      [first!.end_to_end_id],
    );
    await behind.end();
    const sent = bank.list('sent').length;
    await until(
      async () => {
        await makeDue();
        return live.payout(first!.id);
      },
      ({ outcome }) => outcome === 'unknown',
    );
    expect(await exceptionsAbout(live, first!)).toEqual(['rail_silent']);
    expect(await statuses(filed)).toEqual(['processing', 'processing', 'processing']);
    expect(bank.list('sent')).toHaveLength(sent);
    await notify([debit(filed, 0), debit(filed, 1), debit(filed, 2)]);
    await become(filed, ['paid', 'paid', 'paid']);
  });

  test('H29 and H30: short of money, and a duplicate', async () => {
    const filed = await bank.file();
    const { account, payouts, messageId, group } = filed;
    const transactions = [{ endToEndId: payouts[0]!.end_to_end_id, status: 'RJCT', reason: 'AM04' }];
    await bank.tell(status({ messageId, payments: [{ paymentInformationId: group, transactions }] }));
    await become(filed, ['failed', 'processing', 'processing']);
    expect((await live.payout(payouts[0]!.id)).failure).toMatchObject({ code: 'rail_suspended', rail_code: 'AM04' });
    expect(await balanceOf(live, account.id)).toEqual(holding(FUNDS - 50_000, 2 * FILE_FEE));

    const again = await bank.file();
    await bank.tell(status({ messageId: again.messageId, group: { status: 'RJCT', reason: 'DU01' } }));
    for (const payout of again.payouts) {
      await live.payoutUntil(payout.id, ({ outcome }) => outcome === 'unknown');
      expect(await exceptionsAbout(live, payout)).toEqual(['rail_duplicate']);
    }
    await notify([debit(again, 0), debit(again, 1), debit(again, 2)]);
    await become(again, ['paid', 'paid', 'paid']);
  });

  test('H32: a file that is cut off is kept apart with a reason, and the whole one is taken under the same name', async () => {
    const filed = await bank.file();
    const whole = camt054([debit(filed, 0), debit(filed, 1), debit(filed, 2)], { id: `N${++notifications}` });
    const name = `${filed.messageId}-cut.xml`;
    await bank.tell(whole.slice(0, whole.length / 2), name);
    expect(bank.list('quarantine')).toContain(name);
    expect(await statuses(filed)).toEqual(['processing', 'processing', 'processing']);
    await bank.tell(whole, name);
    await become(filed, ['paid', 'paid', 'paid']);
  });
});

describe('money that comes back', () => {
  async function paidFile(options: Parameters<LiveFiles['file']>[0] = {}): Promise<Filed> {
    const filed = await bank.file(options);
    await notify([debit(filed, 0), debit(filed, 1), debit(filed, 2)]);
    await become(filed, ['paid', 'paid', 'paid']);
    return filed;
  }
  const returnsOf = async ({ id }: Pick<Payout, 'id'>) =>
    (await live.read<{ data: { id: string; amount: number; reason?: unknown }[] }>(`/v1/payouts/${id}/returns`)).data;

  test('H22: a whole return, which disables the payee', async () => {
    const payee = succeeded(await live.post<{ id: string }>('/v1/payees', { name: 'Jana', destination: PAYEE }));
    const filed = await paidFile({ destinations: [PAYEE, { type: 'payee', payee: payee.id }, PAYEE] });
    const { account, payouts } = filed;
    // 41 days behind the debit.
    await notify([{ ...credit(filed, 1), bookedOn: '2027-05-10' }]);
    await become(filed, ['paid', 'returned', 'paid']);
    const [returned] = await returnsOf(payouts[1]!);
    expect(returned).toMatchObject({ amount: 20_000, reason: 'AC04' });
    expect(await bookedOf(live, returned!)).toEqual([['returned', 20_000]]);
    expect(await bookedOf(live, payouts[1]!)).toEqual(paid(20_000));
    expect(await balanceOf(live, account.id)).toEqual(holding(FUNDS - 40_000 - 3 * FILE_FEE));
    expect(await live.read(`/v1/payees/${payee.id}`)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'returned',
    });
    expect(await eventsOf(live, payouts[1]!)).toEqual([
      ...['payout.created', 'payout.processing', 'payout.paid', 'payout.returned'],
    ]);
    expect(await eventsOf(live, account)).toContain('account.updated');
    expect(await eventsOf(live, payee)).toEqual(['payee.created', 'payee.disabled']);
  });

  test('H23 and H26: less than was paid, and one that was asked for', async () => {
    const filed = await paidFile();
    const { payouts } = filed;
    await notify([credit(filed, 1, '192.50'), credit(filed, 2, '300.00', 'FOCR')]);
    await become(filed, ['paid', 'paid', 'returned']);
    const short = await live.payoutUntil(payouts[1]!.id, ({ amount_returned }) => amount_returned === 19_250);
    expect(short.status).toBe('paid');
    expect(await exceptionsAbout(live, payouts[1]!)).toEqual(['return_short']);
    const [asked] = await returnsOf(payouts[2]!);
    expect(asked).toMatchObject({ amount: 30_000, reason: 'FOCR' });
    expect(await bookedOf(live, asked!)).toEqual([['returned', 30_000]]);
  });

  test('H24: more than is left is not booked, and a person sees it', async () => {
    const filed = await paidFile();
    const { account, payouts } = filed;
    const second = payouts[1]!;
    await notify([credit(filed, 1, '120.00')]);
    await live.payoutUntil(second.id, ({ amount_returned }) => amount_returned === 12_000);
    await notify([credit(filed, 1, '100.00')]);
    await until(
      () => exceptionsAbout(live, second),
      (kinds) => kinds.includes('return_exceeds_payout'),
    );
    expect(await live.payout(second.id)).toMatchObject({ status: 'paid', amount_returned: 12_000 });
    await notify([credit(filed, 1, '80.00')]);
    await live.payoutUntil(second.id, 'returned');
    expect((await returnsOf(second)).map(({ amount }) => amount).sort()).toEqual([12_000, 8_000]);
    const { data } = await live.read<{ data: { id: string; kind: string }[] }>(`/v1/exceptions?resource=${second.id}`);
    const target = await started.funded(1);
    await moveTo(data.find(({ kind }) => kind === 'return_exceeds_payout')!.id, target.id);
    expect(await balanceOf(live, target.id)).toEqual(holding(10_001));
    expect(await balanceOf(live, account.id)).toEqual(holding(FUNDS - 40_000 - 3 * FILE_FEE));
  });

  test('H25: to an account that was closed meanwhile, and by two people to another', async () => {
    const filed = await paidFile({ funds: 60_000 + 3 * FILE_FEE });
    const { account, payouts } = filed;
    succeeded(await live.post(`/v1/accounts/${account.id}/close`));
    await notify([credit(filed, 1)]);
    await become(filed, ['paid', 'returned', 'paid']);
    const { data } = await live.read<{ data: { id: string; kind: string; version: number }[] }>(
      `/v1/exceptions?resource=${payouts[1]!.id}`,
    );
    expect(data).toMatchObject([{ kind: 'return_to_closed_account' }]);
    const target = await started.funded(1);
    await moveTo(data[0]!.id, target.id);
    expect(await balanceOf(live, target.id)).toEqual(holding(20_001));
    expect(await balanceOf(live, account.id)).toEqual(holding(0));
  });

  test('H27: where its debit never comes, a person is asked, and what they find out pays and returns it', async () => {
    const filed = await bank.file();
    const second = filed.payouts[1]!;
    await notify([credit(filed, 1)]);
    const behind = lookInto(started.product.database);
    const { rowCount } = await until(
      () =>
        behind.query(
          "UPDATE bank_instructions SET returned_at = returned_at - interval '30 days' WHERE end_to_end_id = $1 AND returned_at IS NOT NULL",
          [second.end_to_end_id],
        ),
      (updated) => updated.rowCount === 1,
    );
    await behind.end();
    expect(rowCount).toBe(1);
    await until(
      async () => {
        await makeDue();
        return live.payout(second.id);
      },
      ({ outcome }) => outcome === 'unknown',
    );
    expect(await exceptionsAbout(live, second)).toEqual(['return_without_debit']);
    expect(await bookedOf(live, second)).toEqual([['reserved', 20_000]]);
    const evidence = join(started.places.house_bank.work, 'evidence.txt');
    writeFileSync(evidence, 'The bank debited it on 3 November.');
    const words = ['payouts', 'resolve', second.id, '--as', 'paid', '--evidence', evidence, '--by', 'ada'];
    const resolved = await runHere(ops, words, started.environment);
    expect([resolved.code, resolved.err]).toEqual([0, '']);
    await until(
      async () => {
        await makeDue();
        return live.payout(second.id);
      },
      ({ status: now }) => now === 'returned',
    );
    expect(await bookedOf(live, second)).toEqual(paid(20_000));
    expect(await returnsOf(second)).toMatchObject([{ amount: 20_000, reason: 'AC04' }]);
  });

  test('H27: read before its debit, it waits for it', async () => {
    const filed = await bank.file();
    await notify([credit(filed, 1)]);
    await makeDue();
    expect(await statuses(filed)).toEqual(['processing', 'processing', 'processing']);
    await notify([debit(filed, 1)]);
    await until(
      async () => {
        await makeDue();
        return statuses(filed);
      },
      (found) => found[1] === 'returned',
    );
    expect(await returnsOf(filed.payouts[1]!)).toMatchObject([{ amount: 20_000 }]);
  });

  test('H34: a credit that is marked as a reversal is a return', async () => {
    const filed = await paidFile();
    await notify([{ ...credit(filed, 0), reversal: true }]);
    await become(filed, ['returned', 'paid', 'paid']);
  });

  /** By one person, and approved by another alone. */
  async function moveTo(exception: string, account: string): Promise<void> {
    const [ada, ben] = [await person('Ada'), await person('Ben')];
    const path = `/v1/exceptions/${exception}`;
    succeeded(await live.post(`${path}/assign`, { person: ada.id }));
    const moved = succeeded(await ada.client.post<{ version: number }>(`${path}/move_to`, { account }));
    expect(await ada.client.post(`${path}/approve`, { version: moved.version })).toMatchObject({ status: 422 });
    succeeded(await ben.client.post(`${path}/approve`, { version: moved.version }));
  }

  async function person(name: string): Promise<{ id: string; client: Client }> {
    const { pool } = started.product.runtime;
    const { bookId } = started;
    const made = newPerson((await findOrganisationOfBook(pool, bookId))!, name, systemClock.now());
    await insertPeople(pool, [made]);
    const scopes = ['exceptions:read', 'exceptions:write', 'exceptions:approve'];
    const key = await issueApiKey(pool, systemClock, { bookId, mode: 'live', name, scopes, personId: made.id });
    return { id: publicId('person', made.id), client: started.product.client(key.token) };
  }
});

test.each([
  ['nothing of the name can be written', 'سلمى', 422],
  ['a name of 71 characters', 'a'.repeat(71), 422],
] as const)('H35: %s is refused when it is accepted', async (_, name, wanted) => {
  const account: Account = await started.funded(100_000);
  const destination = { ...PAYEE, name };
  const answer = await live.post('/v1/payouts', { account: account.id, amount: 1_000, currency: 'EUR', destination });
  expect(answer).toMatchObject({ status: wanted, body: { param: '/destination/name' } });
  expect(await balanceOf(live, account.id)).toEqual(holding(100_000));
});

test.each([
  ['more characters than the file has', 'ü'.repeat(71)],
  ['nothing that can be written', 'سلمى'],
])('a remittance of %s is refused when it is accepted, and when it is changed', async (_, remittance) => {
  const account: Account = await started.funded(100_000);
  const body = { account: account.id, amount: 1_000, currency: 'EUR', destination: PAYEE, remittance };
  expect(await live.post('/v1/payouts', body)).toMatchObject({
    status: 422,
    body: { code: 'rail_unavailable', param: '/remittance' },
  });
  const scheduled_for = new Date(Date.now() + 86_400_000).toISOString();
  const waiting = succeeded(await live.post<Payout>('/v1/payouts', { ...body, remittance: 'Rent', scheduled_for }));
  const path = `/v1/payouts/${waiting.id}`;
  expect(await live.patch(path, { remittance, purpose_code: 'RENT' })).toMatchObject({
    status: 422,
    body: { code: 'rail_unavailable', param: '/remittance' },
  });
  expect(await live.read(path)).toMatchObject({ remittance: 'Rent', purpose_code: null, version: waiting.version });
  expect(succeeded(await live.patch<Payout>(path, { remittance: 'Rent, May' })).remittance).toBe('Rent, May');
  succeeded(await live.post(`${path}/cancel`));
});
