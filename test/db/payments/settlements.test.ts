/** Reports of acquirers against a real database: exceptions, many lines, repeats, and processes that die between commands. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { programOf } from '../../../scripts/harness/programs.ts';
import { program } from '../../../scripts/settle.ts';
import { isPassing } from '../../../src/db/postgres-errors.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { advance } from '../../../src/ledger/resources/resource.ts';
import { applyAcquirerReport } from '../../../src/payments/outcomes/apply-acquirer-report.ts';
import { REPORT_COLUMNS, writeReport } from '../../../src/payments/paydays/report.ts';
import type { Payment } from '../../../src/payments/payment/payment.ts';
import { paymentResource } from '../../../src/payments/payment/payment-resource.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { bookReport } from '../../../src/payments/settlements/book-report.ts';
import { nextLines } from '../../../src/payments/settlements/next-lines.ts';
import { listParts } from '../../../src/payments/settlements/report-store.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { acceptOne, RELEASE, SUCCEEDED, say } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let book: TestBook;
let reports: Reports;
let accountId: Uuid;
let folder: string;
let numbers = 0;

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

const captured = (of = accountId) => reports.captured(of);
const lineOf: Reports['lineOf'] = (operation, change) => reports.lineOf(operation, change);
const keep: Reports['keep'] = (lines) => reports.keep(lines);
const settle: Reports['settle'] = (lines) => reports.settle(lines);
const exceptionKinds = () => reports.exceptionKinds();
const poolBalance = () => reports.poolBalance();
const linesBooked = () => reports.linesBooked();

const findings = async () => (await findingsOf(book)).map(({ check }) => check);

test.each`
  what                               | change                                               | kind
  ${'a reference that nobody has'}   | ${{ reference: 'NOBODY' }}                           | ${'settlement_reference_unknown'}
  ${'another amount'}                | ${{ gross: 19_999n }}                                | ${'settlement_amount_mismatch'}
  ${'another currency'}              | ${{ currency: 'USD' }}                               | ${'settlement_currency_mismatch'}
  ${'a refund that is a capture'}    | ${{ type: 'refund', gross: -20_000n, cost: 0n }}     | ${'settlement_type_mismatch'}
  ${'an adjustment'}                 | ${{ type: 'adjustment', gross: -7n, reference: '' }} | ${'settlement_adjustment'}
  ${'a cost above the gross'}        | ${{ cost: 20_001n }}                                 | ${'settlement_cost_mismatch'}
  ${'a cost below zero'}             | ${{ cost: -1n }}                                     | ${'settlement_cost_mismatch'}
  ${'a dispute that nobody told of'} | ${{ type: 'dispute', gross: -20_000n, cost: 0n }}    | ${'settlement_reference_unknown'}
`('$what is an exception, and the rest is booked', async ({ change, kind }) => {
  const [one, other] = [await captured(), await captured()];
  const parts = await settle([lineOf(one.authorization, change), lineOf(other.authorization)]);
  expect(parts.reduce((sum, { settlement }) => sum + settlement.exceptions, 0)).toBe(1);
  expect(await exceptionKinds()).toEqual([kind]);
  expect(await poolBalance()).toBe(20_000n);
  expect(await payments.find(book.pool, book.id, one.payment.id)).toMatchObject({
    status: 'captured',
    amountSettled: 0n,
  });
  expect(await payments.find(book.pool, book.id, other.payment.id)).toMatchObject({ status: 'settled' });
  expect(await findings()).toEqual([]);
});

test('what was settled before is an exception, and is booked once', async () => {
  const { authorization } = await captured();
  await settle([lineOf(authorization)]);
  await settle([lineOf(authorization)]);
  expect(await exceptionKinds()).toEqual(['settlement_repeated']);
  expect(await poolBalance()).toBe(20_000n);
  expect(await findings()).toEqual([]);
});

test('lines of a merchant that nobody knows are exceptions of the operator, and every book gets its own', async () => {
  const other = await openBook({ database: database.applicationUrl });
  const theirs = await acceptOne(other, { accountId: await other.account() });
  await say(other, theirs, {});
  const { authorization } = await captured();
  const parts = await settle([
    lineOf(authorization),
    lineOf({ reference: 'X' }, { merchant: 'nobody', gross: 5n, cost: 0n }),
    lineOf(theirs.operation, { merchant: publicId('book', other.id) }),
    // A reference of another book is unknown in this one.
    lineOf(theirs.operation),
  ]);
  const seen = parts.map(({ part, settlement }) => [part.ofBook, settlement.taken, settlement.exceptions]);
  expect(seen).toContainEqual([book.id, 2, 1]);
  expect(seen).toContainEqual([other.id, 1, 0]);
  expect(seen).toHaveLength(3);
  expect(await exceptionKinds()).toEqual(['settlement_reference_unknown']);
  await other.close();
});

describe('a long report', () => {
  test('is booked in parts of at most 250 lines; a process that dies between them is followed by another', async () => {
    const paid = await Promise.all(Array.from({ length: 260 }, () => captured()));
    const report = await keep([
      ...paid.map(({ authorization }) => lineOf(authorization)),
      ...Array.from({ length: 300 }, () => lineOf({ reference: 'NOBODY' })),
    ]);
    const [part] = await listParts(book.pool, report);
    const first = (await nextLines(book.pool, part!))!;
    const late = (await nextLines(book.pool, part!))!;
    expect(first.last).toBe(false);
    const taken = await book.submit(first.command);
    expect(taken).toMatchObject({ status: 'received', taken: 250 });
    // The process is gone; the command of another one that had read the same comes late, and changes nothing.
    expect(await book.submit(late.command)).toMatchObject({ taken: 250, version: 1 });
    expect(await linesBooked()).toBe(250n);
    const [booked] = await bookReport(book, report);
    expect(booked!.settlement).toMatchObject({ status: 'completed', taken: 560, exceptions: 300, amount: 5_200_000n });
    expect(await linesBooked()).toBe(560n);
    expect(await poolBalance()).toBe(5_200_000n);
    const events = await book.rows<{ type: string }>(
      `SELECT type FROM events WHERE book_id = $1 AND type LIKE 'settlement.%' ORDER BY sequence`,
    );
    expect(events.map(({ type }) => type)).toEqual([
      'settlement.received',
      'settlement.received',
      'settlement.completed',
    ]);
    expect(await bookReport(book, report)).toEqual([booked]);
    expect(await findings()).toEqual([]);
  });

  test('of many accounts, whose day is over, touches no more rows than a command may', async () => {
    const opened = await Promise.all(Array.from({ length: 240 }, () => book.account()));
    const paid = await Promise.all(
      opened.map(async (id) => {
        const accepted = await acceptOne(book, { accountId: id });
        await say(book, accepted, {});
        return accepted.operation;
      }),
    );
    const [booked] = await settle(paid.map((operation) => lineOf(operation)));
    expect(booked!.settlement).toMatchObject({ status: 'completed', exceptions: 0, amount: 4_800_000n });
    expect(await findings()).toEqual([]);
  });
});

test('a payment that changes in the same commit is settled as it is by then', async () => {
  const { payment, authorization } = await captured();
  const report = await keep([lineOf(authorization)]);
  const [part] = await listParts(book.pool, report);
  const { command } = (await nextLines(book.pool, part!))!;
  // The first one is a batch of its own; what comes while it runs is committed together.
  const before = book.submit(changing(payment));
  const [, settlement] = await Promise.all([book.submit(changing(payment)), book.submit(command), before]);
  expect(settlement).toMatchObject({ status: 'completed', taken: 1, exceptions: 0 });
  expect(await findings()).toEqual([]);
});

test('what an acquirer says while the clock of the book is moved on is taken in later, and nothing is stuck', async () => {
  const accepted = await acceptOne(book, { accountId });
  const given = { ...accepted, report: SUCCEEDED };
  const longAgo = { now: Date.now() - 10 * 86_400_000, timeZone: 'UTC' };
  const early = await book
    .submit(applyAcquirerReport(book.id, { ...given, read: { release: RELEASE, today: longAgo } }))
    .catch((error: unknown) => error);
  expect(early).toMatchObject({ code: 'service_unavailable' });
  expect(isPassing(early)).toBe(true);
  const today = { now: Date.now(), timeZone: 'UTC' };
  const late = await book.submit(applyAcquirerReport(book.id, { ...given, read: { release: RELEASE, today } }));
  expect(late).toMatchObject({ status: 'succeeded' });
});

function changing({ id }: Payment): Command<void> {
  const origin = { id: newId(), requestId: newId() };
  return {
    ...origin,
    name: 'test.change',
    touches: [{ table: payments, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      advance(draft, paymentResource, draft.get(payments, id)!, {});
      return draft.finish(undefined);
    },
  };
}

describe('npm run settle', () => {
  const run = (bytes: Buffer | string, ...words: string[]) => {
    const file = join(folder, `report-${++numbers}.csv`);
    writeFileSync(file, bytes);
    return runHere(program, [file, '--acquirer', 'sandbox_acquirer', '--mode', 'test', ...words], {
      DATABASE_URL: database.applicationUrl,
      COUNTINGHOUSE_ENCRYPTION_KEY: database.encryptionKey,
    });
  };

  test('clean: 0, and the same file again is answered with the first result', async () => {
    const { authorization } = await captured();
    const bytes = writeReport([lineOf(authorization)]);
    const first = await run(bytes, '--json');
    expect(first.code).toBe(0);
    const shown = JSON.parse(first.out);
    expect(shown).toMatchObject({ ok: true, known: false, lines: 1, exceptions: 0 });
    expect(shown.parts).toMatchObject([{ book: publicId('book', book.id), booked: 20_000, cost: 240 }]);
    const again = await run(bytes, '--json');
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toEqual({ ...shown, known: true });
    expect(await poolBalance()).toBe(20_000n);
  });

  test('a day without transactions: 0, however often, and nothing is kept', async () => {
    const empty = `${REPORT_COLUMNS.join()}\nTOTAL,0,,,EUR,0,0,0\n`;
    for (let day = 1; day <= 2; day++) {
      const { code, out } = await run(empty);
      expect([code, out]).toEqual([0, 'The report has no lines: nothing is booked.\n']);
    }
    const { code, err } = await run(`${REPORT_COLUMNS.join()}\n`);
    expect([code, err]).toEqual([2, expect.stringContaining('without its TOTAL')]);
  });

  test('a file without an end: 2', async () => {
    const { code, err } = await runHere(program, ['/dev/zero', '--acquirer', 'sandbox_acquirer', '--mode', 'test'], {});
    expect([code, err]).toEqual([2, expect.stringContaining('It is read twice, so it has to be a file')]);
  });

  test('exceptions: 1', async () => {
    const { code, out } = await run(writeReport([lineOf({ reference: 'NOBODY' })]));
    expect(code).toBe(1);
    expect(out).toContain('1 exceptions');
  });

  test('bad input: 2 with the line, and nothing is kept', async () => {
    const { authorization } = await captured();
    const whole = writeReport([lineOf(authorization)]).toString();
    const reports = async () =>
      (await book.pool.query('SELECT count(*) AS count FROM acquirer_reports')).rows[0].count as bigint;
    const before = await reports();
    for (const [text, said] of [
      [whole.replace('20000', '20001'), 'Line 2: The net is'],
      [whole.slice(0, whole.length / 2), 'Line 2: It has'],
      [whole.replace('line_id', 'id'), 'Line 1: The columns are'],
    ] as const) {
      const { code, err } = await run(text);
      expect([code, err]).toEqual([2, expect.stringContaining(said)]);
      expect(err).toContain('Nothing was booked.');
    }
    expect(await reports()).toBe(before);
    expect((await run(`\uFEFF${whole}`)).code).toBe(0);
  });

  test('a line that has come in another report: 2, and nothing of the file is booked', async () => {
    const [one, other] = [await captured(), await captured()];
    const line = lineOf(one.authorization);
    expect((await run(writeReport([line]))).code).toBe(0);
    const { code, err } = await run(writeReport([lineOf(other.authorization), line]));
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`Line 3: The line ${line.lineId} has come in another report`),
    ]);
    expect(await poolBalance()).toBe(20_000n);
  });

  test('killed behind its first commit and run again, it books each line once', async () => {
    const paid = await Promise.all(Array.from({ length: 260 }, () => captured()));
    const file = join(folder, 'killed.csv');
    writeFileSync(file, writeReport(paid.map(({ authorization }) => lineOf(authorization))));
    const start = (environment: NodeJS.ProcessEnv = {}) => {
      const words = [...programOf('scripts/settle.ts'), file, '--acquirer', 'sandbox_acquirer', '--mode', 'test'];
      const env = {
        ...process.env,
        DATABASE_URL: database.applicationUrl,
        COUNTINGHOUSE_ENCRYPTION_KEY: database.encryptionKey,
        ...environment,
      };
      return once(spawn(process.execPath, words, { env, stdio: 'ignore' }), 'exit');
    };
    expect(await start({ COUNTINGHOUSE_FAILPOINTS: 'ledger.commit.after=kill@1' })).toEqual([null, 'SIGKILL']);
    const before = await linesBooked();
    expect(before > 0n && before < 260n).toBe(true);
    expect(await start()).toEqual([0, null]);
    expect(await linesBooked()).toBe(260n);
    expect(await poolBalance()).toBe(5_200_000n);
    expect(await findings()).toEqual([]);
  });

  test('no database: 3', async () => {
    const file = join(folder, 'lonely.csv');
    writeFileSync(file, writeReport([lineOf({ reference: 'R' })]));
    const url = 'postgres://nobody:none@127.0.0.1:9/none';
    const { code } = await runHere(
      program,
      [file, '--acquirer', 'sandbox_acquirer', '--mode', 'test', '--database-url', url],
      {},
    );
    expect(code).toBe(3);
  });
});

test.each`
  rule                       | statement
  ${'payment_share.lines'}   | ${"UPDATE payment_shares SET amount = amount + 1 WHERE book_id = $1 AND status = 'open' AND kind = 'ready'"}
  ${'payment_share.waiting'} | ${"UPDATE payment_shares SET lent = lent + 1 WHERE book_id = $1 AND kind = 'waiting'"}
  ${'settlement.lines'}      | ${'UPDATE settlement_lines SET amount = amount + 1 WHERE book_id = $1'}
`('verify finds $rule', async ({ rule, statement }) => {
  const { authorization } = await captured();
  await settle([lineOf(authorization)]);
  expect(await findings()).toEqual([]);
  const owner = await openBook({ database: database.superuserUrl, bookId: book.id });
  await owner.pool.query(statement, [book.id]);
  await owner.close();
  expect(await findings()).toContain(rule);
});
