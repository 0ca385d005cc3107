/** Notices of a rail: taken in when their time has come, and never in the way of each other. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/ids.ts';
import { createLogger } from '../../src/log.ts';
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

const runtime = () => ({ pool: book.pool, committer: book.committer, log, rail: (name: string) => rails.get(name) });

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
