/** Statements of a bank account that is made later are taken up by workers, from the bytes that are kept. */
import { expect, test } from 'vitest';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { markStuck } from '../../../src/operations/stuck-store.ts';
import { movedRuns } from '../../../src/reconciliation/runs/moved-runs.ts';
import { sweepWaitingRuns } from '../../../src/reconciliation/runs/sweep-waiting-runs.ts';
import { systemClock } from '../../../src/values/clock.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { camt, type OperatorsBank } from '../../support/bank-statements.ts';
import { carryOutRuns, dueRuns } from '../../support/due-runs.ts';
import { eachBank } from '../../support/each-bank.ts';
import { sweeping } from '../../support/swept-jobs.ts';

let bank: OperatorsBank;
eachBank((opened) => {
  ({ bank } = opened);
});

const LATER = 'JO71CBJO0000000000001234567890';
/** Of an account that is made later, as its bank groups the digits. */
const held = (change: Parameters<typeof camt>[0][number]) => ({
  account: 'jo71 CBJO 0000 0000 0000 1234 5678 90',
  ...change,
});

const carryOut = (ids: readonly Uuid[], committer: Pick<Committer, 'submit'> = bank.taker.committer) =>
  carryOutRuns(bank, ids, { committer });

const findings = async () => {
  const [run] = await bank.book.rows<{ codes: string[] }>(
    `SELECT ARRAY(SELECT jsonb_array_elements(findings) ->> 'code') AS codes FROM reconciliations WHERE book_id = $1`,
  );
  return run!.codes;
};

test('a run is found once the account of one of its statements is made, and no longer once it is taken up', async () => {
  await bank.account();
  const run = await bank.take(camt([held({ opening: 0, entries: [{ amount: 5 }] })]));
  const sweep = sweeping(sweepWaitingRuns, { pool: bank.pool });
  expect(await sweep()).toEqual([]);
  await bank.account({ identifiers: [LATER] });
  expect(await sweep()).toEqual([{ job: 'reconciliation.run', bookId: bank.book.id, ids: [run.id] }]);
  await carryOut([run.id]);
  expect(await bank.balances()).toEqual({ bank: 5n, unallocated: 5n });
  expect(await findings()).toEqual([]);
  expect(await sweep()).toEqual([]);
});

test('one whose process dies behind the take-up is found until it states what became of its statements', async () => {
  await bank.account();
  const run = await bank.take(camt([held({ opening: 0, entries: [{ amount: 5 }] })]));
  await bank.account({ identifiers: [LATER] });
  const dying: Pick<Committer, 'submit'> = {
    submit: (bookId, command, ...rest) =>
      command.name === 'reconciliation.complete'
        ? Promise.reject(new Error('killed'))
        : bank.taker.committer.submit(bookId, command, ...rest),
  };
  await expect(carryOut([run.id], dying)).rejects.toThrow('killed');
  expect(await findings()).toEqual(['bank_account_unknown']);
  const sweep = sweeping(sweepWaitingRuns, { pool: bank.pool });
  expect(await sweep()).toEqual([]);
  expect(await dueRuns(bank)).toEqual([run.id]);
  await carryOut(await dueRuns(bank));
  expect(await findings()).toEqual([]);
  expect(await dueRuns(bank)).toEqual([]);
});

test('what names accounts that nobody makes is not looked at again, however much of it waits', async () => {
  await bank.account();
  const unknown = Array.from({ length: 40 }, (_, place) => ({
    account: `JO71NOBODY${place}`,
    opening: 0,
    entries: [],
  }));
  await bank.take(camt(unknown));
  const run = await bank.take(camt([held({ opening: 0, entries: [{ amount: 5 }] })], { id: 'M2' }));
  await bank.account({ identifiers: [LATER] });
  expect(await sweeping(sweepWaitingRuns, { pool: bank.pool })()).toEqual([
    { job: 'reconciliation.run', bookId: bank.book.id, ids: [run.id] },
  ]);
});

test('one that a bug has stopped is left to who looks at it', async () => {
  await bank.account();
  const run = await bank.take(camt([held({ opening: 0, entries: [{ amount: 5 }] })]));
  await bank.account({ identifiers: [LATER] });
  const at = systemClock.now();
  expect(await markStuck(bank.pool, movedRuns, { bookId: bank.book.id, id: run.id, error: 'damaged', at })).toBe(true);
  expect(await sweeping(sweepWaitingRuns, { pool: bank.pool })()).toEqual([]);
});

test('a message that does not post on the account is left as it is', async () => {
  await bank.account();
  await bank.take(camt([held({ opening: 0, entries: [{ amount: 5 }] })]));
  await bank.account({ identifiers: [LATER], booksFrom: 'report' });
  expect(await sweeping(sweepWaitingRuns, { pool: bank.pool })()).toEqual([]);
});

test('one that persons have rejected is left, whatever account is made', async () => {
  await bank.account();
  await bank.take(camt([held({ opening: 0, entries: [{ amount: 5 }] })]));
  const [statement] = await bank.statements();
  await bank.decide(statement!.id, 'reject');
  await bank.account({ identifiers: [LATER] });
  expect(await sweeping(sweepWaitingRuns, { pool: bank.pool })()).toEqual([]);
});
