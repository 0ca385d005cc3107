/** Refunding a payment: what refuses it, in the order in which the decision looks. */
import { beforeEach, expect, test } from 'vitest';
import type { Account } from '../../../src/ledger/account/account.ts';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { type Payment, REFUNDS_MAX } from '../../../src/payments/payment/payment.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { newId } from '../../../src/values/ids.ts';
import { casesOf, type Guard } from '../../support/guards.ts';
import { START } from '../../support/memory-book.ts';
import { AMOUNT, PaymentScene, type RefundRead, type Refused } from '../../support/memory-payments.ts';
import { momentAt } from '../../support/moment.ts';

let scene: PaymentScene;
beforeEach(() => {
  scene = new PaymentScene();
});

/**
 * Of a refund of all, beside what the payment earned: the operator gives its fee back, 510, but for the fixed part of it, 10. So 19,500
 * have to be found, and the payment's share has 19,490.
 */
const FROM_CUSTOMER = 10n;

interface Asked {
  readonly payment: Partial<Payment>;
  readonly account: Partial<Account>;
  readonly input: { amount?: bigint; ifMatch?: number };
  readonly read: Partial<RefundRead>;
  readonly refunds: number;
  readonly isGone: boolean;
}

const GUARDS: readonly Guard<Asked, Refused>[] = [
  {
    guard: 'there is no such payment',
    wrong: (asked) => Object.assign(asked, { isGone: true }),
    answer: { code: 'resource_not_found', param: 'id' },
  },
  {
    guard: 'the caller has seen another version',
    wrong: ({ input }) => Object.assign(input, { ifMatch: 99 }),
    answer: { code: 'version_mismatch', param: 'If-Match' },
  },
  {
    guard: 'nothing is left to refund',
    wrong: ({ payment }) => Object.assign(payment, { amountDisputed: AMOUNT }),
    answer: { code: 'state_conflict' },
  },
  {
    guard: 'the payment was authorized after it was read',
    wrong: ({ read }) => Object.assign(read, { of: undefined }),
    answer: { code: 'service_unavailable', isThrown: true },
  },
  {
    guard: 'the amount is more than is left',
    wrong: ({ input }) => Object.assign(input, { amount: AMOUNT + 1n }),
    answer: { code: 'refund_exceeds_captured', param: '/amount' },
  },
  {
    guard: 'the payment has all the refunds that it can have',
    wrong: (asked) => Object.assign(asked, { refunds: REFUNDS_MAX }),
    answer: { code: 'limit_exceeded' },
  },
  {
    guard: 'the account is frozen',
    wrong: ({ account }) => Object.assign(account, { status: 'frozen' }),
    answer: { code: 'account_frozen' },
  },
  {
    guard: 'the account is closed',
    wrong: ({ account }) => Object.assign(account, { status: 'closed' }),
    answer: { code: 'account_closed' },
  },
  {
    guard: 'the payment was captured after its captures were read',
    wrong: ({ read }) => Object.assign(read, { funding: { captures: [], own: [], shares: [] } }),
    answer: { code: 'service_unavailable', isThrown: true },
  },
  {
    guard: 'the funding lacks one unit',
    wrong: ({ account }) => Object.assign(account, { postedCredits: FROM_CUSTOMER - 1n }),
    answer: { code: 'insufficient_funds', param: '/amount' },
  },
];

const nothingWrong = (): Asked => ({
  ...{ payment: {}, account: { postedCredits: FROM_CUSTOMER }, input: {}, read: {} },
  ...{ refunds: 0, isGone: false },
});

/** The request of a case, over the rows that it finds. */
function request({ payment: change, account, input, read, refunds, isGone }: Asked, dryRun = false) {
  const captured = scene.captured();
  const authorization = scene.now({ id: captured.authorizedBy! });
  const payment = scene.change(captured, change);
  scene.changeAccount(account);
  for (let count = 0; count < refunds; count++) {
    const id = newId();
    scene.memory.put(paymentOperations, id, { ...authorization, id, kind: 'refund', status: 'failed' });
  }
  if (isGone) scene.memory.rows(payments).delete(payment.id);
  return scene.refunding(payment, { ...input, dryRun }, { ...scene.refundRead(payment), ...read });
}

test.each(casesOf(GUARDS))('$answer.code: $guard, and wrong beside it is $beside', ({ wrong, answer }) => {
  const asked = nothingWrong();
  wrong(asked);
  const command = request(asked);
  const counts = () => [scene.memory.entries.length, scene.memory.events.length, scene.memory.jobs.length];
  const before = [scene.memory.dump(), counts()];
  expect(scene.refusal(command)).toEqual(answer);
  expect([scene.memory.dump(), counts()]).toEqual(before);
});

test('insufficient funds: what there is, and what is needed', () => {
  const command = request({ ...nothingWrong(), account: { postedCredits: FROM_CUSTOMER - 1n } });
  expect(scene.memory.answer(command)).toMatchObject({
    facts: { available: 19_499n, required: 19_500n, currency: 'EUR', currency_exponent: 2 },
  });
});

test('refunded where every guard is passed by one: its funding is debited, and the acquirer is asked', () => {
  const command = request({ ...nothingWrong(), input: { amount: AMOUNT, ifMatch: 2 }, refunds: REFUNDS_MAX - 1 });
  const refund = scene.sent(command);
  expect(refund).toMatchObject({ kind: 'refund', status: 'pending', amount: AMOUNT, fee: 500n });
  expect(refund.portions.map(({ amount }) => amount)).toEqual([19_490n, FROM_CUSTOMER]);
  expect(scene.paymentOf(refund)).toMatchObject({ amountRefunding: AMOUNT, amountRefunded: 0n, fee: 10n, version: 3 });
  const { memory } = scene;
  expect(memory.entries.at(-1)).toMatchObject({ resource: 'refund', resourceId: refund.id, step: 'refunded' });
  expect(memory.account(scene.accountId)).toMatchObject({ postedCredits: FROM_CUSTOMER, postedDebits: FROM_CUSTOMER });
  const inTransit = memory.account(chartAccountId(memory.book.id, 'refunds_in_transit', 'EUR'));
  expect(inTransit).toMatchObject({ postedCredits: AMOUNT });
  expect(memory.events.at(-1)).toMatchObject({ type: 'refund.created', objectId: refund.id });
  expect(memory.jobs.at(-1)).toEqual({ pool: 'payments', job: 'operation.submit', id: refund.id });
});

test('a dry run answers with the refund and the balances after it, announces nothing, and asks nobody', () => {
  const command = request(nothingWrong(), true);
  // What it books is dropped: the committer previews it.
  const { answer, events, jobs } = command.decide(scene.memory.state([command]), momentAt(START));
  if (answer.refused) throw new Error('refused');
  expect(JSON.parse(answer.body.text)).toMatchObject({
    ...{ dry_run: true, amount: 20_000, fee_refunded: 500, journal_entries: [] },
    resulting_balances: [{ available: 0 }],
  });
  expect([events, jobs]).toEqual([[], []]);
});
