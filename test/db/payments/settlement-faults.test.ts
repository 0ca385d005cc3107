/** Reports that cannot be booked as they are: a book that fails, another acquirer, another mode, the same capture twice. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../scripts/settle.ts';
import { BadInput } from '../../../src/intake/bad-input.ts';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { writeReport } from '../../../src/payments/paydays/report.ts';
import { bookReport } from '../../../src/payments/settlements/book-report.ts';
import { nextLines } from '../../../src/payments/settlements/next-lines.ts';
import { keepReport, listParts } from '../../../src/payments/settlements/report-store.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let book: TestBook;
let reports: Reports;
let accountId: Uuid;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'settle-'));
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  reports = new Reports(book);
  accountId = await book.account();
  return () => book.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

const findings = async () => (await findingsOf(book)).map(({ check }) => check);

const keptReports = async () =>
  (await book.pool.query('SELECT count(*) AS count FROM acquirer_reports')).rows[0].count as bigint;

describe('a book that fails', () => {
  /** A report about so many books of one payment each, and what books it but for the books that are broken. */
  async function aboutBooks(count: number) {
    const others = await Promise.all(
      Array.from({ length: count }, () => openBook({ database: book.pool, queryTimeoutMs: 20_000 })),
    );
    const theirs = others.map((other) => new Reports(other));
    const lines = await Promise.all(
      theirs.map(async (of, at) => of.lineOf((await of.captured(await others[at]!.account())).authorization)),
    );
    const byBook = new Map(others.map((other) => [other.id, other]));
    const broken = new Set<string>();
    const submit: Committer['submit'] = (bookId, command, options) => {
      if (broken.has(bookId)) return Promise.reject(new Error('A bug.'));
      return byBook.get(bookId)!.committer.submit(bookId, command, options);
    };
    const runtime = { pool: book.pool, committer: { submit } };
    return { others, theirs, broken, runtime, report: await reports.keep(lines) };
  }

  test('does not keep the others from their lines, and the same report again books what is left', async () => {
    const { others, theirs, broken, runtime, report } = await aboutBooks(3);
    // The first of the report's parts, so that others are behind it.
    const [first] = await listParts(book.pool, report);
    broken.add(first!.ofBook);
    await expect(bookReport(runtime, report)).rejects.toThrow(`${publicId('book', first!.ofBook)}: A bug.`);
    const paid = () => Promise.all(theirs.map((of) => of.poolBalance()));
    expect(await paid()).toEqual(others.map(({ id }) => (id === first!.ofBook ? 0n : 20_000n)));
    broken.clear();
    const parts = await bookReport(runtime, report);
    expect(parts.map(({ settlement }) => settlement.status)).toEqual(['completed', 'completed', 'completed']);
    expect(await paid()).toEqual([20_000n, 20_000n, 20_000n]);
    await Promise.all(others.map((other) => other.close()));
  });

  test('several are told together, ten at most', async () => {
    const { others, broken, runtime, report } = await aboutBooks(12);
    for (const { id } of others) broken.add(id);
    const error = await bookReport(runtime, report).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AggregateError);
    expect((error as AggregateError).errors).toHaveLength(10);
    await Promise.all(others.map((other) => other.close()));
  });
});

describe('a file of which nothing is kept', () => {
  let environment: NodeJS.ProcessEnv = {};
  const run = (bytes: Buffer, ...words: string[]) => {
    const file = join(folder, `${newId()}.csv`);
    writeFileSync(file, bytes);
    return runHere(program, [file, ...words], { ...environment, DATABASE_URL: database.applicationUrl });
  };

  test('the same bytes of another acquirer', async () => {
    const { authorization } = await reports.captured(accountId);
    const file = reports.fileOf([reports.lineOf(authorization)]);
    await keepReport(book.pool, file, Date.now());
    const other = keepReport(book.pool, { ...file, acquirer: 'another' }, Date.now());
    await expect(other).rejects.toThrow(BadInput);
    await expect(other).rejects.toThrow('The same file has come as a report of sandbox_acquirer.');
    expect(await keepReport(book.pool, file, Date.now())).toMatchObject({ known: true });
  });

  test('no merchant is a book of the mode', async () => {
    const { authorization } = await reports.captured(accountId);
    const bytes = writeReport([reports.lineOf(authorization)]);
    const before = await keptReports();
    const { code, err } = await run(bytes, '--acquirer', 'sandbox_acquirer', '--mode', 'live');
    expect([code, err]).toEqual([2, 'No merchant of the file is a book in live mode. Nothing was booked.\n']);
    expect(await keptReports()).toBe(before);
    expect((await run(bytes, '--acquirer', 'sandbox_acquirer', '--mode', 'test')).code).toBe(0);
  });

  test('an acquirer that nobody has configured', async () => {
    const { authorization } = await reports.captured(accountId);
    const before = await keptReports();
    const bytes = writeReport([reports.lineOf(authorization)]);
    const { code, err } = await run(bytes, '--acquirer', 'sandbox_aquirer', '--mode', 'test');
    expect([code, err]).toEqual([
      2,
      'There is no acquirer sandbox_aquirer. Those of this installation: sandbox_acquirer. Nothing was booked.\n',
    ]);
    expect(await keptReports()).toBe(before);
    environment = { ACQUIRER_HTTP_NAME: 'sandbox_aquirer' };
    // It is one by now, and the payment is at another.
    expect((await run(bytes, '--acquirer', 'sandbox_aquirer', '--mode', 'test')).code).toBe(1);
    expect(await reports.exceptionKinds()).toEqual(['settlement_acquirer_mismatch']);
    environment = {};
  });
});

test('one capture in two reports of one commit is booked once, and the second line is an exception at once', async () => {
  const [{ authorization }, before] = [await reports.captured(accountId), await reports.captured(accountId)];
  const stored = [
    await reports.keep([reports.lineOf(before.authorization)]),
    await reports.keep([reports.lineOf(authorization)]),
    await reports.keep([reports.lineOf(authorization)]),
  ];
  const commands = await Promise.all(
    stored.map(async (report) => (await nextLines(book.pool, (await listParts(book.pool, report))[0]!))!.command),
  );
  // The first one is a batch of its own; what comes while it runs is committed together.
  const [, one, other] = await Promise.all(commands.map((command) => book.submit(command)));
  expect(one).toMatchObject({ status: 'completed', exceptions: 0 });
  expect(other).toMatchObject({ status: 'completed', exceptions: 1 });
  expect(await reports.exceptionKinds()).toEqual(['settlement_repeated']);
  expect(await reports.poolBalance()).toBe(40_000n);
  expect(await findings()).toEqual([]);
});
