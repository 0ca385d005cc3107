/** `npm run verify` as people and scripts run it: on a database in use, over many pages, and by its exit codes. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../../scripts/verify.ts';
import type { Finding } from '../../../src/group/finding.ts';
import { GROUPS } from '../../../src/groups.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { NoSuchBook, type VerifyProgress, verifyDatabase } from '../../../src/verify/verify-database.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';
import { corrupt, fillBook } from '../../support/verify-scene.ts';

let database: TestDatabase;
let book: TestBook;
/** The book that writes. Verification uses a pool of its own. */
let load: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl, poolSize: 6 });
  load = await openBook({ database: database.applicationUrl, bookId: book.id, sink: webhookSink });
  await fillBook(load);
});

afterAll(async () => {
  await load?.close();
  await book?.close();
  await database?.drop();
});

async function verify(options: { bookId?: string } = {}) {
  const findings: Finding[] = [];
  const progress: VerifyProgress[] = [];
  const result = await verifyDatabase(book.pool, {
    groups: GROUPS,
    ...options,
    onFinding: (finding) => findings.push(finding),
    onProgress: (each) => progress.push(each),
  });
  return { findings, progress, result };
}

test('a database of many pages is read completely', async () => {
  const [from, to] = [await load.account({ amount: 10_000_000n }), await load.account()];
  const moves = Array.from({ length: 5_200 }, () => load.submit(transfer({ from, to, amount: 1n })));
  const accepted = Array.from({ length: 600 }, () => load.accept({ accountId: from, amount: 10n, fee: 1n }));
  await Promise.all(moves);
  const payouts = await Promise.all(accepted);
  await Promise.all(payouts.map(async (payout) => load.settle(await load.reserve(payout), { status: 'paid' })));
  const { findings, result, progress } = await verify();
  expect(findings).toEqual([]);
  expect(result.entries).toBeGreaterThan(6_400n);
  expect(result.lines).toBeGreaterThan(12_800n);
  // The organisation's two books, and the operator's.
  expect(result).toMatchObject({ books: 4, findings: 0 });
  expect(progress.at(-1)).toMatchObject({
    total: result.entries + result.lines + result.events,
    done: progress.at(-1)?.total,
  });
});

test('a database in use has no false findings', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => load.account({ amount: 100_000n })));
  let stop = false;
  let moved = 0;
  const busy = async (at: number) => {
    while (!stop) {
      const [accountId, other] = [accounts[at]!, accounts[(at + 1) % accounts.length]!];
      const [payout] = await Promise.all([
        load.accept({ accountId, amount: 10n, fee: 1n }),
        load.submit(transfer({ from: accountId, to: other, amount: 1n })),
        load.fund(other, 20n),
      ]);
      const settled = await load.settle(await load.reserve(payout), { status: moved % 3 === 0 ? 'rejected' : 'paid' });
      expect(['paid', 'failed']).toContain(settled.status);
      moved++;
    }
  };
  const working = accounts.map((_, at) => busy(at));
  for (let round = 0; round < 3; round++) {
    const before = moved;
    expect((await verify()).findings).toEqual([]);
    expect(moved).toBeGreaterThan(before);
  }
  stop = true;
  await Promise.all(working);
});

describe('one book', () => {
  test('is verified alone', async () => {
    const other = await openBook({ database: book.pool });
    await other.account({ amount: 5n });
    const { result } = await verify({ bookId: other.id });
    expect(result).toEqual({ books: 1, entries: 1n, lines: 2n, events: 2n, findings: 0 });
    await other.close();
  });

  test('that does not exist cannot be verified', async () => {
    await expect(verify({ bookId: newId() })).rejects.toThrow(NoSuchBook);
  });
});

describe('the command', () => {
  const run = async (...options: string[]) => {
    const { code, out, err } = await runHere(program, options, { COUNTINGHOUSE_DATA: '/nonexistent' });
    return { status: code, output: out, errors: err };
  };
  const here = () => ['--database-url', database.applicationUrl];

  test('exits 0 without findings, and prints what it read', async () => {
    const { status, output } = await run(...here());
    expect([status, output]).toEqual([0, expect.stringMatching(/^\d+ books, [\d,]+ entries, .*: nothing wrong\.\n$/)]);
  });

  test('prints one JSON object', async () => {
    const { status, output } = await run(...here(), '--json', '--book', publicId('book', book.id));
    expect(status).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ ok: true, findings: [], findings_count: 0, books: 1 });
  });

  test('exits 1 and prints its findings', async () => {
    const own = await createTestDatabase();
    const broken = await openBook({ database: own.applicationUrl });
    await fillBook(broken);
    await broken.close();
    await corrupt(own.superuserUrl, ['UPDATE accounts SET lines = lines + 1']);
    const [plain, json] = await Promise.all([
      run('--database-url', own.applicationUrl),
      run('--database-url', own.applicationUrl, '--json'),
    ]);
    await own.drop();
    expect([plain.status, json.status]).toEqual([1, 1]);
    expect(plain.output).toMatch(
      /account\.totals: .*\n {2}book book_\w+, account acct_\w+\n {2}expected .*\n {2}actual .*\n/,
    );
    const { findings, ...rest } = JSON.parse(json.output);
    expect(rest).toMatchObject({ ok: false, findings_count: findings.length });
    expect(findings[0]).toMatchObject({
      check: 'account.totals',
      book: publicId('book', broken.id),
      ids: { account: expect.stringMatching(/^acct_/) },
    });
  });

  test.each<[string, () => string[], RegExp]>([
    ['nothing answers', () => ['--database-url', 'postgres://app:x@127.0.0.1:1/nothing'], /ECONNREFUSED/],
    [
      'the password is wrong',
      () => ['--database-url', database.applicationUrl.replace(/:[^:@]+@/, ':wrong@')],
      /password authentication failed/,
    ],
    [
      'there is no schema',
      () => ['--database-url', database.superuserUrl.replace(/\/[^/]*$/, '/template1')],
      /migrate/,
    ],
    ['there is no such book', () => [...here(), '--book', newId()], /no book/],
    ['the id is none', () => [...here(), '--book', 'acct_1'], /no id of a book/],
    ['the time is none', () => [...here(), '--since', 'yesterday'], /15m, 24h, 7d/],
    ['an option is not known', () => [...here(), '--fast'], /unknown option/],
    ['there is no database at all', () => [], /DATABASE_URL/],
  ])('exits 2 when %s', async (_, options, words) => {
    const { status, errors } = await run(...options());
    expect([status, errors]).toEqual([2, expect.stringMatching(words)]);
  });

  test('prints one JSON object when it cannot run', async () => {
    const { status, output } = await run('--json', '--database-url', 'postgres://app:x@127.0.0.1:1/nothing');
    expect(status).toBe(2);
    expect(JSON.parse(output)).toEqual({
      ok: false,
      error: expect.stringMatching(/ECONNREFUSED/),
      findings: [],
      findings_count: 0,
    });
  });
});
