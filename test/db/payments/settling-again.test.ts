/** Lines of reports that became exceptions and are taken again: booked once what they are about is there, and once only. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { program } from '../../../scripts/settle.ts';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import { approveException, assignException, explainException } from '../../../src/exceptions/handle-exception.ts';
import { settlements } from '../../../src/payments/paydays/settlement-table.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { findExceptionLine } from '../../../src/payments/settlements/exception-line-store.ts';
import { readLines } from '../../../src/payments/settlements/next-lines.ts';
import { settleAgain } from '../../../src/payments/settlements/settle-again.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { acceptOne, say } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type Line, Reports } from '../../support/reports.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let book: TestBook;
let reports: Reports;
let accountId: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  reports = new Reports(book);
  accountId = await book.account();
  return async () => {
    expect(await findingsOf(book)).toEqual([]);
    await book.close();
  };
});
afterAll(async () => {
  await database?.drop();
});

const again = (...words: string[]) =>
  runHere(program, ['--again', ...words], { DATABASE_URL: database.applicationUrl });

/** A report of one line that is an exception. */
async function excepted(line: Line) {
  const [part] = await reports.settle([line]);
  const { id } = await book.row<{ id: Uuid }>('SELECT id FROM exceptions WHERE book_id = $1');
  expect(part!.settlement).toMatchObject({ exceptions: 1, amount: 0n });
  return { settlementId: part!.settlement.id, exceptionId: id, shown: publicId('exception', id) };
}

/** A payment whose capture the acquirer has not told of: its line is an exception. */
async function pending() {
  const { payment, operation } = await acceptOne(book, { accountId });
  const found = await excepted(reports.lineOf(operation));
  return { ...found, payment, operation };
}

test('a capture that was still under way is booked once it has succeeded, however often it is asked for', async () => {
  const { payment, operation, settlementId, exceptionId, shown } = await pending();
  const early = await again(shown);
  expect([early.code, early.out]).toEqual([1, expect.stringContaining('is an exception still.')]);
  expect(await reports.poolBalance()).toBe(0n);
  await say(book, { payment, operation }, {});
  const { code, out } = await again(shown, '--by', 'Amal', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    booked: 20_000,
    exception: shown,
    book: publicId('book', book.id),
  });
  expect(await payments.find(book.pool, book.id, payment.id)).toMatchObject({ status: 'settled' });
  expect(await settlements.find(book.pool, book.id, settlementId)).toMatchObject({
    status: 'completed',
    amount: 20_000n,
    exceptions: 0,
    taken: 1,
  });
  expect(await exceptions.find(book.pool, book.id, exceptionId)).toMatchObject({
    status: 'approved',
    approvedBy: 'operator:Amal',
    evidence: [{ type: 'file', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  });
  const second = await again(shown);
  expect([second.code, second.out]).toEqual([0, expect.stringContaining('nothing is booked twice')]);
  expect(await reports.poolBalance()).toBe(20_000n);
  const told = await book.rows<{ type: string }>(
    "SELECT type FROM events WHERE book_id = $1 AND type ~ '^(settlement|exception)' ORDER BY sequence",
  );
  expect(told.map(({ type }) => type)).toEqual([
    'exception.opened',
    'settlement.received',
    'settlement.completed',
    'settlement.completed',
    'exception.resolved',
  ]);
});

test('two that take it at once book it once', async () => {
  const { payment, operation, exceptionId } = await pending();
  await say(book, { payment, operation }, {});
  const found = (await findExceptionLine(book.pool, exceptionId))!;
  const read = await readLines(book.pool, book.id, [found.line]);
  const command = () =>
    settleAgain(book.id, { found, read: read.found[0]!, shares: read.shares, actor: 'operator:Amal' });
  const answers = await Promise.all([book.submit(command()), book.submit(command()), book.submit(command())]);
  expect(answers.map(({ result }) => result)).toEqual(['booked', 'ended', 'ended']);
  expect(await reports.poolBalance()).toBe(20_000n);
});

test('a dispute that was told of later is booked against it', async () => {
  const money = new MoneyBack(book);
  const payment = await money.captured(accountId, 10_000n);
  const line = reports.lineOf(payment.authorization, { type: 'dispute', gross: -4_000n, cost: 0n });
  const { shown } = await excepted(line);
  await money.dispute(payment, { kind: 'dispute_chargeback', amount: 4_000n });
  expect((await again(shown)).code).toBe(0);
  expect(await reports.poolBalance()).toBe(-4_000n);
});

test('what a person has explained is not booked over, and is once it was sent back', async () => {
  const { payment, operation, exceptionId, settlementId, shown } = await pending();
  await say(book, { payment, operation }, {});
  const by = (actor: string) => ({ exceptionId, actor, requestId: newId() });
  await book.submit(assignException({ ...by('operator:Amal'), personId: newId() }));
  await book.submit(explainException({ ...by('operator:Amal'), reason: 'The acquirer takes it back.' }));
  const explained = await exceptions.find(book.pool, book.id, exceptionId);
  const { code, out } = await again(shown);
  expect([code, out]).toEqual([
    1,
    expect.stringContaining('has an exception that is explained by a person and waits for approval'),
  ]);
  expect(JSON.parse((await again(shown, '--json')).out)).toMatchObject({ ok: false, booked: 0 });
  expect(await reports.poolBalance()).toBe(0n);
  expect(await exceptions.find(book.pool, book.id, exceptionId)).toEqual(explained);
  expect(await settlements.find(book.pool, book.id, settlementId)).toMatchObject({ amount: 0n, exceptions: 1 });
  await book.submit(assignException({ ...by('operator:Basim'), personId: newId() }));
  expect((await again(shown)).code).toBe(0);
  expect(await reports.poolBalance()).toBe(20_000n);
});

test('what people have approved without it is not booked', async () => {
  const { payment, operation, exceptionId, shown } = await pending();
  await say(book, { payment, operation }, {});
  const by = (actor: string) => ({ exceptionId, actor, requestId: newId() });
  await book.submit(assignException({ ...by('operator:Amal'), personId: newId() }));
  await book.submit(explainException({ ...by('operator:Amal'), reason: 'The acquirer takes it back.' }));
  await book.submit(approveException({ ...by('operator:Basim'), waiting: null }));
  const { code, out } = await again(shown);
  expect([code, out]).toEqual([1, expect.stringContaining('approved by people without this line')]);
  expect(await reports.poolBalance()).toBe(0n);
});

test.each`
  what                                | words                                 | said
  ${'an exception that is not there'} | ${['exc_01h2xcejqtf2nbrexx3vqjhp41']} | ${'There is no line of a report with an exception exc_01h2xcejqtf2nbrexx3vqjhp41.'}
  ${'no id'}                          | ${['nothing']}                        | ${'There is no line of a report with an exception nothing.'}
  ${'a report beside it'}             | ${['nothing', 'report.csv']}          | ${'Give a report or --again, and not both.'}
`('$what: 2', async ({ words, said }) => {
  const { code, err } = await again(...words);
  expect([code, err]).toEqual([2, `${said} Nothing was booked.\n`]);
});

test('neither a report nor an exception: 2', async () => {
  const { code, err } = await runHere(program, [], { DATABASE_URL: database.applicationUrl });
  expect([code, err]).toEqual([
    2,
    'Give a report with --acquirer, or an exception with --again. Nothing was booked.\n',
  ]);
});
