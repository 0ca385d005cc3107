/** Statements that are made by themselves: numbered without a gap, once their days are over, and never again. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { updateAccount } from '../../../src/accounts/account/change-account.ts';
import { openAccount } from '../../../src/accounts/account/open-account.ts';
import { statementMaking } from '../../../src/accounts/statements/make-statements.ts';
import type { ScheduleName } from '../../../src/accounts/statements/schedule.ts';
import { statementSchedules } from '../../../src/accounts/statements/schedule-table.ts';
import type { StoredStatement } from '../../../src/accounts/statements/stored-statement.ts';
import { listStatements } from '../../../src/accounts/statements/stored-statement-store.ts';
import { createPool } from '../../../src/db/pool.ts';
import { keepAppointments } from '../../../src/journal/keep-appointments.ts';
import { StaleRead } from '../../../src/ledger/commit/stale-read.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { openBook, stored, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const DAY = 86_400_000;
const START = Date.UTC(2027, 0, 15, 12);
let database: TestDatabase;
let book: TestBook;
let now = START;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  now = START;
  await book?.close();
  const clock = { now: () => now };
  book = await openBook({ database: database.applicationUrl, sink: webhookSink, forms: LATEST_FORMS, clock });
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const request = () => ({ requestId: newId(), actor: 'test' });
async function account(statementSchedule: ScheduleName | null): Promise<Uuid> {
  const opening = { currency: 'EUR', name: 'Till', overdraftLimit: 0n, externalId: null, metadata: {} };
  const opened = openAccount({ ...opening, statementSchedule, ...request() });
  return (await book.submit(stored(opened))).resourceId!;
}
const change = (accountId: Uuid, statementSchedule: ScheduleName | null) =>
  book.submit(stored(updateAccount({ accountId, currency: 'EUR', statementSchedule, ...request() })));
const make = async (...ids: Uuid[]) =>
  book.submit(await statementMaking.command(book.pool, book.id, ids, undefined as never)) as Promise<number>;
async function statements(accountId: Uuid): Promise<readonly StoredStatement[]> {
  const { rows } = await listStatements(book.pool, book.id, accountId, { limit: 100 });
  return rows.toReversed();
}
const days = async (accountId: Uuid) =>
  (await statements(accountId)).map(({ number, from, to }) => [Number(number), from, to]);
const verified = () => findingsOf({ pool: book.pool, id: book.id });

test('a day has its statement once it is over, and none before', async () => {
  const id = await account('daily');
  await book.fund(id, 700n);
  expect(await make(id)).toBe(0);
  now = Date.UTC(2027, 0, 16);
  expect(await make(id)).toBe(1);
  expect(await make(id)).toBe(0);
  const [one, ...more] = await statements(id);
  expect(more).toEqual([]);
  expect(one).toMatchObject({
    ...{ number: 1n, from: '2027-01-15', to: '2027-01-15', opening: 0n, closing: 700n },
    ...{ creditsCount: 1n, creditsSum: 700n, debitsCount: 0n, debitsSum: 0n, afterLine: 0n, throughLine: 1n },
  });
  const events = await book.rows<{ type: string; object_id: string }>(
    `SELECT type, object_id FROM events WHERE book_id = $1 AND type = 'statement.ready'`,
  );
  expect(events).toEqual([{ type: 'statement.ready', object_id: one!.id }]);
  expect(await verified()).toEqual([]);
});

test('a job that finds days without anybody makes the first, and leaves the further ones to those that follow', async () => {
  const ids = [await account('daily'), await account('daily')];
  now += 3 * DAY;
  const failed: Uuid[] = [];
  const runtime = {
    ...{ pool: book.pool, committer: book.committer },
    rowFailed: async (_: unknown, { id }: { id: Uuid }) => failed.push(id) > 0,
  };
  const days = async () => (await Promise.all(ids.map(statements))).map((made) => made.map(({ from }) => from));
  const days15to17 = ['2027-01-15', '2027-01-16', '2027-01-17'];
  for (const made of [1, 2, 3, 3]) {
    await keepAppointments(runtime as never, statementMaking, { bookId: book.id, ids });
    expect(await days()).toEqual([days15to17.slice(0, made), days15to17.slice(0, made)]);
  }
  expect(failed).toEqual([]);
});

test('after days without anybody, each has its own, and they chain', async () => {
  const id = await account('daily');
  await book.fund(id, 700n);
  now = START + DAY;
  await book.fund(id, 5n);
  now = START + 4 * DAY;
  await book.fund(id, 1n);
  while ((await make(id)) > 0);
  expect(await statements(id)).toMatchObject([
    { number: 1n, from: '2027-01-15', closing: 700n },
    { number: 2n, from: '2027-01-16', opening: 700n, closing: 705n },
    { number: 3n, from: '2027-01-17', opening: 705n, closing: 705n },
    { number: 4n, from: '2027-01-18', opening: 705n, closing: 705n, throughLine: 2n },
  ]);
  expect(await verified()).toEqual([]);
});

test('a month has whole days, and February its own', async () => {
  const id = await account('monthly');
  await book.fund(id, 1n);
  now = Date.UTC(2027, 3, 1);
  while ((await make(id)) > 0);
  expect(await days(id)).toEqual([
    [1, '2027-01-01', '2027-01-31'],
    [2, '2027-02-01', '2027-02-28'],
    [3, '2027-03-01', '2027-03-31'],
  ]);
});

test('days are those of the book, of 23 and 25 hours too', async () => {
  await book.rows(`UPDATE books SET time_zone = 'Europe/Berlin' WHERE id = $1`);
  now = Date.UTC(2027, 2, 27, 23); // the 28th has 23 hours
  const id = await account('daily');
  await book.fund(id, 1n);
  now = Date.UTC(2027, 2, 28, 21, 59, 59, 999);
  await book.fund(id, 1n);
  expect(await make(id)).toBe(0);
  now += 1;
  expect(await make(id)).toBe(1);
  expect(await statements(id)).toMatchObject([{ from: '2027-03-28', to: '2027-03-28', closing: 2n }]);
  expect(await verified()).toEqual([]);
});

test('a pause is told by the next statement, and another schedule goes on where the last ended', async () => {
  const id = await account('daily');
  now = START + DAY;
  await make(id);
  await change(id, null);
  now = START + 10 * DAY;
  expect(await make(id)).toBe(0);
  await change(id, 'daily');
  now = START + 11 * DAY;
  while ((await make(id)) > 0);
  await change(id, 'monthly');
  now = START + 40 * DAY;
  while ((await make(id)) > 0);
  expect(await days(id)).toEqual([
    [1, '2027-01-15', '2027-01-15'],
    [2, '2027-01-16', '2027-01-25'],
    [3, '2027-01-26', '2027-01-31'],
  ]);
  expect(await verified()).toEqual([]);
});

test('a closed account has a last one', async () => {
  const id = await account('daily');
  await book.setStatus('close', id);
  now = START + 9 * DAY;
  while ((await make(id)) > 0);
  expect(await days(id)).toEqual([[1, '2027-01-15', '2027-01-15']]);
  expect(await statementSchedules.find(book.pool, book.id, id)).toMatchObject({ status: 'paused', dueAt: null });
});

test('two that make it at once make one', async () => {
  const id = await account('daily');
  await book.fund(id, 9n);
  now = START + DAY;
  const commands = await Promise.all(
    [1, 2, 3].map(() => statementMaking.command(book.pool, book.id, [id], undefined as never)),
  );
  expect(await Promise.all(commands.map((command) => book.submit(command)))).toEqual([1, 0, 0]);
  expect(await days(id)).toEqual([[1, '2027-01-15', '2027-01-15']]);
});

test('a line that comes between the reading and the commit is not left out', async () => {
  const id = await account('daily');
  await book.fund(id, 9n);
  const read = await statementMaking.command(book.pool, book.id, [id], undefined as never);
  await book.fund(id, 1n);
  now = START + DAY;
  await expect(book.submit(read)).rejects.toThrow(StaleRead);
  expect(await make(id)).toBe(1);
  expect(await statements(id)).toMatchObject([{ closing: 10n, throughLine: 2n }]);
});

test('verification finds what does not chain, lead or belong', async () => {
  const id = await account('daily');
  await book.fund(id, 700n);
  now = START + DAY;
  await make(id);
  await book.fund(id, 5n);
  now = START + 2 * DAY;
  await make(id);
  const superuser = createPool({
    url: database.superuserUrl,
    name: 'test',
    size: 1,
    log: createLogger('silent', 'test'),
  });
  const found = async (sql: string) => {
    await superuser.query(sql);
    return [...new Set((await verified()).map(({ check }) => check))].sort();
  };
  expect(
    await found(
      `UPDATE account_statements SET closing = closing + 1, credits_sum = credits_sum + 1 WHERE number = 1 AND account_id = '${id}'`,
    ),
  ).toEqual(['statement.balance', 'statement.chain']);
  expect(
    await found(`UPDATE account_statements SET closing = closing - 1 WHERE number = 1 AND account_id = '${id}'`),
  ).toEqual(['statement.sum']);
  expect(
    await found(
      `UPDATE account_statements SET credits_sum = credits_sum - 1, to_day = '2027-01-16' WHERE number = 1 AND account_id = '${id}'`,
    ),
  ).toEqual(['statement.chain', 'statement.days']);
  expect(
    await found(
      `UPDATE account_statements SET to_day = '2027-01-15' WHERE number = 1 AND account_id = '${id}'; UPDATE statement_schedules SET number = 1 WHERE account_id = '${id}'`,
    ),
  ).toEqual(['statement.number']);
  expect(await found(`UPDATE statement_schedules SET number = 2 WHERE account_id = '${id}'`)).toEqual([]);
  await superuser.end();
});
