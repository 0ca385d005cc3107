/** What is released is posted, each line once, whichever process dies or comes second. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { keepFile } from '../../../src/intake/sealed-file.ts';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { createLogger } from '../../../src/process/log.ts';
import { checkBankFile } from '../../../src/reconciliation/runs/first-reading.ts';
import { type ImportRuntime, importFile } from '../../../src/reconciliation/runs/import-file.ts';
import { postReleased } from '../../../src/reconciliation/runs/post-released.ts';
import { findFollowing, findReleased } from '../../../src/reconciliation/statements/bank-statement-store.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../src/values/ids.ts';
import { camt, NO_ARRIVALS, NO_RETURNS, type OperatorsBank, partsOf } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';

let bank: OperatorsBank;
let database: TestDatabase;
eachBank((opened) => {
  ({ bank, database } = opened);
});

/** A statement of so many credits of 2, held for a gap of 500. */
const heldFile = (lines: number) =>
  camt([
    { opening: 500, entries: Array.from({ length: lines }, (_, index) => ({ amount: 2, reference: `S${index}` })) },
  ]);

const released = async () => {
  const found = await findReleased(bank.pool, { after: { bookId: BEFORE_ALL_IDS, id: BEFORE_ALL_IDS }, limit: 100 });
  return found.map(({ id }) => id);
};
const visit = (ids: readonly Uuid[]) =>
  postReleased({ pool: bank.pool, committer: bank.book.committer }, bank.book.id, ids);

/** A process that dies at its next command but so many. */
function dyingAfter(commands: number): Pick<Committer, 'submit'> {
  let left = commands;
  return {
    submit(...command) {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return bank.book.committer.submit(...command);
    },
  };
}

const runtimeWith = (pool: Pool): ImportRuntime => ({
  pool,
  committer: bank.taker.committer,
  secretBox: TEST_SECRET_BOX,
  clock: systemClock,
  mirror: () => Promise.resolve(),
  arrivals: NO_ARRIVALS,
  returnAtBank: NO_RETURNS,
});

test('an approval whose process dies before the posting is posted by the sweeper', async () => {
  await bank.account();
  await bank.take(heldFile(3));
  const [held] = await bank.statements();
  await bank.propose(held!.id, 'accept');
  await bank.approve(held!.id);
  expect(await released()).toEqual([held!.id]);
  expect(await bank.balances()).toEqual({});
  await visit([held!.id]);
  expect(await bank.balances()).toEqual({ bank: 506n, unallocated: 506n });
  expect(await released()).toEqual([]);
  await visit([held!.id]);
  expect(await bank.balances()).toEqual({ bank: 506n, unallocated: 506n });
});

test('a statement whose predecessor is posted by a process that dies then is released by the sweeper, beside one for persons', async () => {
  await bank.account();
  // Does not come to what it says, and stands at the same place: the sweeper finds this one.
  await bank.take(
    camt([{ on: '2026-03-01', opening: 500, closing: 999, entries: [{ amount: 1, reference: 'WRONG' }] }]),
  );
  const [wrong] = await bank.statements();
  await bank.take(heldFile(3));
  const bytes = Buffer.from(camt([{ entries: [{ amount: 500, reference: 'BEFORE' }] }], { id: 'BEFORE' }));
  const committer: Pick<Committer, 'submit'> = {
    submit: (bookId, command, ...rest) =>
      command.name === 'bank_statement.release'
        ? Promise.reject(new Error('killed'))
        : bank.taker.committer.submit(bookId, command, ...rest),
  };
  const file = {
    bookId: bank.book.id,
    checked: checkBankFile(partsOf(bytes)),
    name: 'bank.xml',
    read: () => partsOf(bytes),
  };
  await expect(importFile({ ...runtimeWith(bank.pool), committer }, file)).rejects.toThrow('killed');
  expect(await bank.balances()).toEqual({ bank: 500n, unallocated: 500n });
  const before = { bookId: BEFORE_ALL_IDS, bankAccountId: BEFORE_ALL_IDS, id: BEFORE_ALL_IDS };
  const following = async () => (await findFollowing(bank.pool, { after: before, limit: 100 })).map(({ id }) => id);
  expect(await following()).toEqual([wrong!.id]);
  await visit([wrong!.id]);
  expect(await bank.balances()).toEqual({ bank: 506n, unallocated: 506n });
  expect(await following()).toEqual([]);
});

test('a second process that posts the same statement posts no line twice', async () => {
  await bank.account();
  await bank.take(heldFile(900));
  const [held] = await bank.statements();
  await bank.propose(held!.id, 'accept');
  await bank.approve(held!.id);
  // Between the first reading of this process and its first command, another one posts two commands, and dies.
  let first = true;
  const late: Pick<Committer, 'submit'> = {
    async submit(...command) {
      if (first) {
        first = false;
        await expect(bank.post(held!.id, dyingAfter(2))).rejects.toThrow('killed');
      }
      return bank.book.committer.submit(...command);
    },
  };
  expect(await bank.post(held!.id, late)).toMatchObject({ status: 'posted', bookedLines: 901, lines: 901 });
  expect(await bank.balances()).toEqual({ bank: 2_300n, unallocated: 2_300n });
});

test('a statement whose file was cut off is accepted once all its lines are kept', async () => {
  await bank.account();
  const bytes = Buffer.from(heldFile(1_200));
  const cut = function* () {
    yield bytes.subarray(0, bytes.length - 400);
    throw new Error('killed');
  };
  const runtime = runtimeWith(bank.pool);
  const file = { bookId: bank.book.id, checked: checkBankFile(partsOf(bytes)), name: 'bank.xml' };
  let readings = 0;
  // The first reading of the import keeps the bytes.
  const read = () => (++readings === 1 ? partsOf(bytes) : cut());
  await expect(importFile(runtime, { ...file, read })).rejects.toThrow('killed');
  const [held] = await bank.statements();
  await bank.propose(held!.id, 'accept');
  expect(await bank.approve(held!.id)).toMatchObject({
    refused: 'state_conflict',
    detail: expect.stringContaining('1000 of its 1200 lines are kept'),
  });
  await bank.take(bytes);
  await bank.approve(held!.id);
  await visit(await released());
  expect(await bank.balances()).toEqual({ bank: 2_900n, unallocated: 2_900n });
});

test('one file taken by three processes at once is posted once, and none of them fails', async () => {
  await bank.account();
  const entries = Array.from({ length: 2_300 }, (_, index) => ({ amount: 2, reference: `S${index}` }));
  const file = camt([{ entries }]);
  await Promise.all([bank.take(file), bank.take(file), bank.take(file)]);
  const { lines } = await bank.book.row<{ lines: bigint }>(
    "SELECT count(*) AS lines FROM bank_lines WHERE book_id = $1 AND status <> 'pending'",
  );
  expect(lines).toBe(2_300n);
  expect((await bank.balances()).bank).toBe(4_600n);
});

test('whoever keeps the same file is waited for, longer than a lock is', async () => {
  await bank.account();
  const text = Buffer.from(camt([{ entries: [{ amount: 2, reference: 'S1' }] }]));
  const checked = checkBankFile(partsOf(text));
  const superuser = new pg.Client(database.superuserUrl);
  await superuser.connect();
  const role = new URL(database.applicationUrl).username;
  await superuser.query(`ALTER ROLE "${role}" IN DATABASE ${database.name} SET lock_timeout = '50ms'`);
  const pool = createPool({ url: database.applicationUrl, name: 'test', size: 2, log: createLogger('silent', 'test') });
  const another = await pool.connect();
  await another.query('BEGIN');
  const file = { bookId: bank.book.id, sha256: checked.sha256, kind: 'bank_file', name: 'bank.xml' };
  await keepFile(another, TEST_SECRET_BOX, { ...file, now: systemClock.now() });
  const taken = importFile(runtimeWith(pool), {
    bookId: bank.book.id,
    checked,
    name: 'bank.xml',
    read: () => partsOf(text),
  });
  const attempts = new Set<string>();
  await eventually(async () => {
    const { rows } = await superuser.query<{ begun: string }>(
      "SELECT xact_start::text AS begun FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'",
      [database.name],
    );
    for (const { begun } of rows) attempts.add(begun);
    expect(attempts.size).toBeGreaterThan(1);
  });
  await another.query('ROLLBACK');
  another.release();
  expect(await taken).toMatchObject({ status: 'completed' });
  expect((await bank.balances()).bank).toBe(2n);
  await pool.end();
  await superuser.end();
});
