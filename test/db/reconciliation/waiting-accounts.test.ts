/** Statements of a bank account that is made later are taken up by workers, from the bytes that are kept. */
import { expect, test } from 'vitest';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { RunsInHand } from '../../../src/reconciliation/runs/carry-out-runs.ts';
import { sweepWaitingRuns } from '../../../src/reconciliation/runs/sweep-waiting-runs.ts';
import { systemClock } from '../../../src/values/clock.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { camt, NO_ARRIVALS, NO_RETURNS, type OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';
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

/** The workers' job. */
function carryOut(ids: readonly string[], committer: Pick<Committer, 'submit'> = bank.taker.committer): Promise<void> {
  const hand = new RunsInHand({
    ...{ ...bank.taker, committer, secretBox: TEST_SECRET_BOX, clock: systemClock, atBank: [], lineNames: [] },
    ...{ mirror: () => Promise.resolve(), arrivals: NO_ARRIVALS, returnAtBank: NO_RETURNS },
    rowFailed: (_, __, error) => Promise.reject(error),
  });
  return hand.carryOut(bank.book.id, ids as Uuid[]);
}

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
  expect(await sweep()).toHaveLength(1);
  await carryOut([run.id]);
  expect(await findings()).toEqual([]);
  expect(await sweep()).toEqual([]);
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
