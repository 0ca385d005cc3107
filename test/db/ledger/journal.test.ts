/** The journal in the database: no role can change it, and constraints refuse invalid rows. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAccountLines } from '../../../src/ledger/account/account-line-store.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import { loadBook } from '../../../src/ledger/book/book-store.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { entryHash, GENESIS_HASH, textDigest } from '../../../src/ledger/entry/entry-hash.ts';
import { findEntry, listEntries } from '../../../src/ledger/journal/journal-read-store.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { recordResults } from '../../../src/webhooks/deliveries/delivery-store.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;
let from: Uuid;
let to: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  [from, to] = [await book.account({ amount: 1_000n }), await book.account()];
  await book.submit(transfer({ from, to, amount: 100n }));
  await book.reserve(await book.accept({ accountId: to, amount: 50n, fee: 0n }));
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

describe.each<[string, () => string, RegExp]>([
  ["the application's role", () => database.applicationUrl, /permission denied/],
  ['the owner', () => database.ownerUrl, /is append-only/],
  ['a superuser', () => database.superuserUrl, /is append-only/],
])('%s', (_, url, words) => {
  test.each(['entries', 'postings', 'hold_steps', 'events'])(
    'can neither update, delete nor truncate %s',
    async (table) => {
      const client = new pg.Client(url());
      await client.connect();
      try {
        const { rows } = await client.query(`SELECT count(*)::int AS n FROM ${table}`);
        expect(rows[0].n).toBeGreaterThan(0);
        for (const statement of [
          `UPDATE ${table} SET book_id = book_id`,
          `DELETE FROM ${table}`,
          `TRUNCATE ${table} CASCADE`,
        ]) {
          await expect(client.query(statement), statement).rejects.toMatchObject({
            code: '42501',
            message: expect.stringMatching(words),
          });
        }
        expect((await client.query(`SELECT count(*)::int AS n FROM ${table}`)).rows).toEqual(rows);
      } finally {
        await client.end();
      }
    },
  );
});

describe('the database itself refuses', () => {
  const posting = (change: Record<string, unknown>) => {
    const row = {
      book_id: book.id,
      entry_sequence: 1n,
      ordinal: 2,
      debit_account_id: from,
      credit_account_id: to,
      amount: 1n,
      currency: 'EUR',
      debit_line: 100n,
      debit_balance_after: 0n,
      credit_line: 100n,
      credit_balance_after: 0n,
      ...change,
    };
    const names = Object.keys(row);
    return book.pool.query(
      `INSERT INTO postings (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(row),
    );
  };

  test.each`
    what                              | change                                 | code
    ${'an amount of zero'}            | ${() => ({ amount: 0n })}              | ${'23514'}
    ${'a negative amount'}            | ${() => ({ amount: -1n })}             | ${'23514'}
    ${'an account that meets itself'} | ${() => ({ credit_account_id: from })} | ${'23514'}
    ${'a line that is taken'}         | ${() => ({ debit_line: 2n })}          | ${'23505'}
    ${'an ordinal that is taken'}     | ${() => ({ ordinal: 1 })}              | ${'23505'}
  `('a posting with $what', async ({ change, code }) => {
    await expect(posting(change())).rejects.toMatchObject({ code });
  });

  test('a delivery of an unknown event', async () => {
    const endpoint = newId();
    await book.pool.query(
      `INSERT INTO webhook_endpoints (book_id, id, url, status, secret_sealed, events, created_at, updated_at)
        VALUES ($1, $2, 'https://example.com', 'enabled', '', '{*}', now(), now())`,
      [book.id, endpoint],
    );
    const key = { endpointId: endpoint, eventSequence: 999n };
    const recorded = recordResults(book.pool, book.id, [
      { ...key, attempts: 0, status: 'canceled', retryAt: null, attempt: null },
    ]);
    await expect(recorded).rejects.toMatchObject({ code: '23503' });
  });

  test('a second entry for one step of a resource', async () => {
    const resourceId = newId();
    await book.submit(transfer({ from, to, amount: 1n, resourceId }));
    await expect(book.submit(transfer({ from, to, amount: 1n, resourceId }))).rejects.toMatchObject({ code: '23505' });
  });
});

describe('an entry', () => {
  const posting = (change: { text?: { salt: Buffer; description: string }; effectiveAt?: number }): Command<Uuid> => {
    const id = newId();
    return {
      id,
      name: 'test.post',
      requestId: newId(),
      touches: [{ table: accounts, ids: [from, to, chartAccountId(book.id, 'due_operator', 'EUR')] }],
      decide(state, moment) {
        const draft = new Draft(state, { id, requestId: id }, moment);
        const fee = draft.chart('due_operator', 'EUR').id;
        const postings = [
          { debit: from, credit: to, amount: 10n },
          { debit: from, credit: fee, amount: 1n },
        ];
        return draft.finish(draft.post({ resource: 'entry', resourceId: id, step: 'done', postings, ...change }).id);
      },
    };
  };

  test('is read back as it was hashed, and the chain ends in the hash of its book', async () => {
    const text = { salt: Buffer.alloc(16, 9), description: 'Miete "März"\\ 🏠' };
    const id = await book.submit(posting({ text, effectiveAt: Date.parse('2025-12-31T23:59:59.999Z') }));
    const entry = (await findEntry(book.pool, book.id, id))!;
    expect(entry.textDigest).toEqual(textDigest(text));
    expect(entry.postings).toHaveLength(2);
    const { rows } = await listEntries(book.pool, book.id, {}, { limit: 100 });
    let previous = GENESIS_HASH;
    for (const each of rows.reverse()) {
      expect(each.hash).toEqual(entryHash(book.id, previous, { ...each, text: null }));
      previous = each.hash;
    }
    expect(await loadBook(book.pool, book.id)).toMatchObject({
      chainHash: previous,
      entrySequence: rows.at(-1)?.sequence,
    });
  });

  test('keeps its text outside the hash: after the owner erases the text, the chain still verifies', async () => {
    const text = { salt: Buffer.alloc(16, 3), description: 'personal' };
    const id = await book.submit(posting({ text }));
    const owner = new pg.Client(database.ownerUrl);
    await owner.connect();
    const erased = await owner.query('DELETE FROM entry_texts WHERE book_id = $1 AND description = $2', [
      book.id,
      'personal',
    ]);
    await owner.end();
    expect(erased.rowCount).toBe(1);
    const entry = (await findEntry(book.pool, book.id, id))!;
    const [previous] = (await listEntries(book.pool, book.id, {}, { limit: 2 })).rows.slice(1);
    expect(entry.hash).toEqual(entryHash(book.id, previous!.hash, { ...entry, text: null }));
  });
});

describe('the lines of an account', () => {
  test('are pages without gaps, newest first, from both sides, each with the balance after it', async () => {
    const [anna, bert] = [await book.account({ amount: 1_000n }), await book.account()];
    for (let n = 1n; n <= 6n; n++) await book.submit(transfer({ from: anna, to: bert, amount: n }));
    for (let n = 1n; n <= 3n; n++) await book.submit(transfer({ from: bert, to: anna, amount: n }));
    const seen = [];
    let startingAfter: string | undefined;
    for (let more = true; more; ) {
      const page = await listAccountLines(book.pool, book.id, bert, { limit: 4, startingAfter });
      seen.push(...page.rows);
      startingAfter = String(page.rows.at(-1)!.line);
      more = page.hasMore;
    }
    expect(seen.map(({ line }) => line)).toEqual([9n, 8n, 7n, 6n, 5n, 4n, 3n, 2n, 1n]);
    expect(seen.map(({ direction, amount, balanceAfter }) => [direction, amount, balanceAfter])).toEqual([
      ['debit', 3n, 15n],
      ['debit', 2n, 18n],
      ['debit', 1n, 20n],
      ['credit', 6n, 21n],
      ['credit', 5n, 15n],
      ['credit', 4n, 10n],
      ['credit', 3n, 6n],
      ['credit', 2n, 3n],
      ['credit', 1n, 1n],
    ]);
    expect((await accounts.load(book.pool, book.id, [bert])).get(bert)).toMatchObject({
      lines: 9n,
      postedCredits: 21n,
      postedDebits: 6n,
    });
  });

  test('can be paged in the other direction', async () => {
    const anna = await book.account({ amount: 5n });
    for (let n = 0; n < 4; n++) await book.fund(anna, 5n);
    const page = await listAccountLines(book.pool, book.id, anna, { limit: 2, endingBefore: '2' });
    expect([page.rows.map(({ line }) => line), page.hasMore]).toEqual([[4n, 3n], true]);
  });
});
