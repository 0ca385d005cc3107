/**
 * Declarations and the schema agree: for every table and log of every group, its columns, and its statements in both
 * forms, over two books with real rows. A new table without rows in the play below fails and names itself: play it.
 */

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ColumnType } from '../../../src/db/declared-columns.ts';
import { createPool, type Pool, type Transaction } from '../../../src/db/pool.ts';
import { GROUPS, RESOURCES, TABLES_AND_LOGS } from '../../../src/groups.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import type { BookRow } from '../../../src/ledger/rows/table.ts';
import { type DeclaredLog, type DeclaredTable, isTable } from '../../../src/ledger/rows/table-of.ts';
import { recordUnknown } from '../../../src/payouts/outcomes/await-outcome.ts';
import { resolvePayout } from '../../../src/payouts/resolution/resolve-payout.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { GROUPS_ON_WIRE } from '../../e2e/transcript/groups/groups.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { acceptOne, askReader, say, settleAll, tellOfDispute } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { fillBook } from '../../support/verify-scene.ts';

type Declared = DeclaredTable<unknown> | DeclaredLog<unknown>;

const ALL: readonly Declared[] = TABLES_AND_LOGS;
const TABLES = ALL.filter(isTable);
const LOGS = ALL.filter((declared): declared is DeclaredLog<unknown> => !isTable(declared));

/** As Postgres names the types of columns. */
const STORED_AS: Readonly<Record<ColumnType, string>> = {
  uuid: 'uuid',
  text: 'text',
  code: 'text',
  smallint: 'smallint',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
  timestamptz: 'timestamp(3) with time zone', // whole milliseconds, as an Instant counts them
  bytea: 'bytea',
  hex: 'bytea',
  'json text': 'text',
  jsonb: 'jsonb',
  'text list': 'text[]',
};

const log = createLogger('silent', 'test');
/** What the committer appended to each log, as it was handed over. */
const appended = new Map<Declared, BookRow<unknown>[]>(LOGS.map((each) => [each, []]));
let database: TestDatabase;
let books: readonly TestBook[];
let pool: Pool;
/** One connection on which each table's name means an empty table of the same shape. */
let aside: Pool;

beforeAll(async () => {
  for (const each of LOGS) {
    const append = each.append.bind(each);
    vi.spyOn(each, 'append').mockImplementation(async (trx, bookId, rows) => {
      await append(trx, bookId, rows);
      appended.get(each)!.push(...rows.map((row) => ({ bookId, row })));
    });
  }
  database = await createTestDatabase();
  const open = () => openBook({ database: database.applicationUrl, sink: webhookSink, forms: LATEST_FORMS });
  books = [await open(), await open()];
  for (const book of books) await play(book);
  vi.restoreAllMocks();
  pool = createPool({ url: database.superuserUrl, name: 'test', size: 1, log });
  aside = createPool({ url: database.superuserUrl, name: 'test aside', size: 1, log });
  for (const { name } of ALL) await aside.query(`CREATE TEMP TABLE ${name} (LIKE public.${name} INCLUDING ALL)`);
});

afterAll(async () => {
  for (const book of books ?? []) await book.close();
  await pool?.end();
  await aside?.end();
  await database?.drop();
});

/** A book with a row of every kind: what verification looks at, a payout that a person resolved, and metadata. */
async function play(book: TestBook): Promise<void> {
  await fillBook(book);
  const accountId = await book.account({ amount: 10_000n });
  const payout = await book.reserve(await book.accept({ accountId, metadata: { order: '17' }, description: 'Rent' }));
  await book.submit(recordUnknown(book.id, payout, { call: 'submit', nextInquiryMs: 1_000, raw: {} }));
  const evidence = Buffer.from('a line of a statement');
  await book.submit(
    resolvePayout(book.id, payout, {
      outcome: 'paid',
      actor: 'operator:test',
      evidenceName: 'statement.txt',
      evidenceSha256: hash('sha256', evidence, 'buffer'),
      evidence,
      evidenceSealed: Buffer.from('sealed'),
      exceptionIds: [],
    }),
  );
  const paid = await acceptOne(book, { accountId, storeFor: 'customer-1' });
  await say(book, paid, {});
  await settleAll(book);
  await tellOfDispute(book, paid.operation, { amount: 5_000n });
  await askReader(book, { accountId });
  // The endpoint of the play is written as an administrator would, and no object of it is erased.
  await book.rows(`UPDATE webhook_endpoints SET text_salt = '\\x0a' WHERE book_id = $1`);
  const owner = createPool({ url: database.ownerUrl, name: 'test owner', size: 1, log });
  await owner.query(
    `INSERT INTO erasures (book_id, id, object, object_id, actor, fields, begun_at, finished_at)
     VALUES ($1, $2, 'payout', $2, 'operator:test', '{description,metadata}', now(), now())`,
    [book.id, newId()],
  );
  await owner.query(
    `INSERT INTO payment_releases (book_id, id, share_id, round, account_id, amount, currency, entry_id, version, created_at, updated_at)
     SELECT book_id, $2, id, round, account_id, amount, currency, $2, 1, now(), now() FROM payment_shares WHERE book_id = $1 AND amount > 0`,
    [book.id, newId()],
  );
  await owner.end();
  for (const { rows } of GROUPS_ON_WIRE) await rows?.(book);
}

describe.each(ALL.map((declared) => [declared.name, declared] as const))('%s', (name, declared) => {
  test('has the columns of its declaration, and no other that must be written', async () => {
    const { rows } = await pool.query<{ name: string; type: string; required: boolean }>(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type,
              attnotnull AND NOT atthasdef AND attidentity = '' AND attgenerated = '' AS required
         FROM pg_attribute WHERE attrelid = to_regclass('public.' || $1) AND attnum > 0 AND NOT attisdropped`,
      [name],
    );
    const types = new Map(rows.map((column) => [column.name, column.type]));
    const written = declared.columns.map((column) => [column.name, STORED_AS[column.type]] as const);
    expect(written.map(([column]) => [column, types.get(column)])).toEqual(written);
    const required = rows.filter((column) => column.required).map((column) => column.name);
    const known = new Set(['book_id', ...written.map(([column]) => column)]);
    expect(required.filter((column) => !known.has(column))).toEqual([]);
  });

  test('has rows of both books in the play', async () => {
    for (const { id } of books) expect(await storedRows(pool, declared, id), `${name}: play it`).not.toEqual([]);
  });
});

/** The declared columns of a book's rows as text, in an order of their own. */
async function storedRows(on: Pool, { name, columns }: Declared, bookId: BookId): Promise<string[]> {
  const values = columns.map((column) => `${column.name}::text`).join(', ');
  const { rows } = await on.query<{ row: string }>(
    `SELECT ROW(book_id, ${values})::text AS row FROM ${name} WHERE book_id = $1 ORDER BY 1`,
    [bookId],
  );
  return rows.map(({ row }) => row);
}

async function expectTheSame(declared: Declared): Promise<void> {
  for (const { id } of books)
    expect(await storedRows(aside, declared, id)).toEqual(await storedRows(pool, declared, id));
}

const trx = () => aside as unknown as Transaction;

describe.each(LOGS.map((each) => [each.name, each] as const))('%s is appended alike', (name, each) => {
  const rows = () => appended.get(each)!;

  test('book by book', async () => {
    for (const { id } of books) {
      const own = rows().filter(({ bookId }) => bookId === id);
      await each.append(
        trx(),
        id,
        own.map(({ row }) => row),
      );
    }
    await expectTheSame(each);
  });

  test('and for pairs of book and row', async () => {
    await aside.query(`TRUNCATE ${name}`);
    await each.pairs.append(trx(), rows());
    await expectTheSame(each);
  });
});

describe.each(TABLES.map((table) => [table.name, table] as const))('%s', (name, table) => {
  const keysOf = async ({ id }: TestBook) =>
    (await pool.query<{ key: string }>(`SELECT ${table.key} AS key FROM ${name} WHERE book_id = $1 ORDER BY 1`, [id]))
      .rows;
  const load = async () => {
    const loaded: BookRow<unknown>[] = [];
    for (const book of books) {
      const keys = (await keysOf(book)).map(({ key }) => key);
      const rows = await table.load(pool, book.id, keys);
      loaded.push(...keys.map((key) => ({ bookId: book.id, row: rows.get(key) })));
    }
    return loaded;
  };
  const ofBook = (rows: readonly BookRow<unknown>[], id: BookId) =>
    rows.filter(({ bookId }) => bookId === id).map(({ row }) => row);

  test('is loaded alike in both forms', async () => {
    const keys: BookRow<string>[] = [];
    for (const book of books) keys.push(...(await keysOf(book)).map(({ key }) => ({ bookId: book.id, row: key })));
    const found = await table.pairs.load(pool, keys);
    const loaded = await load();
    for (const { id } of books) expect(ofBook(found, id)).toEqual(expect.arrayContaining(ofBook(loaded, id)));
    expect(found).toHaveLength(loaded.length);
  });

  test('is inserted alike in both forms', async () => {
    const loaded = await load();
    for (const { id } of books) await table.insert(trx(), id, ofBook(loaded, id));
    await expectTheSame(table);
    await aside.query(`TRUNCATE ${name}`);
    await table.pairs.insert(trx(), loaded);
    await expectTheSame(table);
  });

  const changing = table.columns.filter(({ changes }) => changes).map((column) => column.name);

  test.runIf(changing.length > 0)('is updated alike in both forms, in every column that changes', async () => {
    const loaded = await load();
    for (const column of changing) await aside.query(`ALTER TABLE ${name} ALTER COLUMN ${column} DROP NOT NULL`);
    const { rows: checks } = await aside.query<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint WHERE conrelid = to_regclass('pg_temp.' || $1) AND contype = 'c'`,
      [name],
    );
    for (const check of checks) await aside.query(`ALTER TABLE ${name} DROP CONSTRAINT ${check.name}`);
    const lose = () => aside.query(`UPDATE ${name} SET ${changing.map((column) => `${column} = NULL`).join(', ')}`);
    await lose();
    for (const { id } of books) await table.update(trx(), id, ofBook(loaded, id));
    await expectTheSame(table);
    await lose();
    await table.pairs.update(trx(), loaded);
    await expectTheSame(table);
  });
});

/** Columns of text that no declaration names: why they are kept when personal text is erased, or by what they are erased. */
const UNDECLARED: readonly (readonly [column: RegExp, why: string])[] = [
  [/\.stuck_error$/, 'the message of a bug'],
  [/^receive_references\./, 'random, and of no person'],
  [/^opening_files\.totals$/, 'sums of currencies'],
  [/^journal_totals\.effective_on$/, 'a day'],
  [/^acquirer_report/, 'a report of the acquirer: references and codes'],
  [/^rail_notices\./, "a party's notice as it came: the proof of what it said of the money"],
  [
    /^bank_(files|rails)\./,
    'names and states of files of ours; what they say is sealed, and in the folders of the operator and of the bank',
  ],
  [
    /^bank_(instructions|notices)\./,
    'what a bank was told to pay and said of it: references, amounts and codes. Payees are sealed',
  ],
  [
    /^bank_(inbox_files|findings)\./,
    'a file of the bank by its name, and what of it was not understood: for the operator, who keeps the file',
  ],
  [/^bank_folders\./, 'where an operator has the files of banks'],
  [/^(foreign|partner)_notices\./, "a party's notice, and which operator settled it"],
  [
    /^clearing_(files|lines)\./,
    'a file of the processor: references, codes, and merchants as they stand on statements',
  ],
  [/^intake_files\./, 'the name of a file that an operator took in'],
  [/^webhook_attempts\.response$/, 'erased with the object of the event (answers)'],
  [/^webhook_attempts\.error$/, 'a code of ours'],
  [/^webhook_deliveries\.status$/, 'a code of ours'],
  [
    /^(api_keys|people|organisations)\./,
    'who may act here, named by the operator: part of the record of what was done',
  ],
  [/^books\./, 'settings'],
  [/^pauses\./, 'what an operator keeps back, and who: part of the record of what was done'],
  [/^rail_settings\./, 'settings of the operator, of rails and amounts'],
  [/^(installation|applied_migrations|schema_migrations|tree_nodes)/, 'words of ours'],
];

test('every text in the database is declared, or it is known why it is kept', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND (data_type IN ('text', 'json', 'jsonb', 'character varying') OR udt_name = '_text')
      ORDER BY 1`,
  );
  const declared = new Set(ALL.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)));
  const undeclared = rows.map(({ name }) => name).filter((name) => !declared.has(name));
  expect(undeclared.filter((name) => !UNDECLARED.some(([column]) => column.test(name)))).toEqual([]);
  expect(UNDECLARED.filter(([column]) => !undeclared.some((name) => column.test(name)))).toEqual([]);
});

test('every table whose rows fall due and get stuck says who moves them', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name::text AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name IN ('status', 'due_at', 'stuck_at', 'stuck_error')
      GROUP BY 1 HAVING count(*) = 4 ORDER BY 1`,
  );
  const moved = GROUPS.flatMap((group) => group.moved.map(({ table }) => table.name));
  expect(rows.map(({ name }) => name)).toEqual(moved.sort());
});

test.each(GROUPS.flatMap((group) => group.moved.map(({ table }) => table)))(
  '$name has the indexes by which its due and stuck rows are found, and its declared primary key',
  async ({ name, key }) => {
    const { rows } = await pool.query<{ name: string; definition: string }>(
      `SELECT indexname::text AS name, indexdef AS definition FROM pg_indexes WHERE schemaname = 'public' AND tablename = $1`,
      [name],
    );
    expect(rows.map((index) => index.name)).toEqual(
      expect.arrayContaining([`${name}_due`, `${name}_due_by_book`, `${name}_stuck`]),
    );
    const primary = rows.find((index) => index.name === `${name}_pkey`)!.definition;
    const columns = /\(([^)]*)\)/.exec(primary)![1]!.split(', ');
    expect(columns.sort()).toEqual(['book_id', ...key.map((column) => column.name)].sort());
  },
);

test.each(RESOURCES)('$name has its row under its id', async ({ table }) => {
  const { rows } = await pool.query(
    `SELECT FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 AND column_name = $2`,
    [table.name, table.key],
  );
  expect(rows).toHaveLength(1);
});

/** Entries that commands of the test itself book. */
const OF_THE_TEST = ['transfer'];

/** Verification does not look for the row of a resource that no group declares. */
test('every resource that entries and holds name is declared by a group', async () => {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT DISTINCT resource AS name FROM entries UNION SELECT DISTINCT resource FROM holds ORDER BY 1',
  );
  const declared = [...OF_THE_TEST, ...RESOURCES.map(({ name }) => name as string)];
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.map(({ name }) => name).filter((name) => !declared.includes(name))).toEqual([]);
});

/** Entries are listed by the resources that declare it. */
test('every resource that entries are steps of says that it books', async () => {
  const { rows } = await pool.query<{ name: string }>('SELECT DISTINCT resource AS name FROM entries ORDER BY 1');
  const silent = RESOURCES.filter(({ books }) => !books).map(({ name }) => name as string);
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.map(({ name }) => name).filter((name) => silent.includes(name))).toEqual([]);
});
