/** Capturing a payment: what refuses it, in the order in which the decision looks. */
import { beforeEach, expect, test } from 'vitest';
import type { Account } from '../../../src/ledger/account/account.ts';
import { RESERVE_TOTAL } from '../../../src/ledger/command/lifetime-total.ts';
import type { PaymentOperation } from '../../../src/payments/operations/payment-operation.ts';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { CAPTURES_MAX, type Payment } from '../../../src/payments/payment/payment.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { newId } from '../../../src/values/ids.ts';
import { casesOf, type Guard } from '../../support/guards.ts';
import { START } from '../../support/memory-book.ts';
import { AMOUNT, PaymentScene, type Refused } from '../../support/memory-payments.ts';

let scene: PaymentScene;
beforeEach(() => {
  scene = new PaymentScene();
});

interface Asked {
  readonly payment: Partial<Payment>;
  readonly account: Partial<Account>;
  readonly input: { amount?: bigint; final?: boolean; ifMatch?: number };
  readonly captures: number;
  readonly isGone: boolean;
  /** Whether the request was prepared before the payment was authorized. */
  readonly isEarly: boolean;
}

/** The part of the fee that the amount has beside its fixed part: 2.5 % of 20,000. */
const PROPORTIONAL = 500n;

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
    guard: 'an operation is at the acquirer',
    wrong: ({ payment }) => Object.assign(payment, { pendingOperation: newId() }),
    answer: { code: 'state_conflict', isThrown: true },
  },
  {
    guard: 'the payment is canceled',
    wrong: ({ payment }) => Object.assign(payment, { status: 'canceled' }),
    answer: { code: 'state_conflict' },
  },
  {
    guard: 'the authorization has expired, and nobody has looked since',
    wrong: ({ payment }) => Object.assign(payment, { expiresAt: START }),
    answer: { code: 'authorization_expired' },
  },
  {
    guard: 'the amount is more than is left',
    wrong: ({ input }) => Object.assign(input, { amount: AMOUNT + 1n }),
    answer: { code: 'capture_exceeds_authorized', param: '/amount' },
  },
  {
    guard: 'the fee reaches the amount',
    wrong: ({ payment }) => Object.assign(payment, { feeFixed: AMOUNT - PROPORTIONAL }),
    answer: { code: 'amount_below_minimum', param: '/amount' },
  },
  {
    guard: 'the payment has all the captures that it can have',
    wrong: (asked) => Object.assign(asked, { captures: CAPTURES_MAX }),
    answer: { code: 'limit_exceeded' },
  },
  {
    guard: 'the account has no room for the amount',
    wrong: ({ account }) => Object.assign(account, { postedCredits: RESERVE_TOTAL - AMOUNT + 1n }),
    answer: { code: 'limit_exceeded', param: '/amount' },
  },
  {
    guard: 'the payment was authorized after it was read',
    wrong: (asked) => Object.assign(asked, { isEarly: true }),
    answer: { code: 'service_unavailable', isThrown: true },
  },
];

const nothingWrong = (): Asked => ({
  ...{ payment: {}, account: {}, input: {} },
  ...{ captures: 0, isGone: false, isEarly: false },
});

/** The request of a case, over the rows that it finds. */
function request({ payment: change, account, input, captures, isGone, isEarly }: Asked) {
  const authorized = scene.authorized();
  const authorization = scene.now({ id: authorized.authorizedBy! });
  const payment = scene.change(authorized, change);
  scene.changeAccount(account);
  for (let count = 0; count < captures; count++) putFailedCapture(authorization);
  if (isGone) scene.memory.rows(payments).delete(payment.id);
  return { payment, command: scene.capturing(payment, input, { authorization: isEarly ? undefined : authorization }) };
}

function putFailedCapture(authorization: PaymentOperation): void {
  const id = newId();
  scene.memory.put(paymentOperations, id, { ...authorization, id, kind: 'capture', status: 'failed' });
}

test.each(casesOf(GUARDS))('$answer.code: $guard, and wrong beside it is $beside', ({ wrong, answer }) => {
  const asked = nothingWrong();
  wrong(asked);
  const { command } = request(asked);
  const before = [scene.memory.dump(), scene.memory.events.length, scene.memory.jobs.length];
  expect(scene.refusal(command)).toEqual(answer);
  expect([scene.memory.dump(), scene.memory.events.length, scene.memory.jobs.length]).toEqual(before);
});

test('captured where every guard is passed by one: the capture is sent, and nothing is posted', () => {
  const { payment, command } = request({
    ...nothingWrong(),
    payment: { expiresAt: START + 1, feeFixed: AMOUNT - PROPORTIONAL - 1n },
    account: { postedCredits: RESERVE_TOTAL - AMOUNT },
    input: { amount: AMOUNT, ifMatch: 2 },
    captures: CAPTURES_MAX - 1,
  });
  const capture = scene.sent(command);
  expect(capture).toMatchObject({ kind: 'capture', status: 'pending', amount: AMOUNT, fee: 0n, portions: [] });
  expect(capture.of).toBe(scene.now({ id: payment.authorizedBy! }).reference);
  expect(scene.paymentOf(capture)).toMatchObject({ status: 'authorized', pendingOperation: capture.id, version: 3 });
  expect(scene.memory.jobs.at(-1)).toEqual({ pool: 'payments', job: 'operation.submit', id: capture.id });
  expect(scene.memory.entries).toEqual([]);
});

test.each`
  amount         | final        | captured       | isFinal
  ${undefined}   | ${undefined} | ${AMOUNT}      | ${true}
  ${AMOUNT}      | ${undefined} | ${AMOUNT}      | ${true}
  ${AMOUNT - 1n} | ${undefined} | ${AMOUNT - 1n} | ${false}
  ${AMOUNT - 1n} | ${true}      | ${AMOUNT - 1n} | ${true}
  ${AMOUNT}      | ${false}     | ${AMOUNT}      | ${false}
`('amount $amount and final $final capture $captured, final $isFinal', ({ amount, final, captured, isFinal }) => {
  const { command } = request({ ...nothingWrong(), input: { amount, final } });
  expect(scene.sent(command)).toMatchObject({ amount: captured, final: isFinal });
});
