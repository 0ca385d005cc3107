/** A file of a bank, given to a rail's inbox or to reconciliation: the other one takes its part too, each once by the bytes. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { handToRails } from '../../../src/rails/iso20022/hand-to-rails.ts';
import { RunsInHand } from '../../../src/reconciliation/runs/carry-out-runs.ts';
import { takeFromInbox } from '../../../src/reconciliation/runs/take-from-inbox.ts';
import { systemClock } from '../../../src/values/clock.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { ArrivingMoney } from '../../support/arriving-money.ts';
import { TestBank, toIban } from '../../support/bank.ts';
import { camt054, TEST_IBAN } from '../../support/bank-files.ts';
import { camt } from '../../support/bank-statements.ts';
import { saidOf } from '../../support/matched-bank.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

let money: ArrivingMoney;
let rail: TestBank;
beforeEach(async () => {
  money = await ArrivingMoney.open();
  rail = new TestBank({ ...money.database, encryptionKey: KEY }, { mode: 'test', currencies: ['JOD'] });
  await money.bank.account({ identifiers: ['0131000302', TEST_IBAN] });
});
afterEach(async () => {
  await rail.close();
  // What is submitted to the rail by a test has no payout.
  const findings = (await money.close()).filter(({ check }) => check !== 'bank_instruction.payout');
  expect(findings).toEqual([]);
});

const runtime = () => ({ ...money.bank.taker, secretBox: TEST_SECRET_BOX, clock: systemClock });
const runs = () =>
  money.bank.book.rows<{ id: Uuid; status: string; format: string }>(
    'SELECT id, status, format FROM reconciliations WHERE book_id = $1 ORDER BY id',
  );
const notices = () =>
  money.bank.book.rows<{ end_to_end_id: string; kind: string }>(
    'SELECT end_to_end_id, kind FROM bank_notices WHERE book_id = $1',
  );
const AT_REST = { bank: 40_000n, pool_owed: 40_000n };

/** A round of the rail, and then of the workers that carry runs out. */
async function round(): Promise<void> {
  await rail.rail.work((file) => takeFromInbox(runtime(), file));
  const rowFailed = (_: unknown, __: unknown, error: unknown) => Promise.reject(error);
  const hand = new RunsInHand({ ...runtime(), ...money.others(), atBank: [], lineNames: [], rowFailed });
  const pending = (await runs()).filter(({ status }) => status !== 'completed');
  await hand.carryOut(
    money.bank.book.id,
    pending.map(({ id }) => id),
  );
}

const credit = (remittance: string, amount = '40.000', direction: 'CRDT' | 'DBIT' = 'CRDT') => ({
  ...{ amount, currency: 'JOD', direction, bankReference: 'S7' },
  transactions: [{ remittance }],
});
const statement = (entries: { amount: number; reference: string; text: string }[]) =>
  camt([{ account: TEST_IBAN, number: '1', on: '2026-11-03', opening: 0, entries }]);

test("what a rail's inbox is given: notification and statement, killed in between, and again", async () => {
  const notification = camt054([credit(money.reference)]);
  rail.send('054.xml', notification);
  const killed = () => Promise.reject(new Error('killed'));
  await expect(rail.rail.work(killed)).rejects.toThrow('killed');
  expect(rail.list('inbox')).toEqual(['054.xml']);
  await round();
  expect(await money.transfers()).toEqual([{ status: 'received', amount: 40_000n, bank_reference: 'S7' }]);
  expect(await money.bank.balances()).toEqual({ unallocated: -40_000n, pool_owed: 40_000n });
  rail.send('053.xml', statement([{ amount: 40_000, reference: 'S7', text: money.reference }]));
  await round();
  expect(await saidOf(money.bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  expect(await money.bank.balances()).toEqual(AT_REST);
  rail.send('054-again.xml', notification);
  rail.send('foreign.xml', camt([{ account: 'JO71NOBODY', number: '1', opening: 0, entries: [{ amount: 5 }] }]));
  await round();
  expect((await runs()).map(({ status, format }) => `${format} ${status}`)).toEqual([
    'camt.054 completed',
    'camt.053 completed',
  ]);
  expect(rail.list('quarantine').some((name) => name.includes('foreign'))).toBe(true);
  expect(rail.list('done')).toHaveLength(3);
  expect(await money.transfers()).toHaveLength(1);
  expect(await money.bank.exceptions()).toEqual([]);
  expect(await money.bank.balances()).toEqual(AT_REST);
});

test('what reconciliation is given: the rail takes what is about its payments, once, and the inbox knows it', async () => {
  const instruction = toIban(25_000n, { currency: 'JOD' });
  await rail.rail.submit(instruction);
  await rail.rail.work();
  const { endToEndId } = instruction;
  const debit = { amount: '25.000', currency: 'JOD', bankReference: 'S1', transactions: [{ endToEndId }] };
  const file = camt054([debit, credit(money.reference)]);
  const taken = () => money.take(file, undefined, (handed) => handToRails([rail.rail], handed));
  await taken();
  expect(await notices()).toEqual([{ end_to_end_id: endToEndId, kind: 'paid' }]);
  expect(await money.transfers()).toHaveLength(1);
  await taken();
  rail.send('054.xml', file);
  await round();
  expect(rail.list('done')).toHaveLength(1);
  expect(await notices()).toHaveLength(1);
  expect(await runs()).toHaveLength(1);
  expect(await money.transfers()).toHaveLength(1);
  expect(await money.bank.exceptions()).toEqual([]);
});

test.each`
  account         | paid
  ${'0131000302'} | ${['paid']}
  ${'0131000777'} | ${[]}
`('a notification of the bank account $account in an inbox: the rail of the account takes $paid', async (row) => {
  await money.bank.account({ name: 'Other', identifiers: ['0131000777'] });
  const instruction = toIban(25_000n, { currency: 'JOD' });
  await rail.rail.submit(instruction);
  const { endToEndId } = instruction;
  const debit = { amount: '25.000', currency: 'JOD', bankReference: 'S1', transactions: [{ endToEndId }] };
  const named = camt054([debit, credit(money.reference)], { account: row.account });
  rail.send('054.xml', named.replace(/<IBAN>(.*?)<.IBAN>/, '<Othr><Id>$1</Id></Othr>'));
  await round();
  expect((await notices()).map(({ kind }) => kind)).toEqual(row.paid);
  expect(await money.transfers()).toHaveLength(1);
  const unknown: unknown[] = [];
  await rail.rail.openFindings(async (finding) => unknown.push(finding));
  expect(unknown).toEqual([]);
});

test('38, by reconciliation alone: a notification credits, its line is that transfer, and a recall takes it back at once', async () => {
  await money.take(camt054([credit(money.reference)]));
  expect(await money.balance()).toBe(40_000n);
  expect(await money.bank.balances()).toEqual({ unallocated: -40_000n, pool_owed: 40_000n });
  await money.take(statement([{ amount: 40_000, reference: 'S7', text: money.reference }]));
  expect(await saidOf(money.bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  expect(await money.bank.balances()).toEqual(AT_REST);
  await money.take(camt054([credit('Recall', '40.000', 'DBIT')], { id: 'N2' }));
  expect(await money.transfers()).toMatchObject([{ status: 'returned' }]);
  expect(await money.balance()).toBe(0n);
  expect(await money.bank.balances()).toEqual({ bank: 40_000n, unallocated: 40_000n });
  const recall = [{ amount: -40_000, reference: 'S7', text: 'Recall' }];
  await money.take(camt([{ account: TEST_IBAN, number: '2', on: '2026-11-04', opening: 40_000, entries: recall }]));
  expect(await saidOf(money.bank)).toEqual(['bank_reference: 40000 ↔ 40000', 'reversal: -40000 ↔ -40000']);
  expect(await money.bank.balances()).toEqual({});
  expect(await money.bank.exceptions()).toEqual([]);
});
