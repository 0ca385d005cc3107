/** Release schedules of books: which day a capture is released on, and what a change of the schedule leaves alone. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import type { Stored } from '../../../src/idempotency/idempotency-key.ts';
import type { Refusal } from '../../../src/ledger/command/command.ts';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { applyAcquirerReport } from '../../../src/payments/outcomes/apply-acquirer-report.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { loadBookWithSchedule } from '../../../src/payments/shares/book-schedule-store.ts';
import { readRelease } from '../../../src/payments/shares/earn-share.ts';
import { requestScheduleUpdate, type UpdateSchedule } from '../../../src/payments/shares/update-schedule.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import type { WrittenJson } from '../../../src/values/json.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { acceptOne, releaseIn, SUCCEEDED } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;
let accountId: Uuid;
let now: number;
const clock = { now: () => now };
const DEFAULT = releaseIn({ onceSettled: false });
/** A Thursday. */
const START = Date.parse('2031-05-01T09:00:00Z');

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  now = START;
  book = await openBook({ database: database.applicationUrl, clock });
  accountId = await book.account();
});
afterEach(async () => {
  expect(await new MoneyBack(book, clock).differences()).toEqual([]);
  await book.close();
});
afterAll(() => database?.drop());

async function inTimeZone(timeZone: string): Promise<void> {
  const owner = createPool({
    url: database.ownerUrl,
    name: 'test owner',
    size: 1,
    log: createLogger('silent', 'test'),
  });
  await owner.query('UPDATE books SET time_zone = $2 WHERE id = $1', [book.id, timeZone]);
  await owner.end();
}

async function change(to: UpdateSchedule['change'], ifMatch?: number): Promise<Stored | Refusal> {
  const { command } = await requestScheduleUpdate.prepare(
    { release: DEFAULT },
    {
      bookId: book.id,
      actor: 'test',
      requestId: newId(),
      idempotencyKey: null,
      fingerprint: Buffer.alloc(32),
      ifMatch,
      change: to,
    },
  );
  return book.submit(command);
}

const shownBy = ({ body }: Stored) => JSON.parse((body as WrittenJson).text) as object;
const read = () => readRelease({ pool: book.pool, clock, release: DEFAULT }, book.id);

/** A payment that is captured at this time, by the schedule as it was read at another. */
async function captureAt(time: string, { readAt = time, amount = 20_000n } = {}) {
  now = Date.parse(readAt);
  const accepted = await acceptOne(book, { accountId, amount });
  const declared = await read();
  now = Date.parse(time);
  await book.submit(
    applyAcquirerReport(book.id, {
      ...accepted,
      read: declared,
      report: { ...SUCCEEDED, raw: { id: newId() } },
    }),
  );
  return (await payments.find(book.pool, book.id, accepted.payment.id))!.availableOn;
}

describe('days of release', () => {
  test('before the cut-off and after it', async () => {
    await change({ days: 1, cutOff: '17:00' });
    expect(await captureAt('2031-05-01T16:59:59Z')).toBe('2031-05-02');
    expect(await captureAt('2031-05-01T17:00:00Z')).toBe('2031-05-03');
  });

  test.each`
    what                    | readAt                    | capturedAt                | availableOn
    ${'the cut-off passes'} | ${'2031-05-02T16:59:00Z'} | ${'2031-05-02T17:00:01Z'} | ${'2031-05-06'}
    ${'midnight passes'}    | ${'2031-05-04T23:59:00Z'} | ${'2031-05-05T00:00:01Z'} | ${'2031-05-06'}
    ${'both pass'}          | ${'2031-05-05T12:00:00Z'} | ${'2031-05-06T18:00:00Z'} | ${'2031-05-08'}
  `('$what between declaration and commit', async ({ readAt, capturedAt, availableOn }) => {
    await change({ days: 1, unit: 'business_days', cutOff: '17:00', reserve: { basisPoints: 1_000, days: 90 } });
    expect(await captureAt(capturedAt, { readAt })).toBe(availableOn);
  });

  test('in Amman a week is from Sunday to Thursday, and its day begins at its own midnight', async () => {
    await inTimeZone('Asia/Amman');
    await change({ days: 1, unit: 'business_days', calendar: 'fri_sat', cutOff: '15:00' });
    // Thursday at 14:59 and 15:00, and at 22:00 UTC: Friday by then.
    expect(await captureAt('2031-05-01T11:59:00Z')).toBe('2031-05-04');
    expect(await captureAt('2031-05-01T12:00:00Z')).toBe('2031-05-05');
    expect(await captureAt('2031-05-01T22:00:00Z')).toBe('2031-05-05');
    const shares = await book.rows<{ releases_at: number }>(
      'SELECT releases_at FROM payment_shares WHERE book_id = $1 ORDER BY releases_at',
    );
    expect(shares.map(({ releases_at: at }) => new Date(at).toISOString())).toEqual([
      '2031-05-03T21:00:00.000Z',
      '2031-05-04T21:00:00.000Z',
    ]);
  });

  test('TARGET is closed at Easter', async () => {
    await inTimeZone('Europe/Berlin');
    await change({ days: 2, unit: 'business_days', calendar: 'target2' });
    expect(await captureAt('2032-03-25T12:00:00Z')).toBe('2032-03-31');
  });
});

describe('a change of the schedule', () => {
  test('leaves alone what is captured, and holds for what is captured next', async () => {
    expect(await captureAt('2031-05-01T10:00:00Z')).toBe('2031-05-03');
    await change({ days: 5, reserve: { basisPoints: 2_000, days: 30 } });
    expect(await captureAt('2031-05-01T11:00:00Z')).toBe('2031-05-06');
    const shares = await book.rows(
      'SELECT available_on, amount, is_reserve FROM payment_shares WHERE book_id = $1 ORDER BY available_on',
    );
    expect(shares).toEqual([
      { available_on: '2031-05-03', amount: 19_490n, is_reserve: false },
      { available_on: '2031-05-06', amount: 19_490n - 3_898n, is_reserve: false },
      { available_on: '2031-05-31', amount: 3_898n, is_reserve: true },
    ]);
  });

  test('keeps what it does not name, and is counted', async () => {
    await change({ cutOff: '17:00', reserve: { basisPoints: 500, days: 60 } });
    await change({ days: 3, calendar: 'target2' });
    const own = (await loadBookWithSchedule(book.pool, book.id))!.own;
    const reserve = { basisPoints: 500, days: 60 };
    const schedule = { ...DEFAULT, days: 3, calendar: 'target2', cutOff: '17:00', reserve };
    expect(own).toEqual({ schedule, version: 3, updatedAt: START });
    await change({ cutOff: null, reserve: null, onceSettled: true });
    expect((await read()).release).toEqual({ ...schedule, cutOff: null, reserve: null, onceSettled: true });
  });

  test('that changes nothing is answered, and writes nothing', async () => {
    const rowVersion = () => book.row('SELECT xmin::text, ctid::text FROM books WHERE id = $1');
    const before = await rowVersion();
    const answer = (await change({ days: DEFAULT.days })) as Stored;
    expect(shownBy(answer)).toMatchObject({ version: 1, updated_at: null });
    expect(await rowVersion()).toEqual(before);
    await change({ days: 4 });
    const again = (await change({ days: 4, reserve: null }, 2)) as Stored;
    expect(shownBy(again)).toMatchObject({ version: 2, days: 4 });
  });

  test('over another version than that of the caller is refused', async () => {
    await change({ days: 4 }, 1);
    expect(await change({ days: 6 }, 1)).toMatchObject({ refused: 'version_mismatch', facts: { version: 2 } });
    expect((await read()).release.days).toBe(4);
  });

  test('of many at once, each is over the one before', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, at) => change({ days: at + 3 })));
    const own = (await loadBookWithSchedule(book.pool, book.id))!.own!;
    expect(own.version).toBe(13);
    const other = await openBook({ database: database.applicationUrl, bookId: book.id, clock });
    try {
      await Promise.all([change({ cutOff: '10:00' }), other.account(), change({ unit: 'business_days' })]);
    } finally {
      await other.close();
    }
    expect((await read()).release).toMatchObject({ cutOff: '10:00', unit: 'business_days', days: own.schedule.days });
  });

  test('is not made for another book', async () => {
    const other = await openBook({ database: database.applicationUrl, clock });
    await change({ days: 9 });
    expect((await loadBookWithSchedule(other.pool, other.id))!.own).toBeUndefined();
    await other.close();
  });
});

test('a capture has a portion in each of its shares', async () => {
  await change({ reserve: { basisPoints: 1_000, days: 90 } });
  await captureAt('2031-05-01T10:00:00Z');
  const { id } = await book.row<{ id: Uuid }>(
    "SELECT id FROM payment_operations WHERE book_id = $1 AND kind = 'capture'",
  );
  const { portions } = (await paymentOperations.find(book.pool, book.id, id))!;
  expect(portions.map(({ amount }) => amount)).toEqual([19_490n - 1_949n, 1_949n]);
  expect(new Set(portions.map(({ shareId }) => shareId)).size).toBe(2);
});
