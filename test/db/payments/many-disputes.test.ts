/** A payment that is disputed again and again: what a payday makes of it, and where it ends. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Acquirers, createAcquirers } from '../../../src/acquirers/acquirers.ts';
import type { Appointment } from '../../../src/group/appointment.ts';
import type { RowFailed } from '../../../src/group/moved-rows.ts';
import { advanceClock, runAdvance } from '../../../src/journal/advance-clock.ts';
import { keepAppointments } from '../../../src/journal/keep-appointments.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { disputes } from '../../../src/payments/disputes/dispute-table.ts';
import { paydays } from '../../../src/payments/paydays/settlement-table.ts';
import { DISPUTES_MAX } from '../../../src/payments/payment/payment.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { bookReport } from '../../../src/payments/settlements/book-report.ts';
import { openPayday, paydayOfSandbox, paydayStep } from '../../../src/payments/settlements/keep-payday.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { NoProgress } from '../../../src/values/progress.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { type Captured, MoneyBack } from '../../support/money-back.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';
import { WITHOUT_RAILS } from '../../support/without-rails.ts';

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;
let reports: Reports;
let payment: Captured;
let acquirers: Acquirers;

beforeAll(async () => {
  database = await createTestDatabase();
  const config = { DATABASE_URL: database.applicationUrl };
  acquirers = createAcquirers(config, createLogger('silent', 'test'), { publicUrl: 'http://localhost' });
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  money = new MoneyBack(book);
  reports = new Reports(book);
  payment = await money.captured(await book.account(), 20_000n);
  return () => book.close();
});
afterAll(async () => {
  await acquirers?.close();
  await database?.drop();
});

const chargeback = (reference: string, change: { createdAt?: number; dated?: false } = {}) =>
  money.dispute(payment, { kind: 'dispute_chargeback', amount: 1n, reference, ...change });
const exceptionsOf = () =>
  book.rows<{ kind: string; detail: string }>('SELECT kind, detail FROM exceptions WHERE book_id = $1 ORDER BY id');

test('a payment has 500 disputes, one more is for a person, and a report settles each of the 500', async () => {
  for (let at = 0; at < DISPUTES_MAX; at++) await chargeback(`D${at}`);
  const { dispute: beyond } = await chargeback('beyond');
  expect(beyond).toBeUndefined();
  expect((await exceptionsOf()).at(-1)).toEqual({
    kind: 'dispute_exceeds_payment',
    detail: expect.stringMatching(/^The acquirer disputes 1 EUR; .* 500 disputes/),
  });
  const of = (await payments.find(book.pool, book.id, payment.id))!;
  expect(of).toMatchObject({ disputes: DISPUTES_MAX, amountDisputed: BigInt(DISPUTES_MAX) });
  const before = (await exceptionsOf()).length;
  const lines = Array.from({ length: DISPUTES_MAX + 1 }, () =>
    reports.lineOf(payment.authorization, { type: 'dispute', gross: -1n, cost: 0n }),
  );
  const [booked] = await reports.settle(lines);
  expect(booked!.settlement).toMatchObject({ status: 'completed', taken: DISPUTES_MAX + 1, exceptions: 1 });
  expect(await reports.poolBalance()).toBe(-BigInt(DISPUTES_MAX));
  expect((await exceptionsOf()).slice(before).map(({ kind }) => kind)).toEqual(['settlement_repeated']);
  expect(await findingsOf(book)).toEqual([]);
});

test.each`
  what                                            | createdAt | opens
  ${'the same notice under another id'}           | ${1_000}  | ${false}
  ${'an earlier one, which came late'}            | ${999}    | ${false}
  ${'a chargeback that follows one that was won'} | ${1_001}  | ${true}
`('$what opens a dispute after one was won: $opens', async ({ createdAt, opens }) => {
  const { dispute } = await chargeback('D1', { createdAt: 1_000 });
  await money.dispute(payment, { kind: 'dispute_won', reference: 'D1' });
  const { dispute: again } = await chargeback('D1', { createdAt });
  expect(again?.id !== dispute!.id).toBe(opens);
  const { amountDisputed } = (await payments.find(book.pool, book.id, payment.id))!;
  expect(amountDisputed).toBe(opens ? 1n : 0n);
  // An inquiry does not follow its chargeback, whenever it is told.
  const { dispute: inquiry } = await money.dispute(payment, { kind: 'dispute_inquiry', amount: 1n, reference: 'D1' });
  expect(inquiry!.id).toBe(again!.id);
  expect(await disputes.find(book.pool, book.id, again!.id)).toMatchObject({ status: opens ? 'opened' : 'won' });
});

test('without a time the same words are for a person, after the dispute was decided', async () => {
  const { dispute } = await chargeback('D1', { dated: false });
  await money.dispute(payment, { kind: 'dispute_won', reference: 'D1' });
  const { dispute: again } = await chargeback('D1', { dated: false });
  expect(again!.id).toBe(dispute!.id);
  expect((await exceptionsOf()).map(({ kind }) => kind)).toEqual(['dispute_contradicted']);
  expect(await money.payment(payment)).toMatchObject({ disputes: 1, amountDisputed: 0n });
});

test('a won notice that is told again does not decide the dispute that follows', async () => {
  await chargeback('D1', { createdAt: 1_000 });
  await money.dispute(payment, { kind: 'dispute_won', reference: 'D1', createdAt: 2_000 });
  const { dispute: next } = await chargeback('D1', { createdAt: 3_000 });
  await money.dispute(payment, { kind: 'dispute_won', reference: 'D1', createdAt: 2_000 });
  expect(await disputes.find(book.pool, book.id, next!.id)).toMatchObject({ status: 'opened' });
});

/** A report of one line, whose part says that it has one more: what is lost of a report is never taken. */
async function cutShort() {
  const report = await reports.keep([reports.lineOf(payment.authorization)]);
  const owner = await openBook({ database: database.superuserUrl, bookId: book.id });
  await owner.pool.query('UPDATE acquirer_report_parts SET lines = lines + 1 WHERE report_id = $1', [report.id]);
  await owner.close();
  return report;
}

test('a report of which no line is left says so, and is not read for ever', async () => {
  await expect(bookReport(book, await cutShort())).rejects.toThrow(/no line is taken behind line 1 of 2/);
});

test('a payday that takes nothing is set aside, on a job of its own and on the way of a clock', async () => {
  const { id: reportId } = await cutShort();
  const id = newId();
  await book.submit(openPayday(id));
  await book.rows(
    'UPDATE acquirer_paydays SET report_ids = jsonb_build_array($3::text) WHERE book_id = $1 AND id = $2',
    id,
    reportId,
  );
  expect(
    await book.submit(await paydayStep({ pool: book.pool, acquirers, secretBox: TEST_SECRET_BOX }, book.id, id)),
  ).toBe(false);
  await expect(
    paydayStep({ pool: book.pool, acquirers, secretBox: TEST_SECRET_BOX }, book.id, id).then((command) =>
      book.submit(command),
    ),
  ).rejects.toThrow(NoProgress);

  expect(await setAside(paydayOfSandbox)).toEqual([[id, expect.any(NoProgress)]]);
});

test('an appointment that changes nothing, and is due still, is set aside', async () => {
  const id = newId();
  await book.submit(openPayday(id));
  const origin = { id: newId(), requestId: newId() };
  const nothing: Command<void> = {
    ...{ ...origin, name: 'nothing', touches: [] },
    decide: (state, moment) => new Draft(state, origin, moment).finish(undefined),
  };
  const idle = { ...paydayOfSandbox, command: () => Promise.resolve(nothing) };
  expect(await setAsideByJob(idle, [id])).toEqual([[id, expect.any(NoProgress)]]);
  expect(await setAside(idle)).toEqual([[id, expect.any(NoProgress)]]);
});

test('of appointments that a job carries out together, only what is due as before is set aside', async () => {
  const [stays, moves] = [newId(), newId()];
  await book.submit(openPayday(stays));
  await book.submit(openPayday(moves));
  const origin = () => ({ id: newId(), requestId: newId() });
  const done = (): Command<void> => ({
    ...{ ...origin(), name: 'done', touches: [{ table: paydays, ids: [moves] }] },
    decide(state, moment) {
      const draft = new Draft(state, origin(), moment);
      const payday = draft.get(paydays, moves)!;
      draft.put(paydays, moves, { ...payday, status: 'done', dueAt: null, version: payday.version + 1 });
      return draft.finish(undefined);
    },
  });
  const { place: _, ...planted } = paydayOfSandbox;
  const one = { ...planted, command: () => Promise.resolve(done()) };
  expect(await setAsideByJob(one, [stays, moves])).toEqual([[stays, expect.any(NoProgress)]]);
});

test.each([
  ['that one step carries out', undefined],
  ['that takes several steps', paydayOfSandbox.place!],
])('an appointment %s, and whose command writes its row and leaves it due, is set aside', async (_, place) => {
  const id = newId();
  await book.submit(openPayday(id));
  const origin = () => ({ id: newId(), requestId: newId() });
  const writing = (): Command<void> => ({
    ...{ ...origin(), name: 'writing', touches: [{ table: paydays, ids: [id] }] },
    decide(state, moment) {
      const draft = new Draft(state, origin(), moment);
      const payday = draft.get(paydays, id)!;
      draft.put(paydays, id, { ...payday, version: payday.version + 1, updatedAt: moment.book });
      return draft.finish(undefined);
    },
  });
  const { place: __, ...planted } = paydayOfSandbox;
  const busy = { ...planted, ...(place && { place }), command: () => Promise.resolve(writing()) };
  expect(await setAsideByJob(busy, [id])).toEqual([[id, expect.any(NoProgress)]]);
  expect(await setAside(busy)).toEqual([[id, expect.any(NoProgress)]]);
});

/** Carries them out as the ledger pool's job does, in wall time. Returns what was set aside. */
async function setAsideByJob(appointment: Appointment, ids: readonly Uuid[]): Promise<[Uuid, unknown][]> {
  const stuck: [Uuid, unknown][] = [];
  const rowFailed: RowFailed = async (_, row, error) => stuck.push([row.id, error]) > 0;
  await keepAppointments(
    {
      ...{ pool: book.pool, committer: book.committer, acquirers, secretBox: TEST_SECRET_BOX, ...WITHOUT_RAILS },
      rowFailed,
    },
    appointment,
    { bookId: book.id, ids },
  );
  return stuck;
}

/** Advances the clock of the book by a minute. Returns what was set aside on the way; the clock arrives. */
async function setAside(appointment: Appointment): Promise<[Uuid, unknown][]> {
  const stuck: [Uuid, unknown][] = [];
  const target = Date.now() + 60_000;
  await book.submit(advanceClock({ bookId: book.id, targetFrom: () => target, requestId: newId(), actor: 'test' }));
  await runAdvance(
    {
      ...{
        pool: book.pool,
        committer: book.committer,
        appointments: [appointment],
        acquirers,
        secretBox: TEST_SECRET_BOX,
        ...WITHOUT_RAILS,
      },
      enqueuer: { enqueue: () => undefined },
      async rowFailed(_: unknown, row: { id: Uuid }, error: unknown) {
        stuck.push([row.id, error]);
        await book.rows(
          'UPDATE acquirer_paydays SET stuck_at = now() WHERE book_id = $1 AND id = $2 RETURNING id',
          row.id,
        );
        return true;
      },
    },
    book.id,
  );
  const { clock_target } = await book.row<{ clock_target: unknown }>('SELECT clock_target FROM books WHERE id = $1');
  expect(clock_target).toBeNull();
  return stuck;
}
