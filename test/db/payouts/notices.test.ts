/** Rail notices: booked once they can be, and no notice delays another. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { type OpenException, openOnce } from '../../../src/exceptions/open-exception.ts';
import type { SweptJob } from '../../../src/group/group.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { endToEndId } from '../../../src/outside/instructions/end-to-end-id.ts';
import { NoticeCopier } from '../../../src/outside/notices/copy-notices.ts';
import { findBooksWithNotices } from '../../../src/outside/notices/inbox-store.ts';
import { sweepNotices } from '../../../src/outside/notices/sweep-inboxes.ts';
import type { NoticeSender } from '../../../src/outside/party/party.ts';
import { takeRailNotices } from '../../../src/payouts/notices/rail-notices.ts';
import { payouts as payoutTable } from '../../../src/payouts/payout/payout-table.ts';
import { returnPayout } from '../../../src/payouts/returns/return-payout.ts';
import { createLogger } from '../../../src/process/log.ts';
import { RAIL_NOTICE_KINDS, type Rail } from '../../../src/rails/rail.ts';
import { createRails, type Rails } from '../../../src/rails/rails.ts';
import type { Instant } from '../../../src/values/clock.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { toAlias } from '../../support/instructions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { reportCounts, stopAutovacuum } from '../../support/statistics.ts';

const log = createLogger('silent', 'test');
const DAY_MS = 86_400_000;
const NO_PARTIES = { all: () => [] };
const NO_BOOK = '00000000-0000-0000-0000-000000000000';
/** More than one page of notices. */
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

let warnings: string[] = [];
let failures: string[] = [];
/** Milliseconds that the clock is ahead of this machine's. */
let ahead = 0;
/** Where the clock stands still. */
let still: Instant | undefined;
const now = (): Instant => still ?? Date.now() + ahead;
const inbox = () => ({ bookId: book.id, party: 'sandbox' });
const runtime = () => ({
  ...{ pool: book.pool, committer: book.committer, rail: (name: string) => rails.get(name), clock: { now } },
  ...{
    kinds: RAIL_NOTICE_KINDS,
    party: (name: string): NoticeSender | undefined => rails.all().find((one) => one.name === name),
  },
  operatorBook: async (mode: 'test' | 'live') => (await operatorBooks(book.pool))[mode],
  secretBox: createSecretBox(database.encryptionKey),
  enqueue: () => undefined,
  openException: (bookId: Uuid, exception: OpenException) => book.committer.submit(bookId, openOnce(exception)),
  rowFailed: async (_: unknown, __: unknown, error: unknown) => warnings.push(`failed: ${error}`) > 0,
  metrics: { railFailures: { failed: (rail: string, code: string) => void failures.push(`${rail} ${code}`) } },
  warn: (error: unknown, notices?: number) => void warnings.push(`${(error as Error).message}: ${notices}`),
});
/** Copies the rail's notices, as a process does after its start, and books those that are due. */
async function copyAndTake(of = inbox()): Promise<number> {
  await new NoticeCopier(runtime()).copy('sandbox');
  return (await takeRailNotices(runtime(), of)).done;
}
async function takeAll(of = inbox()): Promise<number> {
  let taken = 0;
  for (let last = await copyAndTake(of); last > 0; last = (await takeRailNotices(runtime(), of)).done) taken += last;
  return taken;
}

/** A round of the sweeper for notices that nobody claimed, and the jobs that it enqueues. Resolves to their parties. */
async function sweptParties(): Promise<string[]> {
  const named: string[] = [];
  const context = {
    ...{
      pool: book.pool,
      clock: { now },
      isClosing: () => false,
      rails,
      acquirers: NO_PARTIES,
      processors: NO_PARTIES,
    },
    config: { IDEMPOTENCY_BODY_RETENTION_DAYS: 30, NOTICE_RETENTION_DAYS: 30 },
    enqueue: async (jobs: readonly SweptJob[]) => void named.push(...jobs.flatMap(({ ids }) => ids)),
  };
  const sweeps = sweepNotices(context, { parties: () => rails.all(), pool: 'rails', job: 'rail.notices' });
  await sweeps.find(({ name }) => name.startsWith('unclaimed'))!.round();
  for (const party of named) await new NoticeCopier(runtime()).copy(party);
  return named;
}

beforeEach(() => {
  warnings = [];
  failures = [];
  ahead = 0;
});

test('notices that are too early do not delay those behind them', async () => {
  const accountId = await book.account({ amount: 1_000_000n });
  const processing = async () => book.reserve(await book.accept({ accountId, idempotencyKey: newId() }));
  const payouts = [];
  for (let number = 0; number <= EARLY; number++) payouts.push(await processing());
  const last = payouts.at(-1)!;
  for (const { endToEndId, amount, currency } of payouts) {
    // The rail pays and reports a return at once, before the book has recorded the payment.
    await rails.sandbox.submit({
      originator: book.id,
      endToEndId,
      ...toAlias('RETURN'),
      amount,
      currency,
      notAfter: Date.now() + 60_000,
    });
  }
  await book.settle(last, { status: 'paid' });

  expect(await takeAll()).toBe(1);
  const ids = payouts.map(({ id }) => id);
  const states = [...(await payoutTable.load(book.pool, book.id, ids)).values()].map(({ status }) => status).sort();
  expect(states).toEqual([...Array.from({ length: EARLY }, () => 'processing'), 'returned']);

  for (const payout of payouts.slice(0, EARLY)) await book.settle(payout, { status: 'paid' });
  ahead = DAY_MS;
  expect(await takeAll()).toBe(EARLY);
  expect(await rails.sandbox.notices(1)).toEqual([]);
});

test('a return of a payout not yet paid is attempted at least every five minutes', async () => {
  const accountId = await book.account({ amount: 1_000_000n });
  const { endToEndId, amount, currency, id } = await book.reserve(await book.accept({ accountId }));
  const notAfter = Date.now() + 60_000;
  const instruction = { originator: book.id, endToEndId, ...toAlias('RETURN'), amount, currency, notAfter };
  await rails.sandbox.submit(instruction);
  const pauses: number[] = [];
  // Between an attempt and the look at it, no time passes.
  still = now();
  for (let attempt = 0; attempt < 9; attempt++) {
    await copyAndTake();
    const { next } = await book.row<{ next: Instant }>(
      'SELECT next_attempt_at AS next FROM rail_notices WHERE book_id = $1 AND end_to_end_id = $2',
      endToEndId,
    );
    pauses.push(Math.round((next - now()) / 1_000));
    still = next + 1_000;
  }
  ahead = still - Date.now();
  still = undefined;
  expect(pauses.slice(0, 5)).toEqual([2, 5, 15, 60, 300]);
  for (const pause of pauses.slice(5)) expect(pause).toBeLessThanOrEqual(300);
  await book.settle((await payoutTable.load(book.pool, book.id, [id])).get(id)!, { status: 'paid' });
  expect(await takeAll()).toBe(1);
  expect((await payoutTable.load(book.pool, book.id, [id])).get(id)!.status).toBe('returned');
});

test("notices of one payout are booked in the rail's order: the last one decides its status", async () => {
  const accountId = await book.account({ amount: 1_000_000n });
  const told = [];
  for (let number = 0; number < 20; number++) {
    const payout = await book.reserve(await book.accept({ accountId, idempotencyKey: newId() }));
    const { endToEndId, amount, currency } = payout;
    const notAfter = Date.now() + 60_000;
    await rails.sandbox.submit({
      originator: book.id,
      endToEndId,
      ...toAlias('PENDING'),
      amount,
      currency,
      notAfter,
    });
    await rails.sandbox.fail(book.id, endToEndId, newId());
    await rails.sandbox.complete(book.id, endToEndId, newId());
    told.push(payout.id);
  }
  expect(await takeAll()).toBe(2 * told.length);
  const states = [...(await payoutTable.load(book.pool, book.id, told)).values()].map(({ status }) => status);
  expect(new Set(states)).toEqual(new Set(['paid']));
  const { raised } = await book.row<{ raised: bigint }>(
    "SELECT count(*) AS raised FROM exceptions WHERE book_id = $1 AND kind = 'paid_after_failed'",
  );
  expect(raised).toBe(BigInt(told.length));
});

describe('about an unknown payout', () => {
  const sent = (key: string) => ({
    ...{ originator: book.id, endToEndId: endToEndId(book.id, key), ...toAlias('RETURN') },
    ...{ amount: 1_000n, currency: 'EUR', notAfter: Date.now() + 60_000 },
  });

  test('a notice is attempted until its payout exists, because the client repeats its request after a restore', async () => {
    const accountId = await book.account({ amount: 1_000_000n });
    // Sent, paid and returned before the restore: the restored books do not know this payout.
    await rails.sandbox.submit(sent('K'));
    expect(await takeAll()).toBe(0);
    expect(warnings).toEqual(['sandbox tells of payouts that are not there: 1']);
    const payout = await book.reserve(await book.accept({ accountId, idempotencyKey: 'K' }));
    expect(await rails.sandbox.submit(sent('K'))).toMatchObject({ status: 'paid' });
    await book.settle(payout, { status: 'paid' });
    ahead = DAY_MS;
    expect(await takeAll()).toBe(1);
    const settled = (await payoutTable.load(book.pool, book.id, [payout.id])).get(payout.id)!;
    expect([settled.status, settled.amountReturned]).toEqual(['returned', 1_000n]);
  });

  test('a notice becomes an exception after a month, with its evidence, and nothing is booked', async () => {
    await rails.sandbox.submit(sent('never asked for again'));
    ahead = 29 * DAY_MS;
    expect(await takeAll()).toBe(0);
    ahead = 31 * DAY_MS;
    expect(await takeAll()).toBe(1);
    expect(await rails.sandbox.notices(1)).toEqual([]);
    const found = await book.row<{ detail: string; notice: Record<string, unknown> }>(
      `SELECT e.detail, e.status, e.resource, n.status AS noticed, n.notice FROM exceptions e
       JOIN rail_notices n ON n.book_id = e.book_id AND n.id = e.resource_id
       WHERE e.book_id = $1 AND e.kind = 'notice_unclaimed'`,
    );
    expect(found).toMatchObject({ status: 'open', resource: 'rail_notice', noticed: 'exception' });
    expect(found.notice).toMatchObject({
      kind: 'returned',
      amount: 1_000,
      endToEndId: sent('never asked for again').endToEndId,
    });
    const opened = () =>
      book.rows<{ payload: string }>(
        `SELECT payload FROM events WHERE book_id = $1 AND type = 'exception.opened' AND payload LIKE '%notice_unclaimed%'`,
      );
    expect(await opened()).toHaveLength(1);
    // A worker that was killed before it marked the notice.
    await book.rows(
      `UPDATE rail_notices SET status = 'waiting', due_at = now(), next_attempt_at = now()
       WHERE book_id = $1 AND status = 'exception'`,
    );
    expect(await takeAll()).toBe(1);
    expect(await opened()).toHaveLength(1);
  });

  test('pauses between attempts grow up to a day', async () => {
    await rails.sandbox.submit(sent('asked about for long'));
    const pauses: number[] = [];
    const begun = now();
    still = begun;
    for (let attempt = 0; attempt < 16; attempt++) {
      await copyAndTake();
      const row = await book.row<{ next: Instant; attempts: number }>(
        'SELECT next_attempt_at AS next, attempts FROM rail_notices WHERE book_id = $1 AND end_to_end_id = $2',
        sent('asked about for long').endToEndId,
      );
      expect(row.attempts).toBe(attempt + 1);
      pauses.push(Math.round((row.next - now()) / 1_000));
      still = row.next + 1_000;
    }
    still = undefined;
    expect(pauses.slice(0, 5)).toEqual([2, 5, 15, 60, 300]);
    for (const [at, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(pauses[at - 1] ?? 0);
    expect(pauses.at(-1)).toBeGreaterThan(0.89 * 86_400);
    expect(pauses.at(-1)).toBeLessThanOrEqual(86_400);
    ahead = begun + 40 * DAY_MS - Date.now();
    await takeAll();
  });
});

describe('notices that cannot be booked delay no others', () => {
  let hostile: TestBook;
  afterAll(() => hostile?.close());

  /** Adds notices about payouts that no book has. */
  const tellUnknown = (originator: string, count: number) =>
    book.pool.query(
      `INSERT INTO sandbox_rail.notices (id, originator, end_to_end_id, kind, amount, reference, created_at)
       SELECT gen_random_uuid(), $1, 'CH' || number, 'returned', 5, 'R', now() FROM generate_series(1, $2) AS number`,
      [originator, count],
    );

  /** A payout that is paid and returned in full: its notice waits at the rail. */
  async function returned(of: TestBook) {
    const accountId = await of.account({ amount: 1_000_000n });
    const payout = await of.reserve(await of.accept({ accountId }));
    const { endToEndId, amount, currency } = payout;
    const notAfter = Date.now() + 60_000;
    const instruction = { originator: of.id, endToEndId, ...toAlias('RETURN'), amount, currency, notAfter };
    await rails.sandbox.submit(instruction);
    return of.settle(payout, { status: 'paid' });
  }
  const statusOf = async (of: TestBook, id: string) => (await payoutTable.load(of.pool, of.id, [id])).get(id)!.status;

  test('5,001 notices without a payout in one book do not delay a return in another', async () => {
    hostile = await openBook({ database: book.pool });
    const other = await openBook({ database: book.pool });
    // Statistics that do not know the book yet: Postgres expects one row of it, and an index on the book looks as good as any.
    const owner = createPool({ url: database.ownerUrl, name: 'owner', size: 1, log });
    await stopAutovacuum(database);
    await owner.query('ANALYZE rail_notices');
    await owner.end();
    await tellUnknown(hostile.id, 5_001);
    const payout = await returned(other);
    const { rows } = await book.pool.query(
      "UPDATE sandbox_rail.notices SET id = 'ffffffff-ffff-7fff-bfff-ffffffffffff' WHERE end_to_end_id = $1 RETURNING id",
      [payout.endToEndId],
    );
    expect(rows).toHaveLength(1);
    const enqueued = new Set<string>();
    const copier = new NoticeCopier({ ...runtime(), enqueue: (bookId) => enqueued.add(bookId) });
    expect(await copier.copy('sandbox')).toBe(5_002);
    expect(enqueued).toEqual(new Set([hostile.id, other.id]));
    await takeRailNotices(runtime(), { bookId: other.id, party: 'sandbox' });
    expect(await statusOf(other, payout.id)).toBe('returned');
    // Known notices are read again, but copied only once.
    expect(await copier.copy('sandbox')).toBe(0);
    expect(await new NoticeCopier(runtime()).copy('sandbox')).toBe(0);
    await other.close();
  });

  test('a round reads rows in proportion to its notices, also before the table was analyzed', async () => {
    const own = createPool({ url: database.applicationUrl, name: 'test', size: 1, log });
    const rowsRead = async () => {
      await own.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await book.pool.query<{ by_scan: bigint; by_index: bigint }>(
        `SELECT seq_tup_read AS by_scan, coalesce(idx_tup_fetch, 0) AS by_index
         FROM pg_stat_user_tables WHERE relname = 'rail_notices'`,
      );
      return rows[0]!;
    };
    const crowded = { bookId: hostile.id, party: 'sandbox' };
    await book.pool.query('UPDATE rail_notices SET due_at = now() WHERE book_id = $1', [hostile.id]);
    // What is postponed is not due again, however slow the machine.
    still = Date.now() + ahead + 1_000;
    await reportCounts(book.pool);
    const before = await rowsRead();
    let rounds = 0;
    const waiting = async () =>
      (await findBooksWithNotices(own, { now: now(), after: NO_BOOK, limit: 10 })).some((inbox) => inbox.due);
    for (; await waiting(); rounds++) await takeRailNotices({ ...runtime(), pool: own }, crowded);
    still = undefined;
    expect(rounds).toBeGreaterThan(1);
    const after = await rowsRead();
    expect(after.by_scan - before.by_scan).toBe(0n);
    // One row each to claim, load and record a notice; each index lookup may meet an older version first.
    expect(Number(after.by_index - before.by_index)).toBeLessThan(8 * 5_001);
    await own.end();
  });

  test('the sweeper finds a book with due notices in one step, however many it has', async () => {
    const found = await findBooksWithNotices(book.pool, { now: now() + DAY_MS, after: NO_BOOK, limit: 10 });
    expect(found).toEqual([{ bookId: hostile.id, due: true }]);
    expect(await findBooksWithNotices(book.pool, { now: 0, after: NO_BOOK, limit: 10 })).toEqual([
      { bookId: hostile.id, due: false },
    ]);
  });

  test('a notice of an unknown book is stored apart and acknowledged', async () => {
    await tellUnknown(newId(), 1);
    await tellUnknown('not an id', 1);
    const payout = await returned(book);
    await copyAndTake();
    expect(await statusOf(book, payout.id)).toBe('returned');
    expect(warnings).toContainEqual(expect.stringMatching(/^sandbox tells of books that are not ours: [12]$/));
    const kept = await book.pool.query(
      'SELECT originator, book_id FROM foreign_notices ORDER BY originator DESC LIMIT 1',
    );
    expect(kept.rows).toEqual([{ originator: 'not an id', book_id: (await operatorBooks(book.pool)).test }]);
  });

  test('H13: one that nobody claims for 30 days is an exception of the operator’s, once', async () => {
    const { test: bookId } = await operatorBooks(book.pool);
    const [young, old] = [newId(), newId()];
    const at = (days: number) => new Date(Date.now() - days * DAY_MS);
    await book.pool.query(
      `INSERT INTO foreign_notices (rail, id, originator, notice, created_at, book_id) SELECT 'sandbox', given.*, $4
       FROM unnest($1::uuid[], $2::text[], $3::jsonb[], $5::timestamptz[]) AS given`,
      [[young, old], ['', ''], ['{"reference":"B1"}', '{"reference":"B2"}'], bookId, [at(29), at(31)]],
    );
    const opened = async () =>
      (
        await book.pool.query(
          `SELECT book_id, resource_id, status, detail FROM exceptions WHERE kind = 'notice_unclaimed' AND resource_id = ANY ($1)`,
          [[young, old]],
        )
      ).rows;
    await sweptParties();
    const detail =
      'A notice of sandbox under its reference B2 is about nobody here, and was not for 30 days. Nothing was booked.';
    expect(await opened()).toEqual([{ book_id: bookId, resource_id: old, status: 'open', detail }]);
    const settled = await book.pool.query('SELECT settled_by FROM foreign_notices WHERE id = $1', [old]);
    expect(settled.rows).toEqual([{ settled_by: 'notices' }]);
    expect(await sweptParties()).toEqual([]);
    // A process that died between the two.
    await book.pool.query('UPDATE foreign_notices SET settled_at = NULL WHERE id = $1', [old]);
    expect(await sweptParties()).toEqual(['sandbox']);
    expect(await opened()).toHaveLength(1);
  });

  test('H13: so is that of a party which the settings no longer have', async () => {
    const { test: bookId } = await operatorBooks(book.pool);
    const old = newId();
    await book.pool.query(
      `INSERT INTO foreign_notices (rail, id, originator, notice, created_at, book_id) VALUES ('left', $1, '', '{}', $2, $3)`,
      [old, new Date(Date.now() - 31 * DAY_MS), bookId],
    );
    expect(await sweptParties()).toContain('left');
    const { rows } = await book.pool.query('SELECT kind FROM exceptions WHERE resource_id = $1', [old]);
    expect(rows).toEqual([{ kind: 'notice_unclaimed' }]);
    expect(await sweptParties()).not.toContain('left');
  });

  test('one that nobody claimed is an exception though a hundred older ones cannot be', async () => {
    const { test: bookId } = await operatorBooks(book.pool);
    const last = newId();
    await book.pool.query(
      `INSERT INTO foreign_notices (rail, id, originator, notice, created_at, book_id)
       SELECT 'sandbox', gen_random_uuid(), '', '{"reference":"stuck"}'::jsonb, $3::timestamptz, $2::uuid FROM generate_series(1, 100)
       UNION ALL SELECT 'sandbox', $1::uuid, '', '{"reference":"behind"}'::jsonb, $3::timestamptz + interval '1 s', $2::uuid`,
      [last, bookId, new Date(Date.now() - 31 * DAY_MS)],
    );
    const openException = async (of: Uuid, exception: OpenException) => {
      if (exception.detail.includes('reference stuck')) throw new Error('It cannot be opened');
      return book.committer.submit(of, openOnce(exception));
    };
    await new NoticeCopier({ ...runtime(), openException }).copy('sandbox');
    const { rows } = await book.pool.query('SELECT id FROM foreign_notices WHERE settled_at IS NOT NULL AND id = $1', [
      last,
    ]);
    expect(rows).toHaveLength(1);
    await new NoticeCopier(runtime()).copy('sandbox');
  });

  test('a notice booked by a process of another release is not booked again', async () => {
    const payout = await returned(book);
    const [notice] = (await rails.sandbox.notices(10_000)).filter(({ endToEndId }) => endToEndId === payout.endToEndId);
    const copier = new NoticeCopier(runtime());
    await copier.copy('sandbox');
    // One that reads the rail itself books under the same id, and acknowledges.
    await book.submit(returnPayout(book.id, payout, { id: notice!.id, amount: 1_000n, reason: null, raw: {} }));
    await rails.sandbox.acknowledge([notice!.id]);
    await takeAll();
    const { returns } = (await payoutTable.load(book.pool, book.id, [payout.id])).get(payout.id)!;
    expect(returns).toBe(1);
    expect(await book.row('SELECT status FROM rail_notices WHERE book_id = $1 AND id = $2', notice!.id)).toEqual({
      status: 'taken',
    });
  });

  test('a notice that cannot be booked in any state is an exception at once, stored as it came', async () => {
    const payout = await returned(book);
    const odd = { ...(await rails.sandbox.notices(10_000)).find((told) => told.endToEndId === payout.endToEndId)! };
    Object.assign(odd, {
      id: newId(),
      kind: 'exploded',
      reference: 'half \ud83d nul \u0000 \\u0000',
      amount: 2n ** 70n,
    });
    const characters = Array.from({ length: 1_000 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7_919) % 20_000)));
    const endless = { ...odd, id: newId(), kind: 'paid' as const, amount: null, endToEndId: characters.join('') };
    const lying: Pick<Rail, 'name' | 'mode' | 'notices' | 'acknowledge'> = {
      name: 'sandbox',
      mode: 'test',
      notices: async (_, behind) => (behind ? [] : [endless, odd]),
      acknowledge: async () => undefined,
    };
    await new NoticeCopier({ ...runtime(), party: () => lying }).copy('sandbox');
    await takeRailNotices(runtime(), inbox());
    const row = await book.row<{ notice: unknown }>(
      'SELECT status, kind, notice FROM rail_notices WHERE book_id = $1 AND id = $2',
      odd.id,
    );
    expect(row).toMatchObject({ status: 'exception', kind: 'unreadable' });
    expect(row.notice).toMatchObject({ kind: 'exploded', reference: 'half \ufffd nul  \\u0000' });
  });
});
