/** The five steps of a batch (DESIGN.md §3), each with what goes wrong without it. */

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inPipelinedTransaction, inTransaction } from '../../../src/db/transaction.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import { loadBook, lockBook, updateBook } from '../../../src/ledger/book/book-store.ts';
import { BookState } from '../../../src/ledger/command/state.ts';
import type { Table } from '../../../src/ledger/rows/table.ts';
import { acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { reservePayout } from '../../../src/payouts/payout/reserve-payout.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, payoutRequest, type TestBook, transfer } from '../../support/book.ts';
import { eventually } from '../../support/eventually.ts';
import { START } from '../../support/memory-book.ts';
import { momentAt } from '../../support/moment.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl, poolSize: 8 });
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const balance = (accountId: string) =>
  book.row<{ posted: bigint; held: bigint }>(
    'SELECT posted_credits - posted_debits AS posted, held_debits AS held FROM accounts WHERE book_id = $1 AND id = $2',
    accountId,
  );

/** Resolves once a connection to this database waits for a lock. */
const somebodyWaits = () =>
  eventually(async () => {
    const { rows } = await book.pool.query(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(rows[0].n).toBe(1n);
  });

describe('1. the lock', () => {
  test('is its own statement: later statements see the whole last commit', async () => {
    const [from, to] = [await book.account({ amount: 1_000n }), await book.account()];
    const holder = await book.pool.connect();
    await holder.query('BEGIN');
    await lockBook(holder, book.id);
    const waiting = inTransaction(book.pool, async (trx) => {
      const locked = await lockBook(trx, book.id);
      return { sequence: locked!.entrySequence, account: (await accounts.load(trx, book.id, [from])).get(from)! };
    });
    await somebodyWaits();
    await moveBy(holder, { from, to });
    await holder.query('COMMIT');
    holder.release();
    const seen = await waiting;
    expect(seen.sequence).toBe((await loadBook(book.pool, book.id))!.entrySequence);
    expect(seen.account.postedDebits).toBe(1n);
  });

  test('combined with the load in one statement would return the new sequence with the old balances', async () => {
    const [from, to] = [await book.account({ amount: 1_000n }), await book.account()];
    const holder = await book.pool.connect();
    await holder.query('BEGIN');
    await lockBook(holder, book.id);
    const before = (await loadBook(book.pool, book.id))!.entrySequence;
    const combined = book.row<{ entry_sequence: bigint; posted_debits: bigint }>(
      `SELECT b.entry_sequence, a.posted_debits FROM books b JOIN accounts a ON a.book_id = b.id
       WHERE b.id = $1 AND a.id = $2 FOR NO KEY UPDATE OF b`,
      from,
    );
    await somebodyWaits();
    await moveBy(holder, { from, to });
    await holder.query('COMMIT');
    holder.release();
    // After the wait Postgres reads only the locked row again.
    expect(await combined).toEqual({ entry_sequence: before + 1n, posted_debits: 0n });
  });

  test('allows inserts of rows that reference the book, unlike FOR UPDATE', async () => {
    const insertKey = (client: pg.Client) =>
      client.query(
        `INSERT INTO api_keys (book_id, id, name, hash, prefix, last_four, scopes, created_at)
         VALUES ($1, gen_random_uuid(), 'k', sha256(gen_random_uuid()::text::bytea), 'sk', '0000', '{*}', now())`,
        [book.id],
      );
    const client = new pg.Client(database.applicationUrl);
    await client.connect();
    await client.query("SET lock_timeout = '50ms'");
    const holder = await book.pool.connect();
    await holder.query('BEGIN');
    await lockBook(holder, book.id);
    expect((await insertKey(client)).rowCount).toBe(1);
    await holder.query('SELECT FROM books WHERE id = $1 FOR UPDATE', [book.id]);
    await expect(insertKey(client)).rejects.toMatchObject({ code: '55P03' });
    await holder.query('ROLLBACK');
    holder.release();
    await client.end();
  });

  /** Does by hand what a batch does: moves one unit from one account to the other. */
  async function moveBy(trx: Parameters<typeof lockBook>[0], { from, to }: { from: string; to: string }) {
    const state = await stateOf(trx, [from, to]);
    state.apply(transfer({ from, to, amount: 1n }).decide(state, momentAt(Date.now())));
    const [writes] = state.rowWrites();
    await accounts.update(trx, book.id, writes!.updated as never);
    await trx.query({
      text: `INSERT INTO entries (book_id, sequence, id, resource, resource_id, step, posted_at, effective_at, request_id, hash)
        VALUES ($1, $2, $3, 'transfer', $3, 'done', now(), now(), $3, $4)`,
      values: [book.id, state.book.entrySequence, newId(), Buffer.from(state.book.chainHash, 'hex')],
    });
    await updateBook(trx, { ...state.book, batchId: newId() }, { after: state.book.batchId });
  }
});

async function stateOf(trx: Parameters<typeof lockBook>[0], ids: string[]): Promise<BookState> {
  const state = new BookState((await loadBook(trx, book.id))!, []);
  state.admit(accounts as Table<unknown>, ids, await accounts.load(trx, book.id, ids));
  return state;
}

describe('2. the load', () => {
  test("is one state for all commands: different commands on one account see each other's changes", async () => {
    const [from, to] = [await book.account({ amount: 5_000n }), await book.account()];
    const payout = await book.accept({ accountId: from, amount: 1_000n, fee: 5n });
    const commits = book.batches.length;
    await Promise.all([
      book.submit(transfer({ from, to, amount: 700n })),
      book.submit(acceptPayout(payoutRequest(book.id, { accountId: from, amount: 200n, fee: 0n }))),
      book.reserve(payout),
      book.submit(transfer({ from: to, to: from, amount: 100n })),
    ]);
    expect(book.batches.slice(commits)).toEqual([4]);
    expect(await balance(from)).toEqual({ posted: 3_400n, held: 205n });
    expect(await balance(to)).toEqual({ posted: 600n, held: 0n });
  });

  test("with a copy for each command would lose the first command's change", async () => {
    const [from, to] = [await book.account({ amount: 5_000n }), await book.account()];
    const payout = await book.accept({ accountId: from, amount: 1_000n, fee: 5n });
    await inTransaction(book.pool, async (trx) => {
      await lockBook(trx, book.id);
      const copies = [];
      for (const command of [transfer({ from, to, amount: 700n }), reservePayout(book.id, payout)]) {
        const state = new BookState((await loadBook(trx, book.id))!, []);
        for (const { table, ids } of command.touches) state.admit(table, ids, await table.load(trx, book.id, [...ids]));
        state.apply(command.decide(state, momentAt(Date.now())));
        copies.push(state.account(from)!);
      }
      for (const copy of copies) await accounts.update(trx, book.id, [copy]);
      // The row has lost the transfer's 700, although both commands were decided and written.
      const row = (await accounts.load(trx, book.id, [from])).get(from)!;
      expect([row.postedDebits, row.lines]).toEqual([1_000n, 2n]);
      await trx.query('ROLLBACK');
      await trx.query('BEGIN');
    });
  });

  test('takes one query a table, whatever the batch size', async () => {
    const accountIds = await Promise.all(Array.from({ length: 50 }, () => book.account({ amount: 100n })));
    const [one, many] = [await statementsOf([accountIds[0]!]), await statementsOf(accountIds)];
    expect(many).toEqual(one);
    expect(many.filter((name) => name === 'accounts.load_few')).toHaveLength(1);
  });

  /** Statement names of one batch that accepts a payout from each account. */
  async function statementsOf(accountIds: string[]): Promise<string[]> {
    // A batch without these accounts, so that the next batch has to load them.
    await book.account();
    const names: string[] = [];
    const connect = vi.spyOn(book.pool, 'connect').mockImplementationOnce(async () => {
      connect.mockRestore();
      const client = await book.pool.connect();
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      client.query = ((first: { name?: string } | string, ...rest: unknown[]) => {
        names.push(typeof first === 'string' ? first : (first.name ?? '?'));
        return query(first, ...rest);
      }) as typeof client.query;
      const release = client.release.bind(client);
      client.release = (error) => {
        client.query = query as typeof client.query;
        client.release = release;
        release(error);
      };
      return client;
    });
    await Promise.all(
      accountIds.map((accountId) =>
        book.submit(acceptPayout(payoutRequest(book.id, { accountId, amount: 1n, fee: 0n }))),
      ),
    );
    return names;
  }
});

describe('3. the decision', () => {
  test('is dated by the book when the clock is behind the book', async () => {
    let now = START;
    const own = await openBook({ database: book.pool, clock: { now: () => now } });
    const [from, to] = [await own.account({ amount: 10n }), await own.account()];
    now = START - 3_600_000;
    await own.submit(transfer({ from, to, amount: 1n }));
    now = START + 1;
    await own.submit(transfer({ from, to, amount: 1n }));
    const entries = await own.rows('SELECT posted_at, effective_at FROM entries WHERE book_id = $1 ORDER BY sequence');
    expect(entries).toEqual([START, START, START + 1].map((at) => ({ posted_at: at, effective_at: at })));
    expect(await own.row('SELECT last_posted_at FROM books WHERE id = $1')).toEqual({ last_posted_at: START + 1 });
    await own.close();
  });

  test('of one command without funds does not affect the other commands', async () => {
    const [from, to] = [await book.account({ amount: 100n }), await book.account()];
    const results = await Promise.allSettled(
      [60n, 60n, 40n].map((amount) => book.submit(transfer({ from, to, amount }))),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await balance(to)).toEqual({ posted: 100n, held: 0n });
  });
});

describe('4. the write', () => {
  test('writes each row once, however often it changed', async () => {
    const [hot, to] = [await book.account({ amount: 1_000n }), await book.account()];
    const update = vi.spyOn(accounts, 'update');
    await Promise.all(Array.from({ length: 10 }, () => book.submit(transfer({ from: hot, to, amount: 1n }))));
    const written = update.mock.calls.map(([, , rows]) => rows.map(({ id }) => id).sort());
    update.mockRestore();
    expect(written).toEqual([[hot, to].sort()]);
  });

  test('of a missing row commits nothing', async () => {
    const [from, to] = [await book.account({ amount: 10n }), await book.account()];
    const before = await loadBook(book.pool, book.id);
    const original = accounts.load;
    const load = vi.spyOn(accounts, 'load').mockImplementation(async (trx, bookId, ids) => {
      const loaded = await original(trx, bookId, ids);
      // Simulates a row that vanishes between load and update.
      return new Map([...loaded].map(([id, account]) => [id, id === to ? { ...account, id: newId() } : account]));
    });
    await expect(book.submit(transfer({ from, to, amount: 1n }))).rejects.toThrow(
      /accounts.update_few: did not write the 2 rows it was given/,
    );
    load.mockRestore();
    expect(await loadBook(book.pool, book.id)).toEqual(before);
  });

  test('that cannot be sent commits nothing, although the other writes were sent', async () => {
    const [from, to] = [await book.account({ amount: 10n }), await book.account()];
    const before = await loadBook(book.pool, book.id);
    const update = vi.spyOn(accounts, 'update').mockImplementation(async () => {
      throw new RangeError('No number for this amount');
    });
    await expect(book.submit(transfer({ from, to, amount: 1n }))).rejects.toThrow('No number for this amount');
    update.mockRestore();
    expect(await loadBook(book.pool, book.id)).toEqual(before);
  });

  test('is skipped without changes: the book stays as it was', async () => {
    const payout = await book.accept({ accountId: await book.account({ amount: 5_000n }) });
    await book.reserve(payout);
    const before = await book.row('SELECT xmin::text, * FROM books WHERE id = $1');
    await book.reserve(payout);
    expect(await book.row('SELECT xmin::text, * FROM books WHERE id = $1')).toEqual(before);
  });

  test('opens chart accounts in the same commit as their first posting', async () => {
    const own = await openBook({ database: book.pool });
    await own.account({ currency: 'JOD', amount: 5n });
    const ids = await own.rows<{ id: string }>("SELECT id FROM accounts WHERE book_id = $1 AND code = 'pool'");
    expect(ids).toEqual([{ id: chartAccountId(own.id, 'pool', 'JOD') }]);
    await own.close();
  });
});

describe('5. the commit', () => {
  test('that Postgres answers with ROLLBACK is an error', async () => {
    const attempt = inTransaction(book.pool, async (trx) => {
      await trx.query('SELECT 1 / 0').catch(() => undefined);
      return 'as if nothing had happened';
    });
    await expect(attempt).rejects.toMatchObject({ name: 'CommitUnconfirmed', tag: 'ROLLBACK' });
  });

  test('is the last statement: a later one is refused, and does not run on its own', async () => {
    const attempt = inPipelinedTransaction(book.pool, async (trx, { commitBehind }) => {
      await trx.query('SELECT 1');
      commitBehind();
      await trx.query('CREATE TEMP TABLE late ()');
    });
    await expect(attempt).rejects.toThrow('committing already');
    await expect(book.pool.query('SELECT FROM late')).rejects.toMatchObject({ code: '42P01' });
  });

  test('comes before any answer and any job', async () => {
    const accountId = await book.account({ amount: 5_000n });
    const seen: unknown[] = [];
    const own = await openBook({
      database: book.pool,
      bookId: book.id,
      enqueue: (_, jobs) => {
        for (const { id } of jobs) seen.push(own.pool.query('SELECT status FROM payouts WHERE id = $1', [id]));
      },
    });
    await own.accept({ accountId });
    const rows = await Promise.all(seen as Promise<pg.QueryResult>[]);
    expect(rows.map(({ rows: [row] }) => row)).toEqual([{ status: 'pending' }]);
    await own.close();
  });

  test('leaves its connection clean: the next user finds no open transaction', async () => {
    await expect(inTransaction(book.pool, (trx) => trx.query('SELECT 1 / 0'))).rejects.toMatchObject({ code: '22012' });
    const states = await Promise.all(
      Array.from({ length: 8 }, () => book.pool.query('SELECT pg_current_xact_id_if_assigned() AS id')),
    );
    expect(states.every(({ rows }) => rows[0].id === null)).toBe(true);
  });
});
