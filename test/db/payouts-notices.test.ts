/** Notices of a rail: taken in when their time has come, and never in the way of each other. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { newId } from '../../src/ids.ts';
import { createLogger } from '../../src/log.ts';
import { endToEndId } from '../../src/payouts/end-to-end-id.ts';
import { loadPayouts } from '../../src/payouts/payout-store.ts';
import { takeNotices } from '../../src/payouts/take-notices.ts';
import { createRails, type Rails } from '../../src/rails/rails.ts';
import { openBook, type TestBook } from '../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const log = createLogger('silent', 'test');
/** More than a page of them. */
const EARLY = 130;

let database: TestDatabase;
let book: TestBook;
let rails: Rails;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  rails = createRails({ DATABASE_URL: database.applicationUrl }, log);
});

afterAll(async () => {
  await rails?.close();
  await book?.close();
  await database?.drop();
});

let unclaimed: Error[] = [];
const runtime = () => ({
  ...{ pool: book.pool, committer: book.committer, log, rail: (name: string) => rails.get(name) },
  clock: systemClock,
  warnUnclaimed: (error: Error) => void unclaimed.push(error),
});

test('notices that come too early do not hide those behind them', async () => {
  const accountId = await book.account({ amount: 1_000_000n });
  const processing = async () => book.reserve(await book.accept({ accountId, idempotencyKey: newId() }));
  const payouts = [];
  for (let number = 0; number <= EARLY; number++) payouts.push(await processing());
  const last = payouts.at(-1)!;
  for (const { endToEndId, amount, currency } of payouts) {
    // The rail pays and tells of a return at once; we have not taken in yet that it paid.
    await rails.sandbox.submit({
      originator: book.id,
      endToEndId,
      alias: 'RETURN',
      provider: null,
      amount,
      currency,
      notAfter: Date.now() + 60_000,
    });
  }
  await book.settle(last, { status: 'paid' });

  expect(await takeNotices(runtime(), 'sandbox')).toBe(1);
  const ids = payouts.map(({ id }) => id);
  const states = [...(await loadPayouts(book.pool, book.id, ids)).values()].map(({ status }) => status).sort();
  expect(states).toEqual([...Array.from({ length: EARLY }, () => 'processing'), 'returned']);

  for (const payout of payouts.slice(0, EARLY)) await book.settle(payout, { status: 'paid' });
  expect(await takeNotices(runtime(), 'sandbox')).toBe(EARLY);
  expect(await rails.sandbox.notices(1)).toEqual([]);
});

test('what a rail tells of one payout is taken in in its order: its last word is what the books say', async () => {
  const accountId = await book.account({ amount: 1_000_000n });
  const told = [];
  for (let number = 0; number < 20; number++) {
    const payout = await book.reserve(await book.accept({ accountId, idempotencyKey: newId() }));
    const { endToEndId, amount, currency } = payout;
    const notAfter = Date.now() + 60_000;
    await rails.sandbox.submit({
      originator: book.id,
      endToEndId,
      alias: 'PENDING',
      provider: null,
      amount,
      currency,
      notAfter,
    });
    await rails.sandbox.fail(book.id, endToEndId, newId());
    await rails.sandbox.complete(book.id, endToEndId, newId());
    told.push(payout.id);
  }
  expect(await takeNotices(runtime(), 'sandbox')).toBe(2 * told.length);
  const states = [...(await loadPayouts(book.pool, book.id, told)).values()].map(({ status }) => status);
  expect(new Set(states)).toEqual(new Set(['paid']));
  const { raised } = await book.row<{ raised: bigint }>(
    "SELECT count(*) AS raised FROM exceptions WHERE book_id = $1 AND kind = 'paid_after_failed'",
  );
  expect(raised).toBe(BigInt(told.length));
});

describe('about a payout that is not there', () => {
  const sent = (key: string) => ({
    ...{ originator: book.id, endToEndId: endToEndId(book.id, key), alias: 'RETURN', provider: null },
    ...{ amount: 1_000n, currency: 'EUR', notAfter: Date.now() + 60_000 },
  });

  test('a notice comes again until it is there: after a restore its client asks again under its key', async () => {
    const accountId = await book.account({ amount: 1_000_000n });
    // Sent, paid and returned before the restore, of which our books know nothing.
    await rails.sandbox.submit(sent('K'));
    unclaimed = [];
    expect(await takeNotices(runtime(), 'sandbox')).toBe(0);
    expect(unclaimed.map(({ message }) => message)).toEqual([
      expect.stringMatching(`^1 notices of sandbox, the first .* about ${sent('K').endToEndId}$`),
    ]);
    const payout = await book.reserve(await book.accept({ accountId, idempotencyKey: 'K' }));
    expect(await rails.sandbox.submit(sent('K'))).toMatchObject({ status: 'paid' });
    await book.settle(payout, { status: 'paid' });
    expect(await takeNotices(runtime(), 'sandbox')).toBe(1);
    const now = (await loadPayouts(book.pool, book.id, [payout.id])).get(payout.id)!;
    expect([now.status, now.amountReturned]).toEqual(['returned', 1_000n]);
  });

  test('a notice is given up after a month', async () => {
    await rails.sandbox.submit(sent('never asked for again'));
    const inDays = (days: number) => ({ ...runtime(), clock: { now: () => Date.now() + days * 86_400_000 } });
    expect(await takeNotices(inDays(29), 'sandbox')).toBe(0);
    expect(await takeNotices(inDays(31), 'sandbox')).toBe(1);
    expect(await rails.sandbox.notices(1)).toEqual([]);
  });
});
