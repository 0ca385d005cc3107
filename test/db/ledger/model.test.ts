/**
 * The pure core and the real database run the same random commands. Postgres must hold what memory decided, to the
 * hash, in whatever batches the commands are committed.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lowBalances } from '../../../src/accounts/account/low-balance.ts';
import { EARLIEST_FORMS } from '../../../src/db/forms.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { idempotencyKeys } from '../../../src/idempotency/idempotency-table.ts';
import type { Account } from '../../../src/ledger/account/account.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import { loadBook } from '../../../src/ledger/book/book-store.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import type { BookState } from '../../../src/ledger/command/state.ts';
import { type BatchContext, type BatchResult, type Decision, runBatch } from '../../../src/ledger/commit/batch.ts';
import { runSharedBatch } from '../../../src/ledger/commit/shared-batch.ts';
import { holds } from '../../../src/ledger/hold/hold-table.ts';
import { listEntries } from '../../../src/ledger/journal/journal-read-store.ts';
import type { Table } from '../../../src/ledger/rows/table.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { payoutReturns } from '../../../src/payouts/returns/payout-return-table.ts';
import { createLogger } from '../../../src/process/log.ts';
import { NO_SINK, openBook } from '../../support/book.ts';
import { RETURNS_APART } from '../../support/forms.ts';
import { MemoryBook, START } from '../../support/memory-book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { anyAction, inBatches, play } from '../../support/random-commands.ts';
import { runs } from '../../support/runs.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 4, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const actions = fc.array(anyAction, { minLength: 20, maxLength: 100 }).map((list) => [
  { do: 'open', overdraft: 0 } as const,
  { do: 'fund', account: 0, amount: 1_000 } as const,
  // Closing an account sees payouts in flight as of the start of its batch: see core-properties.test.ts.
  ...list.filter((action) => action.do !== 'status' || action.action !== 'close'),
]);
/** Before the contract, and after it. */
const formsWritten = fc.constantFrom(EARLIEST_FORMS, RETURNS_APART);
const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });

test('the same commands give the same answers, rows, entries, hashes and events', async () => {
  await fc.assert(
    fc.asyncProperty(actions, sizes, fc.boolean(), formsWritten, async (list, batchSizes, ahead, forms) => {
      const { id, committer } = await openBook({ database: pool });
      await committer.close();
      const memory = new MemoryBook({ id }, forms);
      const played = play(memory, list);
      const context = { pool, clock: { now: () => START }, sink: NO_SINK, forms, watch: lowBalances };
      const batches = inBatches(
        played.map(({ command }) => command),
        batchSizes,
      );
      const decisions = await (ahead ? runAhead(context, id, batches) : runInTurn(context, id, batches));
      expect(decisions).toEqual(played.map(({ decision }) => decision));
      await sameBook(memory);
    }),
    { numRuns: runs(40), endOnFailure: true },
  );
});

type Batches = readonly (readonly Command<unknown>[])[];

async function runInTurn(context: BatchContext, bookId: BookId, batches: Batches): Promise<Decision[]> {
  const decisions: Decision[] = [];
  for (const commands of batches) decisions.push(...(await runBatch(context, { bookId, commands })).decisions);
  return decisions;
}

/** Decides each batch over the state the batch before leaves, while that one is written. All of them commit. */
async function runAhead(context: BatchContext, bookId: BookId, batches: Batches): Promise<Decision[]> {
  const decisions: Decision[] = [];
  let follows: BookState | undefined;
  let last: Promise<BatchResult> | undefined;
  for (const commands of batches) {
    let running!: Promise<BatchResult>;
    const decided = new Promise<BookState>((onDecided, reject) => {
      running = runBatch(context, { bookId, commands, follows, onDecided });
      running.catch(reject);
    });
    follows = await decided;
    if (last) decisions.push(...(await last).decisions);
    last = running;
  }
  if (last) decisions.push(...(await last).decisions);
  return decisions;
}

async function sameBook(memory: MemoryBook): Promise<void> {
  const { id } = memory.book;
  expect(await loadBook(pool, id)).toEqual({ ...memory.book, batchId: expect.any(String) });
  await sameEntries(memory);
  await sameEvents(memory);
  const tables: Table<unknown>[] = [accounts, holds, payouts, payoutReturns, idempotencyKeys];
  for (const table of tables) {
    const ids = [...memory.rows(table).keys()];
    expect(await table.load(pool as never, id, ids), table.name).toEqual(memory.rows(table));
  }
}

async function sameEntries(memory: MemoryBook): Promise<void> {
  const entries = [];
  let startingAfter: string | undefined;
  for (let more = true; more; ) {
    const page = await listEntries(pool, memory.book.id, {}, { limit: 100, startingAfter });
    entries.unshift(...page.rows.reverse());
    startingAfter = String(entries[0]?.sequence);
    more = page.hasMore;
  }
  expect(entries).toEqual(memory.entries.map(({ text: _, ...entry }) => entry));
}

async function sameEvents(memory: MemoryBook): Promise<void> {
  const { rows } = await pool.query(
    'SELECT sequence, id, type, object_id, request_id, actor, created_at, payload FROM events WHERE book_id = $1 ORDER BY sequence',
    [memory.book.id],
  );
  expect(rows).toEqual(
    memory.events.map((event) => ({
      sequence: event.sequence,
      id: event.id,
      type: event.type,
      object_id: event.objectId,
      request_id: event.requestId,
      actor: event.actor,
      created_at: event.createdAt,
      payload: event.payload,
    })),
  );
}

/** As the committer: a command that touches a table that is not shared goes by itself. */
const isShared = ({ touches }: Command<unknown>) => touches.every(({ table }) => table.pairs !== undefined);

function apartUnlessShared(batch: readonly Command<unknown>[]): Command<unknown>[][] {
  const parts: Command<unknown>[][] = [];
  for (const command of batch) {
    const last = parts.at(-1);
    if (last?.every(isShared) && isShared(command)) last.push(command);
    else parts.push([command]);
  }
  return parts;
}

/** Fewer commands a book: there are several. */
const actionsOfBooks = fc.array(
  actions.map((list) => list.slice(0, 40)),
  { minLength: 2, maxLength: 4 },
);

test('and so do those of several books that share their batches', async () => {
  await fc.assert(
    fc.asyncProperty(actionsOfBooks, sizes, formsWritten, async (lists, batchSizes, forms) => {
      const books = [];
      for (const list of lists) {
        const { id, committer } = await openBook({ database: pool });
        await committer.close();
        const memory = new MemoryBook({ id }, forms);
        books.push({ id, memory, played: play(memory, list), decisions: [] as Decision[] });
      }
      const context = { pool, clock: { now: () => START }, sink: NO_SINK, forms, watch: lowBalances };
      // Of each round a book takes a batch of its own size, until it has none left.
      const waiting = books.map(({ id, played }, at) => ({
        bookId: id,
        batches: inBatches(
          played.map(({ command }) => command),
          [...batchSizes.slice(at % batchSizes.length), ...batchSizes],
        ).flatMap(apartUnlessShared),
      }));
      for (let round = 0; waiting.some(({ batches }) => round < batches.length); round++) {
        const taken = waiting
          .filter(({ batches }) => round < batches.length)
          .map(({ bookId, batches }) => ({ bookId, commands: batches[round]! }));
        const together = taken.filter(({ commands }) => commands.every(isShared));
        const { decided } = await runSharedBatch(context, { books: together, wait: round % 2 === 1 });
        expect([...decided.keys()].sort()).toEqual(together.map(({ bookId }) => bookId).sort());
        const results = new Map<BookId, BatchResult>(decided);
        for (const one of taken) if (!together.includes(one)) results.set(one.bookId, await runBatch(context, one));
        for (const book of books) book.decisions.push(...(results.get(book.id)?.decisions ?? []));
      }
      for (const { memory, played, decisions } of books) {
        expect(decisions).toEqual(played.map(({ decision }) => decision));
        await sameBook(memory);
      }
    }),
    { numRuns: runs(20), endOnFailure: true },
  );
});

test('an account row comes back as it was written, at the limits of its columns', async () => {
  const { id } = await openBook({ database: pool });
  const account: Account = {
    id: '018f4d3e-7b2a-7000-8000-000000000001',
    code: 'customer',
    side: 'credit',
    currency: 'EUR',
    status: 'frozen',
    postedDebits: 2n ** 63n - 1n,
    postedCredits: 2n ** 63n - 1n,
    heldDebits: 2n ** 53n + 1n,
    heldCredits: 0n,
    floor: -(2n ** 63n),
    lines: 2n ** 53n + 1n,
    alertBelow: 2n ** 53n + 1n,
  };
  await accounts.insert(pool as never, id, [
    account,
    { ...account, id: '018f4d3e-7b2a-7000-8000-000000000002', floor: null, alertBelow: null },
  ]);
  const loaded = await accounts.load(pool as never, id, [account.id]);
  expect(loaded.get(account.id)).toEqual(account);
  await accounts.update(pool as never, id, [{ ...account, status: 'closed', heldDebits: 0n }]);
  expect((await accounts.load(pool as never, id, [account.id])).get(account.id)).toEqual({
    ...account,
    status: 'closed',
    heldDebits: 0n,
  });
});
