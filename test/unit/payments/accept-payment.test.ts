/** Accepting a payment: what refuses it, in the order in which the decision looks. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/ledger/account/account.ts';
import { INTAKE_TOTAL } from '../../../src/ledger/command/lifetime-total.ts';
import { metadataIndex } from '../../../src/ledger/resources/metadata-store.ts';
import type { AcceptPayment } from '../../../src/payments/acceptance/accept-payment.ts';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import type { PreparedSource } from '../../../src/payments/sources/source.ts';
import { newId } from '../../../src/values/ids.ts';
import { casesOf, type Guard } from '../../support/guards.ts';
import { AMOUNT, PaymentScene, type Refused } from '../../support/memory-payments.ts';
import { CARD } from '../../support/payments.ts';

let scene: PaymentScene;
beforeEach(() => {
  scene = new PaymentScene();
});

const SOURCE: PreparedSource = { card: CARD, token: 'stok_1', nextAction: null, expiresAfterMs: null, touches: [] };

interface Asked {
  readonly account: Partial<Account>;
  readonly change: Partial<AcceptPayment>;
}

const noAccount: Refused = { code: 'resource_not_found', param: '/account' };

const GUARDS: readonly Guard<Asked, Refused>[] = [
  {
    guard: 'the currency has no account, and none is named',
    wrong: ({ change }) => Object.assign(change, { accountId: null }),
    answer: noAccount,
  },
  {
    guard: 'there is no such account',
    wrong: ({ change }) => Object.assign(change, { accountId: newId() }),
    answer: noAccount,
  },
  {
    guard: 'the account is no customer',
    wrong: ({ account }) => Object.assign(account, { code: 'due_operator' }),
    answer: noAccount,
  },
  {
    guard: 'the account is closed',
    wrong: ({ account }) => Object.assign(account, { status: 'closed' }),
    answer: { code: 'account_closed', param: '/account' },
  },
  {
    guard: 'the account has another currency',
    wrong: ({ account }) => Object.assign(account, { currency: 'JOD' }),
    answer: { code: 'currency_mismatch', param: '/currency' },
  },
  {
    guard: 'no acquirer takes payments of the book',
    wrong: ({ change }) => Object.assign(change, { acquirer: null }),
    answer: { code: 'acquirer_unavailable', param: '/source/type' },
  },
  {
    guard: 'the fee reaches the amount',
    wrong: ({ change }) => Object.assign(change, { fee: { fixed: AMOUNT, basisPoints: 0n } }),
    answer: { code: 'amount_below_minimum', param: '/amount' },
  },
  {
    guard: 'the account has no room for the amount',
    wrong: ({ account }) => Object.assign(account, { postedCredits: INTAKE_TOTAL - AMOUNT + 1n }),
    answer: { code: 'limit_exceeded', param: '/amount' },
  },
  {
    guard: 'the source pays nothing',
    wrong: ({ change }) =>
      Object.assign(change, {
        source: { ...SOURCE, begin: () => ({ refused: 'token_invalid', param: '/source/token' }) },
      }),
    answer: { code: 'token_invalid', param: '/source/token' },
  },
];

describe.each([false, true])('with dry_run %s', (dryRun) => {
  test.each(casesOf(GUARDS))('$answer.code: $guard, and wrong beside it is $beside', ({ wrong, answer }) => {
    const asked = { account: {}, change: { dryRun } };
    wrong(asked);
    scene.changeAccount(asked.account);
    const before = scene.memory.dump();
    expect(scene.refusal(scene.accepting(asked.change))).toEqual(answer);
    expect(scene.memory.dump()).toEqual(before);
    expect([scene.memory.events, scene.memory.jobs]).toEqual([[], []]);
  });
});

test.each<[string, Partial<Account>, Partial<AcceptPayment>]>([
  ['the fee leaves one unit', {}, { fee: { fixed: AMOUNT - 1n, basisPoints: 0n } }],
  ['the amount fills the account', { postedCredits: INTAKE_TOTAL - AMOUNT }, {}],
  ['the account is frozen: only money that leaves it is stopped', { status: 'frozen' }, {}],
])('accepted: %s', (_, account, change) => {
  scene.changeAccount(account);
  expect(scene.accepted(change).status).toBe('processing');
});

test('an accepted payment is announced, and its authorization is sent to the acquirer: nothing is posted', () => {
  const payment = scene.accepted({ metadata: { order: '7' } });
  const { id, pendingOperation } = payment;
  expect(payment).toMatchObject({ status: 'processing', amount: AMOUNT, amountAuthorized: 0n, fee: 0n, version: 1 });
  expect(scene.memory.get(paymentOperations, pendingOperation!)).toMatchObject({
    ...{ kind: 'authorize', status: 'pending', amount: AMOUNT, token: 'stok_1', of: null, final: true },
  });
  expect(scene.memory.events).toMatchObject([{ type: 'payment.created', objectId: id }]);
  expect(scene.memory.jobs).toEqual([{ pool: 'payments', job: 'operation.submit', id: pendingOperation }]);
  expect(scene.memory.log(metadataIndex)).toEqual([{ object: 'payment', key: 'order', value: '7', objectId: id }]);
  expect(scene.memory.entries).toEqual([]);
});

test('a payment without a token waits for its payer, and nothing is sent', () => {
  const source = { ...SOURCE, card: null, token: null, expiresAfterMs: 60_000 };
  const payment = scene.accepted({ source, sourceType: 'checkout' });
  expect(payment).toMatchObject({ status: 'requires_action', pendingOperation: null });
  expect(payment.expiresAt).toBe(payment.createdAt + 60_000);
  expect(scene.memory.rows(paymentOperations).size).toBe(0);
  expect(scene.memory.jobs).toEqual([]);
});

test('a dry run answers with the payment and its fee, and changes nothing', () => {
  const before = scene.memory.dump();
  const answer = scene.memory.answer(scene.accepting({ dryRun: true }));
  if (answer.refused) throw new Error('refused');
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body.text)).toMatchObject({ dry_run: true, status: 'processing', fee: 510 });
  expect(scene.memory.dump()).toEqual(before);
  expect(scene.memory.rows(payments).size).toBe(0);
});
