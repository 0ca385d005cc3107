/** `npm run import -- opening`: opening balances of own accounts over the API, and of customers by two persons of the operator. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, type List, succeeded } from '../../scripts/harness/client.ts';
import { programOf } from '../../scripts/harness/programs.ts';
import { program } from '../../scripts/import.ts';
import type { Pool } from '../../src/db/pool.ts';
import { GROUPS } from '../../src/groups.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import { mirrorAllBooks } from '../../src/reconciliation/mirror/mirror-books.ts';
import { newId, parsePublicId, publicId } from '../../src/values/ids.ts';
import { OperatorsBank } from '../support/bank-statements.ts';
import { startContracted } from '../support/contracted.ts';
import { findingsOf } from '../support/findings.ts';
import { addPersonOf } from '../support/people.ts';
import { lookInto, type OrganisationKeys, type Product } from '../support/product.ts';
import { runHere } from '../support/run-here.ts';

interface ChartAccount {
  id: string;
  code: string;
  balance: { posted: number };
}

let product: Product;
let client: Client;
let keys: OrganisationKeys;
let operatorBook: string;
let folder: string;
let superuser: Pool;
let files = 0;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
  operatorBook = (await operatorBooks(product.runtime.pool)).test;
  superuser = lookInto(product.database);
  folder = mkdtempSync(join(tmpdir(), 'openings-'));
});
beforeEach(async () => {
  ({ client, keys } = await product.organisation());
});
afterAll(async () => {
  if (folder) rmSync(folder, { recursive: true });
  await superuser?.end();
  await product?.close();
});

/** A file of these lines, whole. */
function fileOf(lines: readonly (readonly [account: string, currency: string, amount: number])[], change = ''): string {
  const sums = new Map<string, number>();
  for (const [, currency, amount] of lines) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const totals = [...sums].map(([currency, sum]) => `TOTAL,${currency},${sum}`);
  return written([...lines.map((line) => line.join()), ...totals].join('\n') + change);
}

function written(text: string): string {
  files += 1;
  const path = join(folder, `${files}.csv`);
  writeFileSync(path, `account,currency,amount\n${text}\n`);
  return path;
}

const database = () => ({
  DATABASE_URL: product.database.applicationUrl,
  COUNTINGHOUSE_ENCRYPTION_KEY: product.database.encryptionKey,
});
const run = (...words: string[]) =>
  runHere(program, ['opening', ...words], {
    ...database(),
    COUNTINGHOUSE_API_KEY: keys.testKey,
    COUNTINGHOUSE_URL: product.baseUrl,
  });
const findings = async () => {
  const { pool } = product.runtime;
  return [...(await findingsOf({ pool, id: keys.testBookId })), ...(await findingsOf({ pool, id: operatorBook }))];
};

describe('of own accounts', () => {
  const own = async (code: string, type: string, currency = 'JOD') =>
    succeeded(await client.post<ChartAccount>('/v1/journal/accounts', { code, name: code, type, currency }));
  const balances = async () => {
    const all: ChartAccount[] = [];
    for (let page: List<ChartAccount> | undefined; page?.has_more !== false; all.push(...page.data)) {
      const after = page ? `&starting_after=${page.next_cursor}` : '';
      page = await client.read<List<ChartAccount>>(`/v1/journal/accounts?origin=own&limit=100${after}`);
    }
    return Object.fromEntries(all.map(({ code, balance }) => [code, balance.posted]));
  };
  const entries = async () =>
    superuser
      .query("SELECT id FROM entries WHERE book_id = $1 AND resource = 'entry'", [keys.testBookId])
      .then(({ rows }) => rows.length);

  test('each stands on its own side, against an account of equity that is made; again, nothing is booked', async () => {
    const [, loan] = [await own('bank', 'asset'), await own('loan', 'liability')];
    await own('overdrawn', 'asset');
    await own('till', 'asset', 'JPY');
    await own('empty', 'asset');
    const lines = [
      ['bank', 'JOD', 5_124],
      [loan.id, 'JOD', 1_000],
      ['overdrawn', 'JOD', -24],
      ['empty', 'JOD', 0],
      ['till', 'JPY', 500],
    ] as const;
    const file = fileOf(lines);
    const tried = await run(file, '--dry-run', '--json');
    expect([tried.code, tried.err, JSON.parse(tried.out)]).toMatchObject([
      0,
      '',
      { dry_run: true, lines: 4, booked: 4 },
    ]);
    expect(await entries()).toBe(0);
    expect(await balances()).not.toHaveProperty('opening-balances');

    const booked = await run(file, '--json');
    expect([booked.code, booked.err, JSON.parse(booked.out)]).toMatchObject([0, '', { ok: true, booked: 4, known: 0 }]);
    expect(await balances()).toEqual({
      ...{ bank: 5_124, loan: 1_000, overdrawn: -24, empty: 0, till: 500 },
      'opening-balances': expect.any(Number),
    });
    const { data } = await client.read<List<ChartAccount>>('/v1/journal/accounts?code=opening-balances');
    expect(data.map(({ balance }) => balance.posted).toSorted((one, other) => one - other)).toEqual([500, 4_100]);

    const again = await run(file);
    expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^0 lines are booked .* 4 were before/)]);
    expect(await entries()).toBe(4);
    expect(await findings()).toEqual([]);
  });

  test('a day is named, and the same file with another one books nothing', async () => {
    await own('bank', 'asset');
    const file = fileOf([['bank', 'JOD', 7]]);
    const today = (await client.read<{ last_posted_at: string | null }>('/v1/journal')).last_posted_at;
    const day = (today ?? new Date().toISOString()).slice(0, 10);
    expect((await run(file, '--on', day)).code).toBe(0);
    const { data } =
      await client.read<List<{ effective_at: string; external_id: string; description: string }>>(
        '/v1/journal/entries?limit=1',
      );
    expect(data[0]).toMatchObject({
      description: 'Opening balance',
      external_id: expect.stringMatching(/^opening:.*:2$/),
    });
    expect(data[0]!.effective_at.slice(0, 10)).toBe(day);
    const other = await run(file);
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringContaining('booked before, with another --equity or --on'),
    ]);
    expect(await balances()).toMatchObject({ bank: 7 });
  });

  test('an answer that is lost is asked for again: each line is booked once', async () => {
    const accounts = Array.from({ length: 101 }, (_, index) => `a${index}`);
    for (const code of accounts) await own(code, 'asset');
    const file = fileOf(accounts.map((code) => [code, 'JOD', 3]));
    const lossy = await forwarder({ loses: (path) => path === '/v1/journal/entries/batches' });
    const lost = await run(file, '--url', lossy.url);
    expect([lost.code, lost.err]).toEqual([3, expect.stringContaining('No answer')]);
    await lossy.close();
    expect(await entries()).toBe(100);
    const rest = await run(file, '--json');
    expect([rest.code, JSON.parse(rest.out)]).toMatchObject([0, { booked: 1, known: 100 }]);
    expect(await entries()).toBe(101);
    expect(await balances()).toMatchObject({ a0: 3, a100: 3 });
    expect(await findings()).toEqual([]);
  });

  test('bad input is refused with its place, and nothing is booked', async () => {
    await own('bank', 'asset');
    const archived = await own('old', 'asset');
    succeeded(await client.patch(`/v1/journal/accounts/${archived.id}`, { status: 'archived' }));
    const customer = await client.openAccount({ funds: 0 });
    const other = (await product.organisation()).client;
    const foreign = succeeded(
      await other.post<ChartAccount>('/v1/journal/accounts', { code: 'x', name: 'x', type: 'asset', currency: 'JOD' }),
    );
    const line = (account: string, currency = 'JOD') =>
      fileOf([
        ['bank', 'JOD', 1],
        [account, currency, 1],
      ]);
    const cases: readonly (readonly [string[], RegExp])[] = [
      [[line('nobody')], /Line 3: nobody is no own account of this book in JOD/],
      [[line(customer.id)], /Line 3: .* Balances of customers are imported with --customers-of/],
      [[line(foreign.id)], /Line 3: acct_\w+ is no own account of this book/],
      [[line('bank', 'JPY')], /Line 3: bank is kept in JOD|Line 3: bank is no own account of this book in JPY/],
      [[line('old')], /Line 3: old is archived/],
      [[fileOf([['bank', 'JOD', 1]]), '--equity', 'old'], /old in JOD is no open account of equity/],
      [[written('bank,JOD,1\nTOTAL,JOD,2')], /Line 3: The TOTAL of JOD is 2/],
      [[written('bank,JOD,1\nTOTAL,JO')], /Line 3: It has 2 of 3 fields/],
      [[fileOf([['bank', 'JOD', 1]]), '--on', '2999-01-01'], /Line 2: .*Expects a day that has begun/],
      [[join(folder, 'missing.csv')], /The file cannot be read/],
      [[folder], /The file cannot be read/],
      [[], /Give a file, or an exception/],
    ];
    for (const [words, message] of cases) {
      const { code, err } = await run(...words);
      expect([code, err], words.join(' ')).toEqual([2, expect.stringMatching(message)]);
    }
    expect(await entries()).toBe(0);
    expect((await run(fileOf([['bank', 'JOD', 1]]), '--url', 'http://127.0.0.1:1')).code).toBe(3);
  });

  /** Hands requests on; the answer of the first one that it loses never comes. */
  async function forwarder({ loses }: { loses: (path: string) => boolean }) {
    let lost = false;
    const server: Server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const headers = { ...request.headers } as Record<string, string>;
      for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) delete headers[name];
      const answer = await fetch(product.baseUrl + request.url, {
        method: request.method!,
        headers,
        ...(parts.length > 0 && { body: Buffer.concat(parts) }),
      });
      const body = Buffer.from(await answer.arrayBuffer());
      if (!lost && loses(request.url!)) {
        lost = true;
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async close() {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      },
    };
  }
});

describe('of customers', () => {
  interface Exception {
    id: string;
    kind: string;
    status: string;
    version: number;
    detail: string;
    waiting: null;
    resource: string;
  }
  interface Kept {
    ok: boolean;
    known: boolean;
    exception: string;
    status: string;
    applied: boolean;
  }
  const book = () => publicId('book', keys.testBookId);
  const keep = async (file: string) => {
    const { code, out, err } = await run(file, '--customers-of', book(), '--json');
    expect(err).toBe('');
    return { code, ...(JSON.parse(out) as Kept) };
  };
  const transfers = () =>
    superuser
      .query<{ amount: bigint; status: string }>(
        'SELECT amount FROM inbound_transfers WHERE book_id = $1 AND opening_id IS NOT NULL ORDER BY id',
        [keys.testBookId],
      )
      .then(({ rows }) => rows.map(({ amount }) => Number(amount)));

  async function persons(): Promise<{ ada: Client; ben: Client; adaIs: string }> {
    const { pool } = product.runtime;
    const scopes = ['exceptions:read', 'exceptions:write', 'exceptions:approve'];
    const [one, other] = [
      await addPersonOf(pool, operatorBook, { name: 'Ada', scopes }),
      await addPersonOf(pool, operatorBook, { name: 'Ben', scopes }),
    ];
    return { ada: product.client(one.key), ben: product.client(other.key), adaIs: one.id };
  }

  async function approve(id: string): Promise<void> {
    const { ada, ben, adaIs } = await persons();
    const path = `/v1/exceptions/${id}`;
    succeeded(await ada.post(`${path}/assign`, { person: adaIs }));
    const explained = succeeded(await ada.post<Exception>(`${path}/explain`, { reason: 'As the bank confirms' }));
    expect((await ada.post(`${path}/approve`, { version: explained.version })).status).toBe(422);
    succeeded(await ben.post(`${path}/approve`, { version: explained.version }));
  }

  /** Accounts without a request each. */
  async function accounts(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let at = 0; at < count; at++) ids.push((await client.openAccount({ funds: 0 })).id);
    return ids;
  }

  test('two persons of the operator, then pool to each customer, once; no bank is expected to show it', async () => {
    const [anna, bert, cleo] = (await accounts(3)) as [string, string, string];
    const file = fileOf([
      [anna, 'JOD', 5_124],
      [bert, 'JOD', 1],
      [cleo, 'JOD', 0],
    ]);
    const tried = await run(file, '--customers-of', book(), '--dry-run', '--json');
    expect([tried.code, JSON.parse(tried.out)]).toMatchObject([0, { dry_run: true, lines: 2 }]);

    const kept = await keep(file);
    expect(kept).toMatchObject({ code: 1, known: false, status: 'open', applied: false });
    const { ada } = await persons();
    const shown = await ada.read<Exception>(`/v1/exceptions/${kept.exception}`);
    expect(shown).toMatchObject({ kind: 'opening_balances', status: 'open', waiting: null, resource: 'opening_file' });
    expect(shown.detail).toContain(`2 opening balances of ${book()}, 5.125 JOD in all`);
    expect(await keep(file)).toMatchObject({ code: 1, known: true, exception: kept.exception });

    const early = await run('--apply', kept.exception);
    expect([early.code, early.err]).toEqual([2, expect.stringContaining('is open. One person explains it')]);
    expect(await transfers()).toEqual([]);
    await approve(kept.exception);
    const applied = await run('--apply', kept.exception, '--json');
    expect([applied.code, applied.err, JSON.parse(applied.out)]).toMatchObject([
      0,
      '',
      { ok: true, posted: 2, known: 0 },
    ]);
    expect(await transfers()).toEqual([5_124, 1]);
    expect((await client.read<{ posted: number }>(`/v1/accounts/${anna}/balance`)).posted).toBe(5_124);
    const again = await run('--apply', kept.exception, '--json');
    expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { posted: 0, known: 2 }]);
    expect(await keep(file)).toMatchObject({ code: 0, known: true, applied: true });
    const lines = await client.read<List<{ kind: string; description: string; direction: string }>>(
      `/v1/accounts/${anna}/entries`,
    );
    expect(lines.data).toMatchObject([
      { kind: 'inbound_transfer', description: 'Opening balance', direction: 'credit' },
    ]);

    const bank = await OperatorsBank.open(product.database.applicationUrl);
    await bank.account();
    const atBank = GROUPS.flatMap(({ atBank: words = [] }) => words);
    await mirrorAllBooks({ pool: bank.pool, committer: bank.book.committer, atBank }, operatorBook);
    expect(await bank.balances()).toMatchObject({ own_funds: -5_125n, pool_owed: 5_125n });
    await bank.close();
    expect(await findings()).toEqual([]);
  });

  /** Dies in the process of its own that it runs in. */
  async function applyKilled(exception: string, atCommit: number): Promise<void> {
    const child = spawn(process.execPath, [...programOf('scripts/import.ts'), 'opening', '--apply', exception], {
      env: { PATH: process.env.PATH, ...database(), COUNTINGHOUSE_FAILPOINTS: `ledger.commit.after=kill@${atCommit}` },
      stdio: 'ignore',
    });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
  }

  test('killed after the second commit, it is run again and books each line once', async () => {
    const ids = await accounts(250);
    const { exception } = await keep(fileOf(ids.map((id) => [id, 'JOD', 2])));
    await approve(exception);
    await applyKilled(exception, 2);
    expect(await transfers()).toHaveLength(200);
    expect(await findings()).toEqual([]);
    const rest = await run('--apply', exception, '--json');
    expect([rest.code, JSON.parse(rest.out)]).toMatchObject([0, { posted: 50, known: 200, refused: [] }]);
    expect(await transfers()).toEqual(ids.map(() => 2));
    expect(await findings()).toEqual([]);
  });

  test('an account that was closed before it refuses the file; once some lines are booked, its own line alone', async () => {
    const ids = await accounts(102);
    const close = async (id: string) => succeeded(await client.post(`/v1/accounts/${id}/close`, {}));
    const { exception } = await keep(fileOf(ids.map((id) => [id, 'JOD', 4])));
    await approve(exception);
    await applyKilled(exception, 1);
    await close(ids[100]!);
    const left = await run('--apply', exception, '--json');
    expect([left.code, JSON.parse(left.out)]).toMatchObject([
      1,
      { ok: false, posted: 1, known: 100, refused: [{ row: 102, code: 'account_closed' }] },
    ]);
    expect(await transfers()).toHaveLength(101);
    expect(await findings()).toEqual([]);

    const [one, other] = (await accounts(2)) as [string, string];
    const before = await keep(
      fileOf([
        [one, 'JOD', 4],
        [other, 'JOD', 5],
      ]),
    );
    await approve(before.exception);
    await close(one);
    const refused = await run('--apply', before.exception);
    expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/Line 2: acct_\w+ is closed/)]);
    expect(await transfers()).toHaveLength(101);
  });

  test('bad input is refused with its place, and nothing is kept', async () => {
    const [anna] = (await accounts(1)) as [string];
    const other = await (await product.organisation()).client.openAccount({ funds: 0 });
    const pool = (await client.read<List<{ id: string; code: string }>>('/v1/journal/accounts?origin=system&limit=100'))
      .data;
    const cases: readonly (readonly [string[], RegExp])[] = [
      [
        [fileOf([[other.id, 'JOD', 1]]), '--customers-of', book()],
        /Line 2: acct_\w+ is no account of a customer of this book/,
      ],
      [[fileOf([['bank', 'JOD', 1]]), '--customers-of', book()], /Line 2: bank is no account of a customer/],
      [
        [fileOf([[pool[0]?.id ?? 'pool', 'JOD', 1]]), '--customers-of', book()],
        /Line 2: .* is no account of a customer/,
      ],
      [[fileOf([[anna, 'JPY', 1]]), '--customers-of', book()], /Line 2: acct_\w+ is kept in JOD/],
      [[fileOf([[anna, 'JOD', -1]]), '--customers-of', book()], /Line 2: The amount is less than zero/],
      [[fileOf([[anna, 'JOD', 0]]), '--customers-of', book()], /No line has an amount/],
      [[written(`${anna},JOD,1`), '--customers-of', book()], /There is no TOTAL of JOD/],
      [[fileOf([[anna, 'JOD', 1]]), '--customers-of', publicId('book', operatorBook)], /is no book of a customer/],
      [[fileOf([[anna, 'JOD', 1]]), '--customers-of', publicId('book', newId())], /is no book of a customer/],
      [['--apply', publicId('exception', newId())], /There is no exception exc_/],
      [['--apply', publicId('exception', newId()), '--dry-run'], /--apply books the file of the exception/],
      [[fileOf([[anna, 'JOD', 1]]), '--customers-of', book(), '--on', '2026-01-01'], /--on is of own accounts/],
    ];
    for (const [words, message] of cases) {
      const { code, err } = await run(...words);
      expect([code, err], words.join(' ')).toEqual([2, expect.stringMatching(message)]);
    }
    const kept = await superuser.query('SELECT id FROM opening_files WHERE of_book = $1', [keys.testBookId]);
    expect(kept.rows).toEqual([]);
  });

  test('verification finds what was booked of a file that nobody has approved, and more or less than it has', async () => {
    const [anna] = (await accounts(1)) as [string];
    const { exception } = await keep(fileOf([[anna, 'JOD', 9]]));
    await approve(exception);
    expect((await run('--apply', exception)).code).toBe(0);
    const found = async (change: string, undo: string) => {
      const change1 = await lookIntoAsOwner(change);
      const checks = (await findings()).map(({ check }) => check);
      await lookIntoAsOwner(undo);
      return [change1, checks];
    };
    const of = `of_book = '${keys.testBookId}'`;
    expect(
      await found(`UPDATE opening_files SET lines = 2 WHERE ${of}`, `UPDATE opening_files SET lines = 1 WHERE ${of}`),
    ).toEqual([1, ['opening_file.lines']]);
    const id = parsePublicId('exception', exception)!;
    const [, checks] = await found(
      `UPDATE exceptions SET stage = 'explained', status = 'open' WHERE id = '${id}'`,
      `UPDATE exceptions SET stage = 'approved', status = 'resolved' WHERE id = '${id}'`,
    );
    expect(checks).toContain('opening_file.approved');
    expect(await findings()).toEqual([]);
  });

  async function lookIntoAsOwner(sql: string): Promise<number> {
    return (await superuser.query(sql)).rowCount ?? 0;
  }
});
