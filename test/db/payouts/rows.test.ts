/** Payout rows: values come back as written, and lists apply their filters. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageRequest } from '../../../src/db/page.ts';
import { markStuck } from '../../../src/operations/stuck-store.ts';
import { movedPayouts } from '../../../src/payouts/payout/moved-payouts.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { findPayoutsByEndToEndId, listPayouts, type PayoutFilter } from '../../../src/payouts/payout/payout-store.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;
let accountId: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  accountId = await book.account({ amount: 1_000_000n });
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const load = async (id: Uuid) => (await payouts.load(book.pool, book.id, [id])).get(id);

describe('a payout row', () => {
  test('keeps every column, inserted and updated', async () => {
    const first = await book.accept({
      accountId,
      metadata: { 'a"b': 'c\\d', emoji: '🏠' },
      description: 'say "hi", {x}',
    });
    const full: Payout = {
      ...first,
      id: newId(),
      endToEndId: newId(),
      status: 'returned',
      amountReturned: 700n,
      returns: 2,
      outcome: 'unknown',
      inquiries: 3,
      nextInquiryAt: first.createdAt + 1,
      sentAt: first.createdAt + 2,
      failureCode: 'rail_suspended',
      railCode: 'AC"01',
      railReference: 'R{1},\\2',
      entryIds: [newId(), newId()],
      version: 9,
      dueAt: first.createdAt + 3,
      updatedAt: first.createdAt + 4,
    };
    await payouts.insert(book.pool as never, book.id, [full]);
    expect(await load(full.id)).toEqual(full);
    const changed: Payout = {
      ...full,
      status: 'paid',
      outcome: null,
      nextInquiryAt: null,
      dueAt: null,
      entryIds: [],
      version: 10,
    };
    await payouts.update(book.pool as never, book.id, [changed]);
    expect(await load(full.id)).toEqual(changed);
  });

  test('keeps the destination of a transfer to an account', async () => {
    const target = await book.account();
    const destination = { type: 'account', accountId: target } as const;
    const payout = await book.accept({ accountId, destination, rail: 'book' });
    expect((await load(payout.id))?.destination).toEqual(destination);
  });

  test('cannot be updated when it does not exist', async () => {
    const payout = await book.accept({ accountId });
    await expect(payouts.update(book.pool as never, book.id, [{ ...payout, id: newId() }])).rejects.toThrow(
      /did not write the 1 rows/,
    );
  });

  test('is no longer stuck once a command moves it', async () => {
    const payout = await book.accept({ accountId });
    await markStuck(book.pool, movedPayouts, {
      bookId: book.id,
      id: payout.id,
      error: new Error('a bug'),
      at: Date.now(),
    });
    await book.reserve(payout);
    expect(
      await book.row('SELECT stuck_at, stuck_error FROM payouts WHERE book_id = $1 AND id = $2', payout.id),
    ).toEqual({ stuck_at: null, stuck_error: null });
  });

  test('is found by its end-to-end id, within its book only', async () => {
    const payout = await book.accept({ accountId });
    const found = await findPayoutsByEndToEndId(book.pool, book.id, [payout.endToEndId, 'none']);
    expect([...found]).toEqual([[payout.endToEndId, payout]]);
    expect(await findPayoutsByEndToEndId(book.pool, newId(), [payout.endToEndId])).toEqual(new Map());
  });
});

describe('a list', () => {
  let own: TestBook;
  /** Oldest first. Every third is paid, every second has an external id, all but the first have metadata. */
  const made: Payout[] = [];

  beforeAll(async () => {
    own = await openBook({ database: book.pool });
    const source = await own.account({ amount: 1_000_000n });
    for (let at = 0; at < 12; at++) {
      const payout = await own.accept({
        accountId: source,
        externalId: at % 2 === 0 ? 'order-7' : null,
        metadata: at === 0 ? {} : { shop: at < 6 ? 'north' : 'south', at: `${at}` },
      });
      made.push(
        at % 3 === 0
          ? await own.settle(await own.reserve(payout), { status: 'paid' })
          : at % 3 === 1
            ? await own.reserve(payout)
            : payout,
      );
    }
  });

  const idsOf = async (filter: PayoutFilter, page: Partial<PageRequest> = {}) => {
    const { rows, hasMore } = await listPayouts(own.pool, own.id, filter, { limit: 100, ...page });
    return { ids: rows.map(({ id }) => id), hasMore };
  };
  const newestFirst = (keep: (payout: Payout, at: number) => boolean) =>
    made
      .filter(keep)
      .map(({ id }) => id)
      .reverse();

  test.each<[string, () => PayoutFilter, (payout: Payout, at: number) => boolean]>([
    ['everything', () => ({}), () => true],
    ['one status', () => ({ statuses: ['paid'] }), ({ status }) => status === 'paid'],
    ['several statuses', () => ({ statuses: ['paid', 'pending'] }), ({ status }) => status !== 'processing'],
    ['a status twice', () => ({ statuses: ['paid', 'paid'] }), ({ status }) => status === 'paid'],
    ['a status that none has', () => ({ statuses: ['canceled'] }), () => false],
    ['an external id', () => ({ externalId: 'order-7' }), ({ externalId }) => externalId !== null],
    ['metadata', () => ({ metadata: { shop: 'north' } }), (_, at) => at >= 1 && at < 6],
    ['two pairs of metadata', () => ({ metadata: { shop: 'south', at: '8' } }), (_, at) => at === 8],
    [
      'metadata and statuses',
      () => ({ metadata: { shop: 'south' }, statuses: ['paid', 'processing'] }),
      ({ status }, at) => at >= 6 && status !== 'pending',
    ],
    ['since', () => ({ createdGte: made[4]!.createdAt }), ({ createdAt }) => createdAt >= made[4]!.createdAt],
    ['until', () => ({ createdLt: made[4]!.createdAt }), ({ createdAt }) => createdAt < made[4]!.createdAt],
    [
      'between',
      () => ({ createdGte: made[2]!.createdAt, createdLt: made[9]!.createdAt, statuses: ['pending', 'paid'] }),
      ({ createdAt, status }) =>
        createdAt >= made[2]!.createdAt && createdAt < made[9]!.createdAt && status !== 'processing',
    ],
  ])('of %s is newest first', async (_, filter, keep) => {
    expect(await idsOf(filter())).toEqual({ ids: newestFirst(keep), hasMore: false });
  });

  test.each<[string, PayoutFilter]>([
    ['everything', {}],
    ['several statuses', { statuses: ['paid', 'pending', 'processing'] }],
  ])('of %s is read in pages, forwards and backwards', async (_, filter) => {
    const all = newestFirst(() => true);
    expect(await idsOf(filter, { limit: 5 })).toEqual({ ids: all.slice(0, 5), hasMore: true });
    expect(await idsOf(filter, { limit: 5, startingAfter: all[4] })).toEqual({ ids: all.slice(5, 10), hasMore: true });
    expect(await idsOf(filter, { limit: 5, startingAfter: all[9] })).toEqual({ ids: all.slice(10), hasMore: false });
    expect(await idsOf(filter, { limit: 5, endingBefore: all[10] })).toEqual({ ids: all.slice(5, 10), hasMore: true });
    expect(await idsOf(filter, { limit: 5, endingBefore: all[3] })).toEqual({ ids: all.slice(0, 3), hasMore: false });
  });

  test('shows no payouts of another book', async () => {
    const { rows } = await listPayouts(own.pool, newId(), {}, { limit: 100 });
    expect(rows).toEqual([]);
  });
});
