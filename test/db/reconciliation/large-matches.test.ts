/** Matches of more items than one command touches: reserved part by part, booked by the last command, and undone the same way. */
import { describe, expect, test } from 'vitest';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { undoMatch } from '../../../src/reconciliation/matches/match-by-hand.ts';
import { moveLargeMatch } from '../../../src/reconciliation/matches/move-large-match.ts';
import { moveMatches, sweepMovingMatches } from '../../../src/reconciliation/matches/sweep-moving.ts';
import { encodeActor } from '../../../src/values/actor.ts';
import { newId } from '../../../src/values/ids.ts';
import { camt, type OperatorsBank, takeBankFile } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { findingsOf } from '../../support/findings.ts';
import { expectItems, matchByHand, matchesOf, openItemsOf } from '../../support/matched-bank.ts';
import { sweeping } from '../../support/swept-jobs.ts';

let bank: OperatorsBank;
eachBank((opened) => {
  ({ bank } = opened);
});

const COUNT = 600;
const FILE = camt([{ opening: 0, entries: [{ amount: -COUNT, batch: { id: 'F1', transactions: COUNT } }] }]);
const BY = { requestId: newId(), actor: encodeActor({ type: 'person', id: newId(), keyId: newId() }) };

async function expectBatch() {
  await bank.account();
  const items = Array.from({ length: COUNT }, (_, index) => ({
    ...{ amount: -1n, batchId: 'F1', endToEndId: `E${index}` },
  }));
  for (let from = 0; from < COUNT; from += 200) await expectItems(bank.taker, items.slice(from, from + 200));
}

/** Dies behind so many commands of that name. */
function dying(name: string, behind: number): Pick<Committer, 'submit'> {
  let done = 0;
  return {
    submit(bookId, command) {
      if (command.name === name && done++ === behind) throw new Error('killed');
      return bank.book.committer.submit(bookId, command);
    },
  };
}

const states = async () => (await matchesOf(bank)).map(({ status, rule, reserved }) => ({ status, rule, reserved }));
const again = () => bank.take(camt([{ number: '2', on: '2026-11-04', opening: -COUNT, entries: [] }]));
/** What is open of items and what is taken of them for an entry that is to come: as much as stands on the clearing account without a match. */
async function unbooked(): Promise<bigint> {
  const open = (await openItemsOf(bank)).reduce((sum, one) => sum + one, 0n);
  return -open + (await matchesOf(bank)).reduce((sum, { reservedAmount }) => sum + reservedAmount, 0n);
}

test('a file of 600 payouts is one match with one entry, in commands of 250', async () => {
  await expectBatch();
  const run = await bank.take(FILE);
  expect(run).toMatchObject({ matched: 1, openLines: 0, byRule: [{ rule: 'batch', lines: 1 }] });
  expect(await states()).toEqual([{ status: 'confirmed', rule: 'batch', reserved: COUNT }]);
  expect(await openItemsOf(bank)).toEqual([]);
  const entries = await bank.book.rows("SELECT step FROM entries WHERE book_id = $1 AND resource = 'bank_match'");
  expect(entries).toEqual([{ step: 'matched' }]);
  expect(await bank.balances()).toEqual({ bank: -600n, rail_clearing: -600n });
});

test.each([0, 1, 2])('killed behind %i of its commands, the next run goes on: one match, one entry', async (behind) => {
  await expectBatch();
  const taker = { ...bank.taker, committer: dying('bank_match.reserve', behind) };
  await expect(takeBankFile(taker, FILE)).rejects.toThrow('killed');
  expect(await states()).toEqual(behind === 0 ? [] : [{ status: 'reserving', rule: 'batch', reserved: behind * 250 }]);
  expect(await unbooked()).toBe(-600n);
  expect(await bank.balances()).toEqual({ bank: -600n, suspense: 600n });
  expect(await findingsOf({ pool: bank.pool, id: bank.book.id })).toEqual([]);
  await bank.take(FILE);
  expect(await states()).toEqual([{ status: 'confirmed', rule: 'batch', reserved: COUNT }]);
  expect(await bank.balances()).toEqual({ bank: -600n, rail_clearing: -600n });
  expect((await bank.lines()).map(({ status }) => status)).toEqual(['matched']);
});

test('killed between its commands, the sweeper has it moved to its end without a next file', async () => {
  await expectBatch();
  const sweep = sweeping(sweepMovingMatches, { pool: bank.pool });
  expect(await sweep()).toEqual([]);
  await expect(takeBankFile({ ...bank.taker, committer: dying('bank_match.reserve', 1) }, FILE)).rejects.toThrow(
    'killed',
  );
  const [job, ...others] = await sweep();
  expect([job!.job, job!.bookId, others]).toEqual(['bank_match.move', bank.book.id, []]);
  await Promise.all([1, 2].map(() => moveMatches(bank.taker, job!.bookId, job!.ids)));
  expect(await states()).toEqual([{ status: 'confirmed', rule: 'batch', reserved: COUNT }]);
  expect(await bank.balances()).toEqual({ bank: -600n, rail_clearing: -600n });
  expect(await sweep()).toEqual([]);
});

test('something of it that is matched meanwhile gives the rest back, without an entry', async () => {
  await expectBatch();
  const taker = { ...bank.taker, committer: dying('bank_match.reserve', 1) };
  await expect(takeBankFile(taker, FILE)).rejects.toThrow('killed');
  const [last] = await bank.book.rows<{ id: string }>(
    "SELECT id FROM expected_items WHERE book_id = $1 AND status = 'open' ORDER BY amount, end_to_end_id DESC LIMIT 1",
  );
  await matchByHand(bank, { items: [last!.id], differenceTo: 'differences' });
  await bank.take(FILE);
  const [large] = await matchesOf(bank);
  expect(large).toMatchObject({ status: 'rejected', rule: 'batch', reserved: 0, reservedAmount: 0n, entryIds: [] });
  expect(await openItemsOf(bank)).toHaveLength(COUNT - 1);
  expect(await bank.exceptions()).toMatchObject([{ kind: 'bank_line_unmatched', stage: 'open' }]);
  expect(await bank.balances()).toMatchObject({ bank: -600n, suspense: 600n });
});

describe('undone', () => {
  const undo = async (committer: Pick<Committer, 'submit'>) => {
    const [match] = await matchesOf(bank);
    const bookId = bank.book.id;
    const answer = await bank.book.submit(
      undoMatch({ ...BY, bookId, match: match!, bankAccountIds: [], reason: 'Of another bank' }),
    );
    expect(answer).toMatchObject({ status: 200 });
    await moveLargeMatch({ pool: bank.pool, committer }, { ...BY, bookId }, match!.id);
  };

  test('all is given back, an entry takes back the first, and the line is an exception', async () => {
    await expectBatch();
    await bank.take(FILE);
    await undo(bank.book.committer);
    expect(await states()).toEqual([{ status: 'undone', rule: 'batch', reserved: 0 }]);
    expect((await openItemsOf(bank)).length).toBe(COUNT);
    expect((await bank.lines()).map(({ status }) => status)).toEqual(['open']);
    expect(await bank.exceptions()).toEqual([{ kind: 'bank_line_unmatched', stage: 'open' }]);
    expect(await bank.balances()).toEqual({ bank: -600n, suspense: 600n });
  });

  test.each([0, 1, 2])('killed behind %i of its commands, the next run goes on', async (behind) => {
    await expectBatch();
    await bank.take(FILE);
    await expect(undo(dying('bank_match.give_back', behind))).rejects.toThrow('killed');
    expect(await states()).toEqual([
      { status: 'undoing', rule: 'batch', reserved: COUNT - (behind === 0 ? 0 : behind * 250) },
    ]);
    expect(await unbooked()).toBe(0n);
    expect(await bank.balances()).toEqual({ bank: -600n, rail_clearing: -600n });
    expect(await findingsOf({ pool: bank.pool, id: bank.book.id })).toEqual([]);
    await again();
    // What a person has undone is left to people: the same run does not match it anew.
    expect((await states()).map(({ status }) => status)).toEqual(['undone']);
    expect((await bank.lines()).map(({ status }) => status)).toEqual(['open']);
    expect(await bank.balances()).toEqual({ bank: -600n, suspense: 600n });
  });
});
