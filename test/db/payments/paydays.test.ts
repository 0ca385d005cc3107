/** Paydays of the sandbox acquirer, step by step: reports are made once, and hold so many lines at most. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../../scripts/harness/until.ts';
import { type Acquirers, createAcquirers } from '../../../src/acquirers/acquirers.ts';
import { settleAtSandbox } from '../../../src/acquirers/sandbox-settlement-store.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { StaleRead } from '../../../src/ledger/commit/stale-read.ts';
import { listUnanswered } from '../../../src/payments/operations/under-way-store.ts';
import type { Payday } from '../../../src/payments/paydays/settlement.ts';
import { paydays } from '../../../src/payments/paydays/settlement-table.ts';
import { openPayday, paydayStep } from '../../../src/payments/settlements/keep-payday.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { acceptOne } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';

const NO_DISPUTES = { taken: [], won: [] };

let database: TestDatabase;
let book: TestBook;
let reports: Reports;
let acquirers: Acquirers;

beforeAll(async () => {
  database = await createTestDatabase();
  const config = { DATABASE_URL: database.applicationUrl };
  acquirers = createAcquirers(config, createLogger('silent', 'test'), { publicUrl: 'http://localhost' });
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  reports = new Reports(book);
  return async () => {
    expect(await findingsOf(book)).toEqual([]);
    await book.close();
  };
});
afterAll(async () => {
  await acquirers?.close();
  await database?.drop();
});

/** Payments that were captured, as the sandbox acquirer has them in its own records. */
async function captured(count: number): Promise<void> {
  const accountId = await book.account();
  for (let at = 0; at < count; at++) {
    const { authorization } = await reports.captured(accountId);
    await book.pool.query(
      `INSERT INTO sandbox_acquirer.instructions (originator, reference, kind, amount, currency, status, captures, authorized, captured,
         acquirer_reference, submissions, received_at)
       VALUES ($1, $2, 'authorize', 20000, 'EUR', 'succeeded', true, 20000, 20000, $2, 1, now())`,
      [book.id, authorization.reference],
    );
  }
}

const step = async (payday: Uuid, linesMax?: number) =>
  book.submit(await paydayStep({ pool: book.pool, acquirers, secretBox: TEST_SECRET_BOX }, book.id, payday, linesMax));
const read = (id: Uuid) => paydays.find(book.pool, book.id, id) as Promise<Payday>;
const unpaid = async () =>
  (
    await book.row<{ count: bigint }>(
      'SELECT count(*) AS count FROM sandbox_acquirer.instructions WHERE originator = $1::text AND settled_by IS NULL',
    )
  ).count;

async function opened(): Promise<Uuid> {
  const id = newId();
  await book.submit(openPayday(id));
  return id;
}

test('a busy day is paid by several reports, each of so many lines at most', async () => {
  await captured(5);
  const payday = await opened();
  let steps = 0;
  while (!(await step(payday, 2))) steps++;
  // Each of three reports is made, and taken in.
  expect(steps).toBe(6);
  const { status, reportIds } = await read(payday);
  expect(status).toBe('done');
  const { rows } = await book.pool.query<{ lines: number }>(
    'SELECT lines FROM acquirer_reports WHERE id = ANY ($1) ORDER BY id',
    [reportIds],
  );
  expect(rows.map(({ lines }) => lines)).toEqual([2, 2, 1]);
  expect(await unpaid()).toBe(0n);
  expect(await reports.poolBalance()).toBe(100_000n);
  expect(await reports.exceptionKinds()).toEqual([]);
});

test('a report is made once: later steps read it, whatever the acquirer has in its records by then', async () => {
  await captured(2);
  const payday = await opened();
  expect(await step(payday)).toBe(false);
  const { reportIds } = await read(payday);
  await book.rows("UPDATE sandbox_acquirer.instructions SET settled_by = 'gone' WHERE originator = $1::text");
  expect(await step(payday)).toBe(false);
  expect(await step(payday)).toBe(true);
  expect(await read(payday)).toMatchObject({ status: 'done', reportIds });
  expect(await reports.poolBalance()).toBe(40_000n);
});

test('two processes that make the report of one payday make one', async () => {
  await captured(2);
  const payday = await opened();
  const [one, other] = await Promise.all([
    paydayStep({ pool: book.pool, acquirers, secretBox: TEST_SECRET_BOX }, book.id, payday),
    paydayStep({ pool: book.pool, acquirers, secretBox: TEST_SECRET_BOX }, book.id, payday),
  ]);
  const ends = await Promise.allSettled([book.submit(one), book.submit(other)]);
  expect(ends.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: expect.any(StaleRead) }]);
  expect((await read(payday)).reportIds).toHaveLength(1);
  while (!(await step(payday)));
  expect(await reports.poolBalance()).toBe(40_000n);
});

test.each(['instructions', 'notices'] as const)('two payments at once take each of the %s once', async (table) => {
  await captured(2);
  const originator = book.id;
  const disputed = newId();
  await book.pool.query(
    `INSERT INTO sandbox_acquirer.notices (id, originator, reference, kind, amount, dispute, created_at)
     SELECT $2, originator, reference, 'dispute_chargeback', amount, 'D1', now() FROM sandbox_acquirer.instructions
     WHERE originator = $1 ORDER BY reference LIMIT 1`,
    [originator, disputed],
  );
  const disputes = { taken: [disputed], won: [] };
  const settlement = { originator, before: Date.now() + 60_000, except: [], disputes, limit: 10 };
  // The other one has taken them, and is not committed yet.
  const [key, other] = [newId(), newId()];
  let paying: ReturnType<typeof settleAtSandbox> | undefined;
  await inTransaction(book.pool, async (trx) => {
    const taken = `UPDATE sandbox_acquirer.${table} SET settled_by = $2 WHERE originator = $1`;
    await trx.query(taken, [originator, other]);
    paying = settleAtSandbox(book.pool, { ...settlement, key });
    await until(waits);
  });
  const lines = await paying!;
  expect(lines.map(({ type }) => type)).toEqual(table === 'notices' ? ['capture', 'capture'] : ['dispute']);
  const { rows } = await book.pool.query<{ settled_by: string }>(
    `SELECT DISTINCT settled_by FROM sandbox_acquirer.${table} WHERE originator = $1`,
    [originator],
  );
  expect(rows).toEqual([{ settled_by: other }]);
});

/** Whether a statement waits for another one's row. */
async function waits(): Promise<boolean> {
  const { rows } = await book.pool.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows.length > 0;
}

test('a payday on which the acquirer holds nothing is over at once', async () => {
  const payday = await opened();
  expect(await step(payday)).toBe(true);
  expect(await read(payday)).toMatchObject({ status: 'done', reportIds: [] });
});

test('what nobody has answered is known, also where a bug has stopped it', async () => {
  const accountId = await book.account();
  const [waiting, stuck] = [await acceptOne(book, { accountId }), await acceptOne(book, { accountId })];
  await reports.captured(accountId);
  const mark = (stuckAt: Date | null) =>
    book.rows(
      'UPDATE payment_operations SET stuck_at = $3 WHERE book_id = $1 AND id = $2',
      stuck.operation.id,
      stuckAt,
    );
  await mark(new Date());
  const { references } = await listUnanswered(book.pool, book.id);
  await mark(null);
  expect(references.sort()).toEqual([waiting.operation.reference, stuck.operation.reference].sort());
});

test('what comes to more than a report can hold is paid by the next one', async () => {
  await captured(3);
  await book.rows('UPDATE sandbox_acquirer.instructions SET amount = 3000000000000000000 WHERE originator = $1::text');
  const settlement = { originator: book.id, before: Date.now() + 60_000, except: [], disputes: NO_DISPUTES, limit: 10 };
  const pay = async () => (await settleAtSandbox(book.pool, { ...settlement, key: newId() })).length;
  expect([await pay(), await pay(), await pay(), await pay()]).toEqual([1, 1, 1, 0]);
});
