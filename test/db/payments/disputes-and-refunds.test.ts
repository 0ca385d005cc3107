/** Disputes and refunds of one payment, in any order: where money is taken, where it comes back to, and what is for a person. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerDispute } from '../../../src/payments/disputes/answer-dispute.ts';
import type { Dispute } from '../../../src/payments/disputes/dispute.ts';
import { disputes } from '../../../src/payments/disputes/dispute-table.ts';
import { visitDisputes } from '../../../src/payments/disputes/visit-disputes.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { type Captured, MoneyBack } from '../../support/money-back.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runs } from '../../support/runs.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;
/** Milliseconds that the clock is ahead of this machine's. */
let ahead = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl, clock: { now: () => Date.now() + ahead } });
});
beforeEach(() => {
  money = new MoneyBack(book);
});
afterEach(async () => {
  expect(await money.differences()).toEqual([]);
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

/** 10,000 at 2.5 % and 10: 260 of fee, 9,740 earned. */
const EARNED = 9_740n;

const chargeback = (payment: Captured, told: object = {}) =>
  money.dispute(payment, { kind: 'dispute_chargeback', ...told });
const read = (id: string) => disputes.find(book.pool, book.id, id) as Promise<Dispute>;

describe('a chargeback takes', () => {
  test('from the own share, then the customer below its floor, flagged', async () => {
    const accountId = await book.account({ amount: 100n });
    const payment = await money.captured(accountId, 10_000n);
    const { dispute } = await chargeback(payment);
    expect(dispute).toMatchObject({ status: 'opened', stage: 'chargeback', amount: 10_000n, reason: 'fraudulent' });
    expect(await money.entries(dispute!.id)).toEqual([
      {
        step: 'taken',
        flagged: true,
        postings: [`merchant_pending → acquirer ${EARNED}`, 'customer → acquirer 260'],
      },
    ]);
    expect(await money.balance(accountId)).toBe(-160n);
    expect(await money.payment(payment)).toMatchObject({ amountDisputed: 10_000n });
    expect(await money.exceptions(payment.id, dispute!.id)).toEqual([]);
  });

  test('from what the customer has once it is released, and flags nothing that is there', async () => {
    const accountId = await book.account({ amount: 1_000n });
    const payment = await money.captured(accountId, 10_000n);
    await money.release(accountId);
    const { dispute } = await chargeback(payment, { amount: 5_000n });
    expect(await money.entries(dispute!.id)).toEqual([
      { step: 'taken', flagged: false, postings: ['customer → acquirer 5000'] },
    ]);
  });

  test('from other payments of the account before the customer owes it', async () => {
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    await money.release(accountId);
    const drained = await book.reserve(await book.accept({ accountId, amount: EARNED, fee: 0n }));
    expect(drained.status).toBe('processing');
    await money.captured(accountId, 5_000n, { days: 3, onceSettled: true });
    const { dispute } = await chargeback(payment);
    expect(await money.entries(dispute!.id)).toMatchObject([
      { flagged: true, postings: ['merchant_pending → acquirer 4865', 'customer → acquirer 5135'] },
    ]);
    expect(await money.shares(accountId)).toEqual([0n]);
  });

  test('its fee beside the amount, from the same places', async () => {
    money.terms = { fees: new Map([['EUR', 1_500n]]), feeRefunded: false };
    const accountId = await book.account({ amount: 100_000n });
    const payment = await money.captured(accountId, 10_000n);
    const operator = await money.balance('due_operator');
    const { dispute } = await chargeback(payment, { amount: 9_000n });
    expect(dispute).toMatchObject({ fee: 1_500n });
    expect(await money.entries(dispute!.id)).toMatchObject([
      {
        postings: [
          'merchant_pending → acquirer 9000',
          'merchant_pending → due_operator 740',
          'customer → due_operator 760',
        ],
      },
    ]);
    expect(await money.balance('due_operator')).toBe(operator + 1_500n);
  });

  test('from an account that is frozen', async () => {
    const accountId = await book.account({ amount: 500n });
    const payment = await money.captured(accountId, 10_000n);
    await money.release(accountId);
    await book.setStatus('freeze', accountId);
    await chargeback(payment);
    expect(await money.balance(accountId)).toBe(500n + EARNED - 10_000n);
  });

  test('from an account that is closed, with an exception', async () => {
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    await money.release(accountId);
    await book
      .reserve(await book.accept({ accountId, amount: EARNED, fee: 0n }))
      .then((payout) => book.settle(payout, {}));
    expect(await book.setStatus('close', accountId)).not.toHaveProperty('refused');
    const { dispute } = await chargeback(payment);
    expect(await money.balance(accountId)).toBe(-10_000n);
    expect(await money.exceptions(payment.id, dispute!.id)).toEqual(['dispute_on_closed_account']);
    // A closed account gets back what it won.
    await money.dispute(payment, { kind: 'dispute_won' });
    expect(await money.balance(accountId)).toBe(0n);
  });
});

test('an inquiry books nothing, and keeps nothing from being refunded', async () => {
  const accountId = await book.account();
  const payment = await money.captured(accountId, 10_000n);
  const { dispute } = await money.dispute(payment, { kind: 'dispute_inquiry' });
  expect(dispute).toMatchObject({ stage: 'inquiry', amount: 10_000n, entryIds: [], fee: 0n });
  expect(await money.entries(dispute!.id)).toEqual([]);
  expect(await money.payment(payment)).toMatchObject({ amountDisputed: 0n });
  expect(await money.refund(payment, 4_000n)).toMatchObject({ status: 202 });
  const won = await money.dispute(payment, { kind: 'dispute_won' });
  expect(won.dispute).toMatchObject({ status: 'won', entryIds: [] });
});

describe('an inquiry that becomes a chargeback', () => {
  test('is lost by that, and followed by a dispute of its own', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const inquiry = (await money.dispute(payment, { kind: 'dispute_inquiry' })).dispute!;
    const next = (await chargeback(payment)).dispute!;
    expect(next).toMatchObject({ stage: 'chargeback', previousDispute: inquiry.id, status: 'opened' });
    expect(await read(inquiry.id)).toMatchObject({ status: 'lost', nextDispute: next.id, visitAt: null });
    const told = await book.rows<{ type: string }>(
      'SELECT type FROM events WHERE book_id = $1 AND object_id IN ($2, $3) ORDER BY sequence',
      inquiry.id,
      next.id,
    );
    expect(told.map(({ type }) => type)).toEqual(['dispute.opened', 'dispute.opened', 'dispute.escalated']);
  });

  test('is another one where the acquirer names another', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const inquiry = (await money.dispute(payment, { kind: 'dispute_inquiry', reference: 'A' })).dispute!;
    const next = (await chargeback(payment, { reference: 'B', amount: 100n })).dispute!;
    expect(next.previousDispute).toBeNull();
    expect(await read(inquiry.id)).toMatchObject({ status: 'opened', nextDispute: null });
  });
});

describe('decided', () => {
  test('won: the amount is back where it came from, and the fee stays', async () => {
    money.terms = { fees: new Map([['EUR', 1_500n]]), feeRefunded: false };
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    const { dispute } = await chargeback(payment);
    const { dispute: won } = await money.dispute(payment, { kind: 'dispute_won' });
    expect(won).toMatchObject({ status: 'won', feeRefunded: 0n, dueAt: null });
    expect((await money.entries(dispute!.id))[1]).toEqual({
      ...{
        step: 'won',
        flagged: false,
        postings: [`acquirer → merchant_pending ${EARNED}`, 'acquirer → customer 260'],
      },
    });
    expect(await money.shares(accountId)).toEqual([EARNED]);
    expect(await money.balance(accountId)).toBe(-1_500n);
    expect(await money.payment(payment)).toMatchObject({ amountDisputed: 0n });
  });

  test('won with the fee, by configuration', async () => {
    money.terms = { fees: new Map([['EUR', 1_500n]]), feeRefunded: true };
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    await chargeback(payment);
    const { dispute: won } = await money.dispute(payment, { kind: 'dispute_won' });
    expect(won).toMatchObject({ feeRefunded: 1_500n });
    expect([await money.shares(accountId), await money.balance(accountId)]).toEqual([[EARNED], 0n]);
  });

  test('lost: nothing more is booked, and what was taken counts as disputed', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const { dispute } = await chargeback(payment);
    expect((await money.dispute(payment, { kind: 'dispute_lost' })).dispute).toMatchObject({ status: 'lost' });
    expect(await money.entries(dispute!.id)).toHaveLength(1);
    expect(await money.payment(payment)).toMatchObject({ amountDisputed: 10_000n });
    expect(await money.refund(payment)).toMatchObject({ refused: 'state_conflict' });
  });

  test('won and disputed again: a chargeback of its own that knows the one before', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const first = (await chargeback(payment)).dispute!;
    await money.dispute(payment, { kind: 'dispute_won' });
    const second = (await chargeback(payment)).dispute!;
    expect(second).toMatchObject({ previousDispute: first.id, amount: 10_000n });
    expect(await read(first.id)).toMatchObject({ status: 'won', nextDispute: second.id });
    await money.dispute(payment, { kind: 'dispute_lost' });
    expect(await read(second.id)).toMatchObject({ status: 'lost' });
    expect(await read(first.id)).toMatchObject({ status: 'won' });
  });

  test.each`
    first             | then              | raises
    ${'dispute_won'}  | ${'dispute_won'}  | ${[]}
    ${'dispute_lost'} | ${'dispute_lost'} | ${[]}
    ${'dispute_won'}  | ${'dispute_lost'} | ${['dispute_contradicted']}
    ${'dispute_lost'} | ${'dispute_won'}  | ${['dispute_contradicted']}
  `('$first and then $then raises $raises and books nothing', async ({ first, then, raises }) => {
    const payment = await money.captured(await book.account(), 10_000n);
    const { dispute } = await chargeback(payment);
    await money.dispute(payment, { kind: first });
    const before = await money.entries(dispute!.id);
    await money.dispute(payment, { kind: then });
    expect(await money.entries(dispute!.id)).toEqual(before);
    expect(await money.exceptions(payment.id, dispute!.id)).toEqual(raises);
  });

  test('one that nobody opened is for a person', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const told = { kind: 'dispute_won' as const, id: newId() };
    const late = await money.dispute(payment, { ...told, createdAt: Date.now() - 2 * 60 * 60 * 1_000 });
    expect(late).toEqual({ dispute: undefined, isTooEarly: false });
    expect(await money.exceptions(payment.id)).toEqual(['dispute_unknown']);
  });

  test('before its chargeback: it is kept, and decides it then', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const told = { kind: 'dispute_won' as const, id: newId() };
    expect(await money.dispute(payment, told)).toEqual({ dispute: undefined, isTooEarly: true });
    expect(await money.exceptions(payment.id)).toEqual([]);
    await chargeback(payment);
    expect((await money.dispute(payment, told)).dispute).toMatchObject({ status: 'won' });
  });

  test.each`
    change                                                 | raises
    ${{ amount: 2_500n }}                                  | ${'acquirer_amount_mismatch'}
    ${{ confirmed: { amount: 10_000n, currency: 'USD' } }} | ${'acquirer_currency_mismatch'}
  `('won with $change: nothing is booked, and a person looks', async ({ change, raises }) => {
    const payment = await money.captured(await book.account(), 10_000n);
    const { dispute } = await chargeback(payment, { amount: 6_000n });
    const won = await money.dispute(payment, { kind: 'dispute_won', ...change });
    expect(won.dispute).toMatchObject({ status: 'opened' });
    expect(await money.exceptions(payment.id, dispute!.id)).toEqual([raises]);
    const right = await money.dispute(payment, { kind: 'dispute_won', amount: 6_000n });
    expect(right.dispute).toMatchObject({ status: 'won' });
  });
});

describe('told', () => {
  test('twice under one id: booked once, at once or one after the other', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const id = newId();
    const answers = await Promise.all([1, 2, 3].map(() => chargeback(payment, { id, amount: 3_000n })));
    const again = await chargeback(payment, { id, amount: 3_000n });
    const [{ count }] = (await book.rows<{ count: bigint }>(
      'SELECT count(*) FROM payment_disputes WHERE book_id = $1 AND payment_id = $2',
      payment.id,
    )) as [{ count: bigint }];
    expect(count).toBe(1n);
    expect(again.dispute).toMatchObject({ amount: 3_000n, status: 'opened' });
    expect(answers.every(({ isTooEarly }) => !isTooEarly)).toBe(true);
    expect(await money.payment(payment)).toMatchObject({ amountDisputed: 3_000n });
  });

  test('under another id while it is open: the same dispute', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const first = await chargeback(payment);
    expect((await chargeback(payment)).dispute!.id).toBe(first.dispute!.id);
    expect(await money.payment(payment)).toMatchObject({ amountDisputed: 10_000n });
  });

  test('more than was captured: no more than that is booked, and a person sees it', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const { dispute } = await chargeback(payment, { amount: 12_000n });
    expect(dispute).toMatchObject({ amount: 10_000n });
    expect(await money.exceptions(payment.id)).toEqual(['dispute_exceeds_payment']);
    expect((await chargeback(payment, { reference: 'D2', amount: 1n })).dispute).toBeUndefined();
    expect(await money.payment(payment)).toMatchObject({ amountDisputed: 10_000n });
  });

  test.each`
    confirmed                               | raises
    ${{ amount: 10_001n, currency: 'EUR' }} | ${'acquirer_amount_mismatch'}
    ${{ amount: 10_000n, currency: 'USD' }} | ${'acquirer_currency_mismatch'}
  `('of another payment under this reference: $raises, and nothing is booked', async ({ confirmed, raises }) => {
    const payment = await money.captured(await book.account(), 10_000n);
    expect((await chargeback(payment, { confirmed })).dispute).toBeUndefined();
    expect(await money.exceptions(payment.id)).toEqual([raises]);
    expect(await money.payment(payment)).toMatchObject({ amountDisputed: 0n });
  });
});

describe('with refunds', () => {
  test('a chargeback on what is refunded is booked, and a person sees it', async () => {
    const accountId = await book.account({ amount: 100_000n });
    const payment = await money.captured(accountId, 10_000n);
    await money.say(await money.refunding(payment), { status: 'succeeded' });
    const { dispute } = await chargeback(payment);
    expect(dispute).toMatchObject({ amount: 10_000n });
    expect(await money.exceptions(payment.id, dispute!.id)).toEqual(['dispute_on_refunded']);
    expect(await money.payment(payment)).toMatchObject({ amountRefunded: 10_000n, amountDisputed: 10_000n });
  });

  test('a part of what is not refunded is nobody’s business', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    await money.refunding(payment, 4_000n);
    const { dispute } = await chargeback(payment, { amount: 6_000n });
    expect(await money.exceptions(payment.id, dispute!.id)).toEqual([]);
    expect(await money.refund(payment, 1n)).toMatchObject({ refused: 'state_conflict' });
  });

  test('a chargeback while a refund is under way that fails afterwards', async () => {
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    const refund = await money.refunding(payment, 4_000n);
    await chargeback(payment);
    await money.say(refund, { status: 'declined', code: 'processing_error' });
    expect(await money.payment(payment)).toMatchObject({ amountRefunding: 0n, amountDisputed: 10_000n });
    // Everything that was earned, less what the payer took.
    const [share] = await money.shares(accountId);
    expect((await money.balance(accountId)) + share!).toBe(EARNED - 10_000n);
  });

  test('whatever comes in whatever order, the books hold and the merchant has what is due', async () => {
    const steps = fc.array(
      fc.record({
        what: fc.constantFrom('refund', 'succeed', 'fail', 'failLate', 'dispute', 'win', 'lose', 'release'),
        amount: fc.bigInt({ min: 1n, max: 6_000n }),
      }),
      { minLength: 4, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const accountId = await book.account();
        const payment = await money.captured(accountId, 10_000n);
        const refunds: string[] = [];
        let told = 0;
        for (const { what, amount } of given) {
          const last = refunds.at(-1);
          if (what === 'refund') {
            const answer = await money.refund(payment, amount);
            if ('resourceId' in answer) refunds.push(answer.resourceId!);
          } else if (what === 'release') await money.release(accountId);
          else if (what === 'dispute') await chargeback(payment, { amount, reference: `D${++told}` });
          else if (what === 'win' || what === 'lose')
            await money.dispute(payment, {
              kind: what === 'win' ? 'dispute_won' : 'dispute_lost',
              reference: `D${told}`,
            });
          else if (last && what === 'succeed') await money.say({ id: last }, { status: 'succeeded' });
          else if (last && what === 'fail') {
            const { status } = await money.operation(last);
            if (status === 'pending') await money.say({ id: last }, { status: 'declined' });
          } else if (last && what === 'failLate')
            await money.say({ id: last }, { status: 'declined', call: 'notice', noticeId: newId(), isLate: true });
        }
        const paid = await money.payment(payment);
        const shares = (await money.shares(accountId)).reduce((sum, one) => sum + one, 0n);
        const due = paid.amountCaptured - paid.amountRefunded - paid.amountRefunding - paid.amountDisputed - paid.fee;
        expect((await money.balance(accountId)) + shares).toBe(due);
        expect(await money.differences()).toEqual([]);
      }),
      { numRuns: runs(25) },
    );
  });
});

describe('its time', () => {
  // The time of a book never goes back: a book of its own.
  let usual: TestBook;
  beforeEach(async () => {
    usual = book;
    book = await openBook({ database: database.applicationUrl, clock: { now: () => Date.now() + ahead } });
    money = new MoneyBack(book);
  });
  afterEach(async () => {
    expect(await money.differences()).toEqual([]);
    await book.close();
    book = usual;
    ahead = 0;
    money = new MoneyBack(book);
  });
  const visit = async (id: string) => book.submit(visitDisputes([await read(id)]));
  const events = async (id: string) =>
    (
      await book.rows<{ type: string }>(
        'SELECT type FROM events WHERE book_id = $1 AND object_id = $2 ORDER BY sequence',
        id,
      )
    ).map(({ type }) => type);

  test('somebody is reminded two days before it is over, once; then the acquirer decides without', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const { id } = (await chargeback(payment)).dispute!;
    expect(await visit(id)).toBe(0);
    ahead = 5 * DAY_MS + 1_000;
    expect(await visit(id)).toBe(1);
    expect(await visit(id)).toBe(0);
    expect(await events(id)).toEqual(['dispute.opened', 'dispute.evidence_due_soon']);
    ahead = 7 * DAY_MS + 2_000;
    expect(await say(id, 'submit_evidence')).toMatchObject({ refused: 'state_conflict' });
    expect(await visit(id)).toBe(1);
    expect(await read(id)).toMatchObject({ status: 'opened', isOverdue: true, visitAt: null, dueAt: null });
    expect(await events(id)).toHaveLength(2);
    expect(await say(id, 'accept')).toMatchObject({ status: 200 });
  });

  test('nobody is reminded of what is answered or decided', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const { id } = (await chargeback(payment)).dispute!;
    await money.dispute(payment, { kind: 'dispute_lost' });
    ahead = 6 * DAY_MS;
    expect(await visit(id)).toBe(0);
    expect(await events(id)).toEqual(['dispute.opened', 'dispute.lost']);
  });
});

async function say(id: string, action: 'submit_evidence' | 'accept') {
  const dispute = await read(id);
  const input = { bookId: book.id, disputeId: id, action, actor: 'test', requestId: newId(), idempotencyKey: newId() };
  const evidence = action === 'accept' ? {} : { evidence: { product_description: 'Headphones' } };
  return book.submit(answerDispute(book.id, dispute, { ...input, ...evidence }));
}

describe('answered', () => {
  const operationOf = async (id: string) => ({ id: (await read(id)).pendingOperation! });

  test.each`
    action               | report                                              | status                  | failure
    ${'submit_evidence'} | ${{ status: 'succeeded' }}                          | ${'evidence_submitted'} | ${null}
    ${'submit_evidence'} | ${{ status: 'declined', code: 'processing_error' }} | ${'opened'}             | ${'processing_error'}
    ${'accept'}          | ${{ status: 'succeeded' }}                          | ${'accepted'}           | ${null}
    ${'accept'}          | ${{ status: 'declined', code: 'processing_error' }} | ${'opened'}             | ${'processing_error'}
  `('$action, and the acquirer says $report.status: $status', async ({ action, report, status, failure }) => {
    const payment = await money.captured(await book.account(), 10_000n);
    const { id } = (await chargeback(payment)).dispute!;
    expect(await say(id, action)).toMatchObject({ status: 200 });
    // One at a time.
    expect(await say(id, action)).toMatchObject({ refused: 'state_conflict' });
    const operation = await operationOf(id);
    await money.say(operation, { status: 'unknown' });
    expect(await read(id)).toMatchObject({ status: 'opened', outcome: 'unknown' });
    await money.say(operation, report);
    expect(await read(id)).toMatchObject({ status, failureCode: failure, pendingOperation: null, outcome: null });
    expect(await money.payment(payment)).toMatchObject({ amountDisputed: 10_000n, pendingOperation: null });
    // What the acquirer did not take may be said again.
    if (failure !== null) expect(await say(id, action)).toMatchObject({ status: 200 });
  });

  test('after it was decided: what was decided stands', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const { id } = (await chargeback(payment)).dispute!;
    await say(id, 'submit_evidence');
    const operation = await operationOf(id);
    await money.dispute(payment, { kind: 'dispute_lost' });
    await money.say(operation, { status: 'succeeded' });
    expect(await read(id)).toMatchObject({ status: 'lost', pendingOperation: null });
  });

  test('accepted, and lost to the acquirer: nothing more; won: for a person', async () => {
    const payment = await money.captured(await book.account(), 10_000n);
    const { id } = (await chargeback(payment)).dispute!;
    await say(id, 'accept');
    await money.say(await operationOf(id), { status: 'succeeded' });
    await money.dispute(payment, { kind: 'dispute_lost' });
    expect(await money.exceptions(payment.id, id)).toEqual([]);
    await money.dispute(payment, { kind: 'dispute_won' });
    expect(await read(id)).toMatchObject({ status: 'accepted' });
    expect(await money.exceptions(payment.id, id)).toEqual(['dispute_contradicted']);
  });
});

test('an open dispute keeps its account open', async () => {
  const accountId = await book.account();
  const payment = await money.captured(accountId, 10_000n);
  await money.release(accountId);
  await chargeback(payment, { amount: EARNED });
  expect(await money.balance(accountId)).toBe(0n);
  expect(await book.setStatus('close', accountId)).toMatchObject({
    refused: 'account_not_empty',
    facts: { blocked_by: [{ type: 'disputes_open', disputes: [expect.stringMatching(/^dp_/)] }] },
  });
  await money.dispute(payment, { kind: 'dispute_lost' });
  expect(await book.setStatus('close', accountId)).not.toHaveProperty('refused');
});
