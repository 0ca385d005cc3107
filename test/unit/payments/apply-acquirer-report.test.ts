/** What an acquirer's report means: for every kind of operation, before it has ended and after. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { evidence } from '../../../src/outside/evidence/evidence.ts';
import type { DisputeAction } from '../../../src/payments/disputes/dispute.ts';
import { disputes } from '../../../src/payments/disputes/dispute-table.ts';
import type { AcquirerReport } from '../../../src/payments/operations/acquirer-report.ts';
import type { PaymentOperation } from '../../../src/payments/operations/payment-operation.ts';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { reportCommand } from '../../../src/payments/outcomes/apply-acquirer-report.ts';
import { paydays } from '../../../src/payments/paydays/settlement-table.ts';
import { paymentShares } from '../../../src/payments/shares/share-table.ts';
import { createLogger } from '../../../src/process/log.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { START } from '../../support/memory-book.ts';
import { AMOUNT, PaymentScene } from '../../support/memory-payments.ts';
import { RELEASE, SUCCEEDED } from '../../support/payments.ts';

const DAY_MS = 24 * 60 * 60_000;

let scene: PaymentScene;
beforeEach(() => {
  scene = new PaymentScene();
});

const authorization = (captureMode: 'manual' | 'automatic') =>
  scene.now({ id: scene.accepted({ captureMode }).pendingOperation! });
const answer = (action: DisputeAction) => scene.sent(scene.answering(scene.disputed(scene.captured()), action));

/** Each kind at the acquirer. A sale is an authorization that captures in the same call. */
const SENT: Record<string, () => PaymentOperation> = {
  authorize: () => authorization('manual'),
  sale: () => authorization('automatic'),
  capture: () => scene.sent(scene.capturing(scene.authorized())),
  increment: () => scene.sent(scene.incrementing(scene.authorized(), AMOUNT + 1n)),
  void: () => scene.sent(scene.canceling(scene.authorized())),
  refund: () => scene.sent(scene.refunding(scene.captured(), { amount: 5_000n })),
  evidence: () => answer('submit_evidence'),
  accept_dispute: () => answer('accept'),
};
const KINDS = Object.keys(SENT);

const MISMATCH = { kind: 'acquirer_amount_mismatch', detail: 'The acquirer confirms another amount.' } as const;
const NOTICE = newId();

const kindsOfExceptions = () => [...scene.memory.rows(exceptions).values()].map(({ kind }) => kind);

/** What a report has caused: its entries, its events, and whether the sandbox acquirer pays on another day. */
function causedBy(report: () => unknown) {
  const { memory } = scene;
  memory.rows(paydays).clear();
  const [entries, events, said] = [memory.entries.length, memory.events.length, memory.rows(evidence).size];
  report();
  return {
    steps: memory.entries.slice(entries).map(({ step }) => step),
    events: memory.events.slice(events).map(({ type }) => type),
    payday: memory.rows(paydays).size === 1,
    isKept: memory.rows(evidence).size === said + 1,
  };
}

describe('the guards, in their order: each row has what would stop the report behind it as well', () => {
  interface Case {
    readonly guard: string;
    readonly report: Partial<AcquirerReport>;
    /** What the acquirer reported before. */
    readonly before?: readonly Partial<AcquirerReport>[];
    readonly after: Partial<PaymentOperation>;
    readonly isKept: boolean;
    readonly exceptions?: readonly string[];
  }

  const doubted = { mismatches: [MISMATCH] };
  const waits = (outcome: 'unknown' | null) => ({ status: 'pending', outcome }) as const;

  test.each<Case>([
    {
      guard: 'about a success that has not been reported yet',
      report: { isLate: true, ...doubted, status: 'declined' },
      ...{ after: { ...waits(null), inquiries: 0 }, isKept: false },
    },
    {
      guard: 'a notice that was read before',
      report: { noticeId: NOTICE, ...doubted, status: 'declined' },
      before: [{ noticeId: NOTICE, status: 'pending' }],
      ...{ after: { ...waits(null), inquiries: 1 }, isKept: false },
    },
    {
      guard: 'of what has ended: another amount is for a person, and nothing else is made of it',
      report: { ...doubted, status: 'unknown' },
      before: [{ status: 'succeeded' }],
      ...{ after: { status: 'succeeded', outcome: null }, isKept: true, exceptions: [MISMATCH.kind] },
    },
    {
      guard: 'another amount',
      report: { ...doubted, status: 'succeeded' },
      ...{ after: { ...waits('unknown'), inquiries: 1 }, isKept: true, exceptions: [MISMATCH.kind] },
    },
    {
      guard: 'another amount again: one exception',
      report: { ...doubted, status: 'succeeded' },
      before: [doubted],
      ...{ after: { ...waits('unknown'), inquiries: 2 }, isKept: true, exceptions: [MISMATCH.kind] },
    },
    {
      guard: 'no outcome is known',
      report: { status: 'unknown' },
      ...{ after: { ...waits('unknown'), inquiries: 1 }, isKept: true },
    },
    {
      guard: 'declined, after another amount was confirmed',
      report: { status: 'declined' },
      before: [doubted],
      ...{ after: { ...waits('unknown'), inquiries: 2 }, isKept: true, exceptions: [MISMATCH.kind] },
    },
    {
      guard: 'canceled, after another amount was confirmed',
      report: { status: 'canceled' },
      before: [doubted],
      ...{ after: { ...waits('unknown'), inquiries: 2 }, isKept: true, exceptions: [MISMATCH.kind] },
    },
    {
      guard: 'succeeded after all, after another amount was confirmed',
      report: { status: 'succeeded' },
      before: [doubted],
      ...{ after: { status: 'succeeded', outcome: null }, isKept: true, exceptions: [MISMATCH.kind] },
    },
    {
      guard: 'nothing stops it: declined',
      report: { status: 'declined', code: 'stolen_card' },
      ...{ after: { status: 'failed', failureCode: 'stolen_card', dueAt: null }, isKept: true },
    },
    {
      guard: 'nothing stops it: succeeded',
      report: { status: 'succeeded', reference: 'A1' },
      ...{ after: { status: 'succeeded', acquirerReference: 'A1', dueAt: null }, isKept: true },
    },
  ])('a capture, $guard', ({ report, before = [], after, isKept, exceptions: kinds = [] }) => {
    const sent = SENT.capture!();
    for (const earlier of before) scene.report(sent, earlier);
    expect(causedBy(() => scene.report(sent, report)).isKept).toBe(isKept);
    expect(scene.now(sent)).toMatchObject(after);
    expect(kindsOfExceptions()).toEqual(kinds);
  });

  test.each`
    kind         | days  | decided
    ${'sale'}    | ${-2} | ${false}
    ${'sale'}    | ${-1} | ${true}
    ${'sale'}    | ${0}  | ${true}
    ${'sale'}    | ${1}  | ${false}
    ${'capture'} | ${-2} | ${false}
    ${'refund'}  | ${-2} | ${false}
  `('a $kind whose shares and payday were read $days days from the decision is decided: $decided', (row) => {
    const { kind, days, decided } = row as { kind: string; days: number; decided: boolean };
    const sent = SENT[kind]!();
    const today = { now: START + days * DAY_MS, timeZone: 'UTC' };
    const command = scene.reporting(sent, {}, { ...scene.termsOf(sent), today });
    if (decided) expect(scene.memory.answer(command).status).toBe('succeeded');
    else expect(() => scene.memory.answer(command)).toThrow('The clock of the book has moved on meanwhile.');
    expect(scene.memory.rows(evidence).has(command.id)).toBe(decided);
  });

  test('of an operation that is not there: a bug, not an answer', () => {
    const sent = SENT.capture!();
    const command = scene.reporting(sent, {});
    scene.memory.rows(paymentOperations).delete(sent.id);
    expect(() => scene.memory.answer(command)).toThrow(`Operation ${sent.id} does not exist`);
  });
});

// `payment` is the status of the payment after it; entries and events are those of the report.
test.each`
  kind                | word           | status         | payment         | steps            | events                            | payday
  ${'authorize'}      | ${'succeeded'} | ${'succeeded'} | ${'authorized'} | ${[]}            | ${['payment.authorized']}         | ${false}
  ${'authorize'}      | ${'declined'}  | ${'failed'}    | ${'failed'}     | ${[]}            | ${['payment.failed']}             | ${false}
  ${'authorize'}      | ${'canceled'}  | ${'failed'}    | ${'canceled'}   | ${[]}            | ${['payment.canceled']}           | ${false}
  ${'sale'}           | ${'succeeded'} | ${'succeeded'} | ${'captured'}   | ${['captured']}  | ${['payment.captured']}           | ${true}
  ${'sale'}           | ${'declined'}  | ${'failed'}    | ${'failed'}     | ${[]}            | ${['payment.failed']}             | ${false}
  ${'sale'}           | ${'canceled'}  | ${'failed'}    | ${'canceled'}   | ${[]}            | ${['payment.canceled']}           | ${false}
  ${'capture'}        | ${'succeeded'} | ${'succeeded'} | ${'captured'}   | ${['captured']}  | ${['payment.captured']}           | ${true}
  ${'capture'}        | ${'declined'}  | ${'failed'}    | ${'authorized'} | ${[]}            | ${['payment.updated']}            | ${false}
  ${'capture'}        | ${'canceled'}  | ${'failed'}    | ${'authorized'} | ${[]}            | ${['payment.updated']}            | ${false}
  ${'increment'}      | ${'succeeded'} | ${'succeeded'} | ${'authorized'} | ${[]}            | ${['payment.updated']}            | ${false}
  ${'increment'}      | ${'declined'}  | ${'failed'}    | ${'authorized'} | ${[]}            | ${['payment.updated']}            | ${false}
  ${'increment'}      | ${'canceled'}  | ${'failed'}    | ${'authorized'} | ${[]}            | ${['payment.updated']}            | ${false}
  ${'void'}           | ${'succeeded'} | ${'succeeded'} | ${'canceled'}   | ${[]}            | ${['payment.canceled']}           | ${false}
  ${'void'}           | ${'declined'}  | ${'failed'}    | ${'authorized'} | ${[]}            | ${['payment.updated']}            | ${false}
  ${'void'}           | ${'canceled'}  | ${'failed'}    | ${'authorized'} | ${[]}            | ${['payment.updated']}            | ${false}
  ${'refund'}         | ${'succeeded'} | ${'succeeded'} | ${'captured'}   | ${['succeeded']} | ${['refund.succeeded']}           | ${true}
  ${'refund'}         | ${'declined'}  | ${'failed'}    | ${'captured'}   | ${['failed']}    | ${['refund.failed']}              | ${true}
  ${'refund'}         | ${'canceled'}  | ${'failed'}    | ${'captured'}   | ${['failed']}    | ${['refund.failed']}              | ${true}
  ${'evidence'}       | ${'succeeded'} | ${'succeeded'} | ${'captured'}   | ${[]}            | ${['dispute.evidence_submitted']} | ${false}
  ${'evidence'}       | ${'declined'}  | ${'failed'}    | ${'captured'}   | ${[]}            | ${[]}                             | ${false}
  ${'evidence'}       | ${'canceled'}  | ${'failed'}    | ${'captured'}   | ${[]}            | ${[]}                             | ${false}
  ${'accept_dispute'} | ${'succeeded'} | ${'succeeded'} | ${'captured'}   | ${[]}            | ${['dispute.accepted']}           | ${false}
  ${'accept_dispute'} | ${'declined'}  | ${'failed'}    | ${'captured'}   | ${[]}            | ${[]}                             | ${false}
  ${'accept_dispute'} | ${'canceled'}  | ${'failed'}    | ${'captured'}   | ${[]}            | ${[]}                             | ${false}
`('$kind: $word makes it $status, and its payment $payment', ({ kind, word, status, payment, ...caused }) => {
  const sent = SENT[kind]!();
  const { isKept, ...found } = causedBy(() => scene.report(sent, { status: word }));
  expect(found).toEqual(caused);
  expect(isKept).toBe(true);
  expect(scene.now(sent)).toMatchObject({ status, outcome: null, dueAt: null, nextInquiryAt: null });
  expect(scene.paymentOf(sent)).toMatchObject({ status: payment, pendingOperation: null });
  expect(kindsOfExceptions()).toEqual([]);
});

// Reports about what has ended. A refund's failure is booked; what nobody can explain is for a person, and nothing is booked.
test.each`
  kind           | ended                        | word           | status         | payment         | steps              | events                  | exception
  ${'authorize'} | ${['succeeded']}             | ${'succeeded'} | ${'succeeded'} | ${'authorized'} | ${[]}              | ${[]}                   | ${undefined}
  ${'authorize'} | ${['succeeded']}             | ${'pending'}   | ${'succeeded'} | ${'authorized'} | ${[]}              | ${[]}                   | ${undefined}
  ${'authorize'} | ${['succeeded']}             | ${'unknown'}   | ${'succeeded'} | ${'authorized'} | ${[]}              | ${[]}                   | ${undefined}
  ${'authorize'} | ${['succeeded']}             | ${'declined'}  | ${'succeeded'} | ${'authorized'} | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'authorize'} | ${['succeeded']}             | ${'canceled'}  | ${'succeeded'} | ${'canceled'}   | ${[]}              | ${['payment.canceled']} | ${undefined}
  ${'authorize'} | ${['succeeded', 'canceled']} | ${'canceled'}  | ${'succeeded'} | ${'canceled'}   | ${[]}              | ${[]}                   | ${undefined}
  ${'authorize'} | ${['declined']}              | ${'succeeded'} | ${'failed'}    | ${'failed'}     | ${[]}              | ${['exception.opened']} | ${'succeeded_after_failed'}
  ${'authorize'} | ${['declined']}              | ${'canceled'}  | ${'failed'}    | ${'failed'}     | ${[]}              | ${[]}                   | ${undefined}
  ${'sale'}      | ${['succeeded']}             | ${'declined'}  | ${'succeeded'} | ${'captured'}   | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'sale'}      | ${['succeeded']}             | ${'canceled'}  | ${'succeeded'} | ${'captured'}   | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'capture'}   | ${['succeeded']}             | ${'declined'}  | ${'succeeded'} | ${'captured'}   | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'capture'}   | ${['succeeded']}             | ${'canceled'}  | ${'succeeded'} | ${'captured'}   | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'capture'}   | ${['declined']}              | ${'succeeded'} | ${'failed'}    | ${'authorized'} | ${[]}              | ${['exception.opened']} | ${'succeeded_after_failed'}
  ${'increment'} | ${['succeeded']}             | ${'declined'}  | ${'succeeded'} | ${'authorized'} | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'increment'} | ${['succeeded']}             | ${'canceled'}  | ${'succeeded'} | ${'authorized'} | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'void'}      | ${['succeeded']}             | ${'declined'}  | ${'succeeded'} | ${'canceled'}   | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'void'}      | ${['succeeded']}             | ${'canceled'}  | ${'succeeded'} | ${'canceled'}   | ${[]}              | ${[]}                   | ${undefined}
  ${'void'}      | ${['declined']}              | ${'succeeded'} | ${'failed'}    | ${'authorized'} | ${[]}              | ${['exception.opened']} | ${'succeeded_after_failed'}
  ${'refund'}    | ${['succeeded']}             | ${'declined'}  | ${'failed'}    | ${'captured'}   | ${['failed_late']} | ${['refund.failed']}    | ${undefined}
  ${'refund'}    | ${['succeeded']}             | ${'canceled'}  | ${'succeeded'} | ${'captured'}   | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'refund'}    | ${['succeeded', 'declined']} | ${'declined'}  | ${'failed'}    | ${'captured'}   | ${[]}              | ${[]}                   | ${undefined}
  ${'refund'}    | ${['declined']}              | ${'succeeded'} | ${'failed'}    | ${'captured'}   | ${[]}              | ${['exception.opened']} | ${'succeeded_after_failed'}
  ${'evidence'}  | ${['succeeded']}             | ${'declined'}  | ${'succeeded'} | ${'captured'}   | ${[]}              | ${['exception.opened']} | ${'failed_after_succeeded'}
  ${'evidence'}  | ${['declined']}              | ${'succeeded'} | ${'failed'}    | ${'captured'}   | ${[]}              | ${['exception.opened']} | ${'succeeded_after_failed'}
`('$kind: $word after $ended', ({ kind, ended, word, status, payment, steps, events, exception }) => {
  const sent = SENT[kind]!();
  for (const before of ended as AcquirerReport['status'][]) scene.report(sent, { status: before });
  const found = causedBy(() => scene.report(sent, { status: word }));
  expect(found).toMatchObject({ steps, events, payday: steps.length > 0 });
  expect(scene.now(sent).status).toBe(status);
  expect(scene.paymentOf(sent).status).toBe(payment);
  expect(kindsOfExceptions()).toEqual(exception === undefined ? [] : [exception]);
});

describe.each(KINDS)('%s', (kind) => {
  test.each(['succeeded', 'declined'] as const)('%s, reported again, means nothing', (status) => {
    const sent = SENT[kind]!();
    const ended = scene.report(sent, { status });
    const payment = scene.paymentOf(sent);
    expect(causedBy(() => scene.report(sent, { status }))).toMatchObject({ steps: [], events: [], payday: false });
    expect([scene.now(sent), scene.paymentOf(sent)]).toEqual([ended, payment]);
  });

  test.each(['succeeded', 'declined', 'pending'] as const)(
    '%s, attempted again after a lost commit answer, happens once',
    (status) => {
      const command = scene.reporting(SENT[kind]!(), { status });
      const first = scene.memory.answer(command);
      const before = [scene.memory.dump(), scene.memory.events.length];
      expect(scene.memory.answer(command)).toEqual(first);
      expect([scene.memory.dump(), scene.memory.events.length]).toEqual(before);
    },
  );

  test.each`
    word         | outcome
    ${'unknown'} | ${'unknown'}
    ${'pending'} | ${null}
  `('$word waits: what it is about shows $outcome, and when it is asked again', ({ word, outcome }) => {
    const sent = SENT[kind]!();
    const nextInquiryAt = START + 2_000;
    const waiting = { outcome, nextInquiryAt };
    const found = causedBy(() => scene.report(sent, { status: word, nextInquiryMs: 2_000 }));
    expect(found).toMatchObject({ steps: [], events: [], payday: false, isKept: true });
    expect(scene.now(sent)).toMatchObject({ ...waiting, status: 'pending', inquiries: 1, dueAt: nextInquiryAt });
    const { pendingOperation, ...payment } = scene.paymentOf(sent);
    const nothing = { outcome: null, nextInquiryAt: null };
    expect(payment).toMatchObject(pendingOperation === sent.id ? waiting : nothing);
    if (sent.disputeId !== null) expect(scene.memory.get(disputes, sent.disputeId)).toMatchObject(waiting);
  });
});

test.each`
  kind           | source            | challenge | isExpiry | word                 | status               | payment
  ${'authorize'} | ${'card'}         | ${true}   | ${false} | ${'requires_action'} | ${'requires_action'} | ${'requires_action'}
  ${'authorize'} | ${'card'}         | ${false}  | ${false} | ${'requires_action'} | ${'pending'}         | ${'processing'}
  ${'authorize'} | ${'cliq_request'} | ${false}  | ${false} | ${'requires_action'} | ${'requires_action'} | ${'requires_action'}
  ${'capture'}   | ${'card'}         | ${true}   | ${false} | ${'requires_action'} | ${'pending'}         | ${'authorized'}
  ${'authorize'} | ${'card'}         | ${false}  | ${true}  | ${'canceled'}        | ${'failed'}          | ${'canceled'}
  ${'authorize'} | ${'cliq_request'} | ${false}  | ${false} | ${'canceled'}        | ${'failed'}          | ${'canceled'}
  ${'authorize'} | ${'cliq_request'} | ${false}  | ${true}  | ${'canceled'}        | ${'failed'}          | ${'expired'}
`(
  '$kind by $source: $word with a challenge ($challenge), for its time is over ($isExpiry), leaves a payment that is $payment',
  ({ kind, source: sourceType, challenge: given, isExpiry, word, status, payment }) => {
    const sent = SENT[kind]!();
    scene.change({ id: sent.paymentId }, { sourceType, expiresAt: START + DAY_MS });
    const challenge = given ? { url: 'https://issuer.example/challenge', expiresAt: START + 60_000 } : undefined;
    scene.report(sent, { status: word, challenge, isExpiry });
    expect(scene.now(sent).status).toBe(status);
    expect(scene.paymentOf(sent).status).toBe(payment);
  },
);

describe('what a report needs of the book', () => {
  const touches = ({ touches: all }: Pick<Command<unknown>, 'touches'>, table: object) =>
    all.some((touch) => touch.table === table && touch.ids.length > 0);

  // Any statement of it fails.
  const pool = createPool({
    ...{ url: 'postgres://nobody@localhost/nothing', name: 'test', size: 1 },
    log: createLogger('silent', 'test'),
  });
  beforeAll(() => pool.end());

  // What moves no money reads no book and no release schedule, and loads no account, no share and no payday.
  test.each`
    kind                | money    | dispute
    ${'authorize'}      | ${false} | ${false}
    ${'sale'}           | ${true}  | ${false}
    ${'capture'}        | ${true}  | ${false}
    ${'increment'}      | ${false} | ${false}
    ${'void'}           | ${false} | ${false}
    ${'refund'}         | ${true}  | ${false}
    ${'evidence'}       | ${false} | ${true}
    ${'accept_dispute'} | ${false} | ${true}
  `('$kind: rows of money: $money, a dispute: $dispute', async ({ kind, money, dispute }) => {
    const operation = SENT[kind]!();
    const command = scene.reporting(operation, {});
    const found = [accounts, paymentShares, paydays, disputes].map((table) => touches(command, table));
    expect(found).toEqual([money, money, money, dispute]);

    const runtime = { pool, clock: systemClock, release: RELEASE };
    const about = { payment: scene.paymentOf(operation), operation, report: SUCCEEDED };
    const made = reportCommand(runtime, scene.memory.book.id, about);
    if (money) await expect(made).rejects.toThrow('after calling end on the pool');
    else expect(scene.memory.answer(await made).status).toBe('succeeded');
  });
});
