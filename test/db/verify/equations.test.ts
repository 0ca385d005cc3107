/** A wrong of one minor unit on each account of the chart, in the journal or in a row: verify and the audit find it. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import { GROUPS } from '../../../src/groups.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { CHART_CODES, type ChartCode, chartAccountId } from '../../../src/ledger/account/chart.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId, publicId, type ResourceName, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';
import { type FilledDatabase, openFilledDatabase } from '../../support/verify-scene.ts';

const LATE = { status: 'declined', code: 'processing_error', call: 'notice', isLate: true } as const;

/** Captures that wait, are settled and are released; refunds under way, done, and failed; disputes open, lost and won. */
async function payThrough(book: TestBook): Promise<{ payout: Uuid; refund: Uuid; capture: Uuid; payer: Uuid }> {
  const [money, reports] = [new MoneyBack(book), new Reports(book)];
  money.terms = { fees: new Map([['EUR', 1_500n]]), feeRefunded: true };
  const accountId = await book.account({ amount: 50_000n });
  const refunded = await money.captured(accountId, 20_000n);
  const disputed = await money.captured(accountId, 10_000n);
  const waiting = await reports.captured(accountId);
  const pending = await money.refunding(refunded, 1_000n);
  await money.say(await money.refunding(refunded, 2_000n), { status: 'succeeded' });
  await money.say(await money.refunding(refunded, 300n), { status: 'declined', code: 'processing_error' });
  const late = await money.refunding(refunded, 400n);
  await money.say(late, { status: 'succeeded' });
  await money.say(late, { ...LATE, noticeId: newId() });
  await money.dispute(disputed, { kind: 'dispute_chargeback', amount: 500n, reference: 'D1' });
  await money.dispute(disputed, { kind: 'dispute_won', reference: 'D1' });
  await money.dispute(disputed, { kind: 'dispute_chargeback', amount: 700n, reference: 'D2' });
  await money.dispute(disputed, { kind: 'dispute_inquiry', amount: 50n, reference: 'D3' });
  const processing = await book.reserve(await book.accept({ accountId, currency: 'EUR', amount: 100n }));
  await book.settle(await book.reserve(await book.accept({ accountId, currency: 'EUR', amount: 200n, fee: 5n })), {
    status: 'paid',
  });
  await reports.settle([reports.lineOf(waiting.authorization)]);
  await money.release(accountId);
  const { id: capture } = await book.row<{ id: Uuid }>(
    "SELECT id FROM payment_operations WHERE book_id = $1 AND kind = 'capture' ORDER BY id LIMIT 1",
  );
  return { payout: processing.id, refund: pending.id, capture, payer: accountId };
}

describe('an entry that is booked like any other', () => {
  let database: TestDatabase;
  let book: TestBook;
  let known: Awaited<ReturnType<typeof payThrough>>;

  beforeAll(async () => {
    database = await createTestDatabase();
    book = await openBook({ database: database.applicationUrl });
    known = await payThrough(book);
  });
  afterAll(async () => {
    await book?.close();
    await database?.drop();
  });

  test('is found nowhere in a book where all that happens has happened', async () => {
    expect(await findingsOf(book)).toEqual([]);
  });

  /** Balanced, chained and counted: only that no row says it. */
  function plant(code: ChartCode, of: { resource: string; resourceId: Uuid }): Command<void> {
    const [id, chart] = [newId(), chartAccountId(book.id, code, 'EUR')];
    return {
      ...{ id, name: 'plant', requestId: newId() },
      touches: [{ table: accounts, ids: [chart, known.payer] }],
      decide(state, moment) {
        const draft = new Draft(state, { id, requestId: newId() }, moment);
        const postings = [{ debit: draft.chart(code, 'EUR').id, credit: known.payer, amount: 1n }];
        const step = `planted_on_${code}`;
        draft.post({ ...of, resource: of.resource as ResourceName, step, overrideFloor: true, postings });
        return draft.finish(undefined);
      },
    };
  }

  const found = async (code: ChartCode) => {
    const account = publicId('account', chartAccountId(book.id, code, 'EUR'));
    return (await findingsOf(book)).filter(({ ids }) => ids.account === account).map(({ check }) => check);
  };

  test.each(CHART_CODES)('on %s, of nothing that has rows', async (code) => {
    await book.submit(plant(code, { resource: 'entry', resourceId: newId() }));
    expect(await found(code)).toEqual(['account.untied']);
  });

  test.each(CHART_CODES)('on %s, of a row that says something else', async (code) => {
    const of: { [code: string]: { resource: string; resourceId: Uuid } } = {
      payouts_in_transit: { resource: 'payout', resourceId: known.payout },
      pool: { resource: 'payout', resourceId: known.payout },
    };
    await book.submit(plant(code, of[code] ?? { resource: 'refund', resourceId: known.refund }));
    expect(await found(code)).toContain('account.equation');
  });

  test('of what is there, but is no capture', async () => {
    const { id } = await book.row<{ id: Uuid }>(
      "SELECT id FROM payment_operations WHERE book_id = $1 AND kind = 'authorize' LIMIT 1",
    );
    await book.submit(plant('acquirer', { resource: 'capture', resourceId: id }));
    expect((await findingsOf(book)).map(({ check }) => check)).toContain('journal.resource');
  });

  test('is found by the audit, page by page', async () => {
    const log = pino({ level: 'silent' });
    let kinds: readonly string[] = [];
    const counts = {
      ...{ rows: () => undefined, round: () => undefined },
      findings: (byKind: ReadonlyMap<string, number>) => {
        kinds = [...byKind.keys()];
      },
    };
    const audit = createAudit({ groups: GROUPS, pool: book.pool, clock: systemClock, log, counts });
    while (!(await audit.turn()));
    expect(kinds).toEqual(expect.arrayContaining(['account.untied', 'account.equation', 'journal.resource']));
  });
});

describe('a row that says one minor unit more', () => {
  let filled: FilledDatabase;

  beforeAll(async () => {
    filled = await openFilledDatabase(async (book) => {
      await payThrough(book);
    });
  });
  afterAll(() => filled?.close());

  const one = (table: string, where: string) =>
    `(book_id, id) IN (SELECT book_id, id FROM ${table} WHERE ${where} ORDER BY id LIMIT 1)`;
  const more = (table: string, column: string, where = 'true') =>
    `UPDATE ${table} SET ${column} = ${column} + 1 WHERE ${one(table, where)}`;

  test('is not there', async () => {
    expect(await filled.findingsAfter('SELECT 1')).toEqual([]);
  });

  test.each<[what: string, rule: string, code: ChartCode | null, statements: string[]]>([
    [
      'a refund under way',
      'account.equation',
      'refunds_in_transit',
      [more('payment_operations', 'amount', "kind = 'refund' AND status = 'pending'")],
    ],
    [
      'a refund that succeeded',
      'account.equation',
      'acquirer',
      [more('payment_operations', 'amount', "kind = 'refund' AND status = 'succeeded'")],
    ],
    [
      'the fee of a refund',
      'account.equation',
      'due_operator',
      [more('payment_operations', 'fee', "kind = 'refund' AND status = 'succeeded'")],
    ],
    ['a capture', 'account.equation', 'acquirer', [more('payment_operations', 'amount', "kind = 'capture'")]],
    [
      'the fee of a capture',
      'account.equation',
      'due_operator',
      [more('payment_operations', 'fee', "kind = 'capture'")],
    ],
    [
      'a dispute',
      'account.equation',
      'acquirer',
      [more('payment_disputes', 'amount', "stage = 'chargeback' AND status = 'opened'")],
    ],
    [
      'the fee of a dispute',
      'account.equation',
      'due_operator',
      [more('payment_disputes', 'fee', "stage = 'chargeback' AND status = 'opened'")],
    ],
    [
      'a payout under way',
      'account.equation',
      'payouts_in_transit',
      [more('payouts', 'amount', "status = 'processing' AND currency = 'EUR'")],
    ],
    [
      'a payout that is paid',
      'account.equation',
      'pool',
      [more('payouts', 'amount', "status = 'paid' AND currency = 'EUR' AND destination_account_id IS NULL")],
    ],
    [
      'the fee of a payout',
      'account.equation',
      'due_operator',
      [more('payouts', 'fee', "status = 'paid' AND fee > 0")],
    ],
    ['an inbound transfer', 'account.equation', 'pool', [more('inbound_transfers', 'amount')]],
    ['a line of a share', 'account.equation', 'merchant_pending', [more('payment_share_lines', 'amount')]],
    [
      'a share and its line',
      'account.equation',
      'merchant_pending',
      [
        more('payment_shares', 'amount', "status = 'open' AND amount > 0"),
        `UPDATE payment_share_lines l SET amount = l.amount + 1 WHERE l.id = (SELECT max(m.id::text)::uuid FROM payment_share_lines m
         JOIN (SELECT id FROM payment_shares WHERE status = 'open' AND amount > 0 ORDER BY id LIMIT 1) s ON s.id = m.share_id)`,
      ],
    ],
    ['a share', 'payment_share.lines', null, [more('payment_shares', 'amount', "status = 'open'")]],
    [
      'a line of nothing',
      'payment_share.line',
      null,
      [
        `INSERT INTO payment_share_lines SELECT book_id, gen_random_uuid(), share_id, payment_id, gen_random_uuid(), round, 1, created_at
         FROM payment_share_lines ORDER BY id LIMIT 1`,
      ],
    ],
    ['a release', 'account.equation', 'merchant_pending', [more('payment_releases', 'amount')]],
    ['a settlement', 'account.equation', 'pool', [more('settlements', 'amount')]],
    ['a line of a settlement', 'settlement.lines', null, [more('settlement_lines', 'amount')]],
    [
      'what is settled of a payment',
      'payment.amounts',
      null,
      [more('payments', 'amount_settled', 'amount_settled > 0')],
    ],
    ['the count of disputes', 'payment.amounts', null, [more('payments', 'disputes', 'disputes > 0')]],
  ])('%s', async (_, rule, code, statements) => {
    const findings = await filled.findingsAfter(...statements);
    const account = code && publicId('account', chartAccountId(filled.scene.bookId, code, 'EUR'));
    const named = findings.filter(({ check, ids }) => check === rule && (account === null || ids.account === account));
    expect(named).toHaveLength(1);
  });
});
