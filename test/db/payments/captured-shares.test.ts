/** Verify recomputes the days and the reserve of a capture from the release schedule that its row has. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReleaseSchedule } from '../../../src/calendar/release-schedule.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf, findingsSince } from '../../support/findings.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { releaseIn, settleAll } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { corrupt } from '../../support/verify-scene.ts';

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;
let accountId: Uuid;
let ahead: number;
const clock = { now: () => Date.now() + ahead };
const DAY_MS = 86_400_000;
/** 10,000 at 2.5 % and 10: 260 of fee, of the 9,740 earned a tenth is reserved. */
const [ORDINARY, RESERVE] = [8_766n, 974n];
const READY = { onceSettled: false, days: 2, reserve: { basisPoints: 1_000, days: 90 } };
const WAITING = { ...READY, onceSettled: true };

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  ahead = 0;
  book = await openBook({ database: database.applicationUrl, clock });
  money = new MoneyBack(book, clock);
  accountId = await book.account();
  return () => book.close();
});
afterAll(() => database?.drop());

/** A capture under a schedule, by the id of its row. */
async function captured(release: Partial<ReleaseSchedule>, of = accountId): Promise<Uuid> {
  const { id } = await money.captured(of, 10_000n, release);
  const row = await book.row<{ id: Uuid }>(
    "SELECT id FROM payment_operations WHERE book_id = $1 AND payment_id = $2 AND kind = 'capture'",
    id,
  );
  return row.id;
}

async function shareWith(amount: bigint): Promise<Uuid> {
  const { id } = await book.row<{ id: Uuid }>(
    'SELECT id FROM payment_shares WHERE book_id = $1 AND amount = $2',
    amount,
  );
  return id;
}

const checks = async () => (await findingsOf(book)).map(({ check }) => check);

describe('verify finds', () => {
  test('a capture in the share of another day, where lines, shares and portions agree', async () => {
    const capture = await captured({ ...READY, reserve: null });
    const from = await shareWith(9_740n);
    await money.captured(accountId, 20_000n, { onceSettled: false, days: 5 });
    const to = await shareWith(19_490n);
    expect(await checks()).toEqual([]);
    await corrupt(database.superuserUrl, [
      `UPDATE payment_share_lines SET share_id = '${to}' WHERE operation_id = '${capture}'`,
      `UPDATE payment_shares SET amount = CASE id WHEN '${to}' THEN 29230 ELSE 0 END WHERE id IN ('${from}', '${to}')`,
      `UPDATE payment_operations SET portions = replace(portions::text, '${from}', '${to}')::jsonb WHERE id = '${capture}'`,
    ]);
    expect(await findingsOf(book)).toMatchObject([
      { check: 'payment_share.schedule', ids: { capture: publicId('capture', capture) } },
      { check: 'payment_share.schedule', ids: { capture: publicId('capture', capture) } },
    ]);
    expect((await findingsSince(book, Date.now() - DAY_MS)).map(({ check }) => check)).toContain(
      'payment_share.schedule',
    );
  });

  test('a reserve that is one minor unit too small, where lines, shares and portions agree', async () => {
    const capture = await captured(READY);
    expect(await checks()).toEqual([]);
    const [ordinary, reserve] = [await shareWith(ORDINARY), await shareWith(RESERVE)];
    await corrupt(database.superuserUrl, [
      ...['payment_share_lines', 'payment_shares'].map((table) => {
        const share = table === 'payment_shares' ? 'id' : 'share_id';
        return `UPDATE ${table} SET amount = amount + CASE ${share} WHEN '${ordinary}' THEN 1 ELSE -1 END
          WHERE ${share} IN ('${ordinary}', '${reserve}')`;
      }),
      `UPDATE payment_operations SET portions =
         '[{"share": "${ordinary}", "amount": "${ORDINARY + 1n}"}, {"share": "${reserve}", "amount": "${RESERVE - 1n}"}]' WHERE id = '${capture}'`,
    ]);
    expect(await checks()).toEqual(['payment_share.schedule', 'payment_share.schedule']);
  });

  test('a portion that names the share of another day, where the lines are right', async () => {
    const capture = await captured({ ...READY, reserve: null });
    const from = await shareWith(9_740n);
    await money.captured(accountId, 20_000n, { onceSettled: false, days: 5 });
    const to = await shareWith(19_490n);
    await corrupt(database.superuserUrl, [
      `UPDATE payment_operations SET portions = replace(portions::text, '${from}', '${to}')::jsonb WHERE id = '${capture}'`,
    ]);
    expect(await checks()).toEqual(['payment_share.schedule']);
  });

  test('a capture that does not wait for its acquirer', async () => {
    const capture = await captured({ ...READY, reserve: null });
    await corrupt(database.superuserUrl, [
      `UPDATE payment_operations SET release_schedule = '2d settled' WHERE id = '${capture}'`,
    ]);
    expect(await checks()).toEqual(['payment_share.schedule']);
  });

  test.each([0, 1, 5, 100])('what moved to another day as the acquirer paid after %d days', async (days) => {
    const capture = await captured(WAITING);
    ahead += days * DAY_MS;
    await settleAll(book);
    expect(await checks()).toEqual([]);
    const other = newId();
    await corrupt(database.superuserUrl, [
      `INSERT INTO payment_shares SELECT book_id, '${other}', account_id, currency, kind, false, status, '2021-05-05',
         releases_at, 0, 0, 0, NULL, 1, NULL, NULL, NULL, created_at, updated_at FROM payment_shares
         WHERE account_id = '${accountId}' AND kind = 'ready' LIMIT 1`,
      `UPDATE payment_share_lines SET share_id = '${other}' WHERE operation_id = '${capture}' AND amount > 0
         AND share_id IN (SELECT id FROM payment_shares WHERE kind = 'ready')`,
    ]);
    expect(await checks()).toContain('payment_share.schedule');
  });

  test('a schedule that cannot be read', async () => {
    const capture = await captured(READY);
    await corrupt(database.superuserUrl, [
      `UPDATE payment_operations SET release_schedule = '2 days' WHERE id = '${capture}'`,
    ]);
    expect(await findingsOf(book)).toMatchObject([{ check: 'payment_share.schedule', actual: '2 days' }]);
  });
});

test('a capture of release 0.3.0, which keeps no schedule, is not checked', async () => {
  const capture = await captured(READY);
  const other = await book.row<{ release_schedule: string }>(
    'SELECT release_schedule FROM payment_operations WHERE book_id = $1 AND id = $2',
    capture,
  );
  expect(other.release_schedule).toBe('2d 1000/90');
  await corrupt(database.superuserUrl, [
    `UPDATE payment_operations SET release_schedule = NULL WHERE id = '${capture}'`,
    `UPDATE payment_shares SET available_on = '2021-05-05', is_reserve = false WHERE account_id = '${accountId}'`,
  ]);
  expect(await checks()).toEqual([]);
});

test('an operation that is no capture keeps no schedule', async () => {
  const payment = await money.captured(accountId, 10_000n, releaseIn(READY));
  await money.refunding(payment, 1_000n);
  const rows = await book.rows<{ kind: string; release_schedule: string | null }>(
    'SELECT kind, release_schedule FROM payment_operations WHERE book_id = $1 ORDER BY kind',
  );
  expect(rows).toEqual([
    { kind: 'authorize', release_schedule: null },
    { kind: 'capture', release_schedule: '2d 1000/90' },
    { kind: 'refund', release_schedule: null },
  ]);
});
