/** Returns of a payout in Postgres: their pages, and that ten thousand of one payout cost the same each. */
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EARLIEST_FORMS, type Forms } from '../../../src/db/forms.ts';
import type { PageRequest } from '../../../src/db/page.ts';
import { createPool } from '../../../src/db/pool.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { listReturns } from '../../../src/payouts/returns/payout-return-store.ts';
import { returnPayout } from '../../../src/payouts/returns/return-payout.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { RETURNS_APART } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

async function paid(book: TestBook, amount: bigint): Promise<Payout> {
  const accountId = await book.account({ amount: amount + 5n });
  return book.settle(await book.reserve(await book.accept({ accountId, amount })), { status: 'paid' });
}

const giveBack = (book: TestBook, payout: Payout, amount: bigint, id: Uuid = newId()) =>
  book.submit(returnPayout(book.id, payout, { id, amount, reason: 'AC04', raw: { amount: `${amount}` } }));

describe.each<[string, Forms]>([
  ['before the contract', EARLIEST_FORMS],
  ['after the contract', RETURNS_APART],
])('returns of a payout, %s', (_, forms) => {
  let book: TestBook;
  let payout: Payout;

  beforeAll(async () => {
    // A clock that stands still at times: several returns have one moment, and ids of the rail tell no order.
    let ticks = 0;
    book = await openBook({
      database: database.applicationUrl,
      forms,
      clock: { now: () => 1e12 + 10 * (ticks++ >> 3) },
    });
    payout = await paid(book, 100n);
    await giveBack(book, await paid(book, 100n), 1n);
    for (let part = 1n; part <= 7n; part++) payout = await giveBack(book, payout, part, randomId(part));
  });
  afterAll(() => book?.close());

  const randomId = (part: bigint) => `${(part * 5n) % 8n}0000000-0000-8000-8000-000000000000`;
  const of = (page: Partial<PageRequest>) =>
    listReturns(book.pool, { bookId: book.id, payoutId: payout.id }, { limit: 100, ...page });
  const order = async () => (await of({})).rows.map(({ id }) => id);

  test('are listed by time, newest first, and by id within a moment', async () => {
    const { rows, hasMore } = await of({});
    expect(hasMore).toBe(false);
    expect(rows.map(({ amount }) => amount).sort()).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n]);
    const keys = rows.map(({ createdAt, id }) => `${createdAt} ${id}`);
    expect(keys).toEqual([...keys].sort().reverse());
    expect(rows.every(({ reason, payoutId }) => reason === 'AC04' && payoutId === payout.id)).toBe(true);
  });

  test.each([1, 2, 3, 7, 100])(
    'page by page of %i they are all there, each once, in both directions',
    async (limit) => {
      const all = await order();
      const on = [];
      for (let last: Uuid | undefined, more = true; more; last = on.at(-1)) {
        const { rows, hasMore } = await of({ limit, ...(last && { startingAfter: last }) });
        on.push(...rows.map(({ id }) => id));
        more = hasMore;
      }
      expect(on).toEqual(all);
      const back = [all.at(-1)!];
      for (let more = true; more; ) {
        const { rows, hasMore } = await of({ limit, endingBefore: back[0]! });
        back.unshift(...rows.map(({ id }) => id));
        more = hasMore;
      }
      expect(back).toEqual(all);
    },
  );

  test('a cursor that is no return of the payout is refused', async () => {
    const [other] = await book.rows<{ id: Uuid }>(
      'SELECT id FROM payout_returns WHERE book_id = $1 AND payout_id <> $2',
      payout.id,
    );
    await expect(of({ startingAfter: other!.id })).rejects.toMatchObject({ code: 'cursor_invalid' });
    await expect(of({ endingBefore: newId() })).rejects.toMatchObject({ code: 'cursor_invalid' });
  });
});

/** What the committer sends to Postgres: statements, and the bytes of their parameters. */
interface Sent {
  statements: number;
  bytes: number;
}

const COUNTED_EACH = 100;
const RETURNS = 10_000;

test('ten thousand returns of one payout cost the same each', async () => {
  const pool = createPool({ url: database.applicationUrl, name: 'test', size: 2, log: createLogger('silent', 'test') });
  const sent: Sent = { statements: 0, bytes: 0 };
  pool.on('connect', (client) => countInto(sent, client));
  const book = await openBook({ database: pool, forms: RETURNS_APART });
  try {
    const payout = await paid(book, BigInt(2 * RETURNS + 1));
    const first = await costOf(book, payout, sent);
    for (let made = COUNTED_EACH; made < RETURNS - COUNTED_EACH; made += 900)
      await Promise.all(
        Array.from({ length: Math.min(900, RETURNS - COUNTED_EACH - made) }, () => giveBack(book, payout, 2n)),
      );
    const last = await costOf(book, payout, sent);

    expect(last.statements).toBe(first.statements);
    expect(last.rows).toEqual(first.rows);
    // Numbers have more digits at the end, and nothing else has grown.
    expect(last.bytes / first.bytes).toBeLessThan(1.02);
    expect(last.payoutBytes).toBe(first.payoutBytes);
    expect(last.eventBytes - first.eventBytes).toBeLessThan(64);

    const now = (await payouts.load(pool, book.id, [payout.id])).get(payout.id)!;
    expect(now).toMatchObject({ status: 'paid', amountReturned: BigInt(2 * RETURNS), returns: 0 });
    expect(now.entryIds).toEqual(payout.entryIds);
    expect(
      await book.row('SELECT count(*) AS n FROM payout_returns WHERE book_id = $1 AND payout_id = $2', payout.id),
    ).toEqual({ n: BigInt(RETURNS) });
  } finally {
    await book.close();
    await pool.end();
  }
});

function countInto(sent: Sent, client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  client.query = ((asked: string | { values?: unknown[] }, ...rest: unknown[]) => {
    const values = typeof asked === 'string' ? rest[0] : asked.values;
    sent.statements++;
    if (Array.isArray(values)) for (const value of values) sent.bytes += Buffer.byteLength(String(value));
    return query(asked, ...rest);
  }) as typeof client.query;
}

const TABLES = [
  'entries',
  'postings',
  'events',
  'payout_returns',
  'rail_answers',
  'payouts',
  'accounts',
  'personal_texts',
];

/** Books a hundred returns, one by one. */
async function costOf(book: TestBook, payout: Payout, sent: Sent) {
  const before = await rowsOf(book);
  const begun = { ...sent };
  for (let n = 0; n < COUNTED_EACH; n++) await giveBack(book, payout, 2n);
  const { statements, bytes } = { statements: sent.statements - begun.statements, bytes: sent.bytes - begun.bytes };
  const after = await rowsOf(book);
  const sizes = await book.row<{ payout: number; event: number }>(
    `SELECT pg_column_size(p.*) AS payout, octet_length(e.payload) AS event FROM payouts p
     JOIN events e ON e.book_id = p.book_id AND e.object_id = p.id
     WHERE p.book_id = $1 AND p.id = $2 ORDER BY e.sequence DESC LIMIT 1`,
    payout.id,
  );
  const rows = Object.fromEntries(TABLES.map((table) => [table, after[table]! - before[table]!]));
  return { statements, bytes, rows, payoutBytes: sizes.payout, eventBytes: sizes.event };
}

const rowsOf = (book: TestBook) =>
  book.row<Record<string, bigint>>(
    `SELECT ${TABLES.map((table) => `(SELECT count(*) FROM ${table} WHERE book_id = $1) AS ${table}`).join(', ')}`,
  );
