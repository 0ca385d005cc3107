/** A line whose money was given to a book: nothing but the item of that credit takes it, by a rule or by hand, until the book is done with it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { approveException, assignException, explainException } from '../../../src/exceptions/handle-exception.ts';
import type { Followed } from '../../../src/group/approval-follow.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { startRun } from '../../../src/reconciliation/runs/end-run.ts';
import { matchingOf } from '../../../src/reconciliation/runs/request-run.ts';
import { encodeActor } from '../../../src/values/actor.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { ArrivingMoney } from '../../support/arriving-money.ts';
import { carryOutRuns, dueRuns } from '../../support/due-runs.ts';
import { activeRules, matchByHand, openItemsOf, saidOf } from '../../support/matched-bank.ts';

let money: ArrivingMoney;
let bankAccountId: Uuid;
beforeEach(async () => {
  money = await ArrivingMoney.open();
  bankAccountId = await money.bank.account();
});
afterEach(async () => {
  expect(await money.close()).toEqual([]);
});

const ARRIVED = { amount: 40_000, reference: 'S7', text: 'From Salma' };
const TAKEN_BACK = { amount: -40_000, reference: 'S7', text: 'Recall' };

function begins({ touches, begin }: Followed): Command<void> {
  const origin = { id: newId(), requestId: newId() };
  return {
    ...{ ...origin, name: 'test.begin', touches },
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      begin(draft);
      return draft.finish(undefined);
    },
  };
}

const by = () => ({ requestId: newId(), actor: encodeActor({ type: 'person', id: newId(), keyId: newId() }) });

async function given(): Promise<void> {
  await money.take(money.statement([ARRIVED]));
  await money.allocate();
}

async function lineIn(): Promise<Uuid> {
  const { id } = await money.bank.book.row<{ id: Uuid }>('SELECT id FROM bank_lines WHERE book_id = $1 AND amount > 0');
  return id;
}

test('what the bank takes back of it stays before people, and the line shows what the book makes of the money', async () => {
  await given();
  await money.take(money.statement([TAKEN_BACK]));
  expect(await saidOf(money.bank)).toEqual([]);
  expect(await money.bank.exceptions()).toEqual([
    { kind: 'inbound_unallocated', stage: 'approved' },
    { kind: 'bank_line_unmatched', stage: 'open' },
  ]);
  await money.moveGiven();
  await money.take(money.statement([]));
  expect(await saidOf(money.bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  expect(await openItemsOf(money.bank)).toEqual([]);
  expect(await money.bank.balances()).toEqual({ pool_owed: 40_000n, suspense: 40_000n });
});

test('its mirror begins a run of the bank account once the book has moved it, and no second one while that is pending', async () => {
  await given();
  const { id: lineId } = await money.bank.book.row<{ id: Uuid }>('SELECT id FROM bank_lines WHERE book_id = $1');
  await money.mirror();
  expect(await dueRuns(money.bank)).toEqual([]);
  await money.moveGiven();
  await money.mirror();
  expect(await dueRuns(money.bank)).toHaveLength(1);
  const { pool } = money.bank;
  await money.bank.book.submit(begins(await matchingOf(pool, money.bank.book.id, [bankAccountId])));
  expect(await dueRuns(money.bank)).toHaveLength(1);
  await carryOutRuns(money.bank, await dueRuns(money.bank), money.others());
  expect(await saidOf(money.bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  expect(await money.bank.book.rows('SELECT id FROM bank_lines WHERE book_id = $1 AND status = $2', 'matched')).toEqual(
    [{ id: lineId }],
  );
  expect(await dueRuns(money.bank)).toEqual([]);
});

test('a run that has begun before may have passed the line: another one is begun', async () => {
  const { pool, book } = money.bank;
  await book.submit(begins(await matchingOf(pool, book.id, [bankAccountId])));
  const followed = await matchingOf(pool, book.id, [bankAccountId]);
  const [first] = (await dueRuns(money.bank)) as [Uuid];
  await book.submit(startRun({ id: first, requestId: newId() }));
  await book.submit(begins(followed));
  expect(await dueRuns(money.bank)).toHaveLength(2);
});

test('two persons of the operator’s do not match it by hand', async () => {
  await given();
  const line = await lineIn();
  await expect(matchByHand(money.bank, { lines: [line], differenceTo: 'interest' })).rejects.toThrow('state_conflict');
  await money.moveGiven();
  await expect(matchByHand(money.bank, { lines: [line], differenceTo: 'interest' })).rejects.toThrow('state_conflict');
  await money.take(money.statement([]));
  expect(await money.bank.balances()).toEqual({ bank: 40_000n, pool_owed: 40_000n });
});

test('a rule for interest does not book it', async () => {
  await given();
  const rule = { name: 'Interest', direction: 'in', code: null, text: 'Salma', counterparty: null } as const;
  await activeRules(money.bank.taker, bankAccountId, { bookings: [{ ...rule, amountMax: '50000', to: 'interest' }] });
  await money.take(money.statement([]));
  expect(await saidOf(money.bank)).toEqual([]);
  expect(await money.bank.balances()).toEqual({ bank: 40_000n, unallocated: 40_000n });
});

test('one that the book ends without an account is free again', async () => {
  await given();
  const { id: exceptionId } = await money.merchant.row<{ id: Uuid }>(
    "SELECT id FROM exceptions WHERE book_id = $1 AND resource = 'given_credit'",
  );
  const [ada, ben] = [by(), by()];
  await money.merchant.submit(assignException({ ...ada, exceptionId, personId: newId() }));
  await money.merchant.submit(explainException({ ...ada, exceptionId, reason: 'Not ours' }));
  await money.take(money.statement([TAKEN_BACK]));
  expect(await saidOf(money.bank)).toEqual([]);
  await money.merchant.submit(approveException({ ...ben, exceptionId, waiting: null }));
  await money.take(money.statement([]));
  expect(await saidOf(money.bank)).toEqual(['reversal: 40000, -40000 ↔ nothing']);
  expect(await money.bank.balances()).toEqual({});
});
