import { describe, expect, test } from 'vitest';
import { verifiedOf } from '../../../src/acquirers/sandbox-answers.ts';
import { createSecretBox, SecretBoxError } from '../../../src/db/secret-box.ts';
import { openBilling, sealBilling } from '../../../src/payments/payment/billing.ts';
import { ATTEMPTS_MAX, offersAnother, type Payment } from '../../../src/payments/payment/payment.ts';
import {
  allowedOnAction,
  allowedOnReader,
  type Reader,
  type ReaderAction,
} from '../../../src/payments/readers/reader.ts';
import { allowedActions, type PaymentTokenStatus } from '../../../src/payments/tokens/payment-token.ts';
import { newId } from '../../../src/values/ids.ts';

test.each<[PaymentTokenStatus, readonly string[]]>([
  ['active', ['delete']],
  ['failed', ['delete']],
  ['used', []],
  ['deleted', []],
])('a token that is %s allows %j', (status, actions) => {
  expect(allowedActions({ status })).toEqual(actions);
});

test.each<[ReaderAction['status'], readonly string[]]>([
  ['in_progress', ['cancel']],
  ['succeeded', []],
  ['failed', []],
  ['canceled', []],
])('an action that is %s allows %j', (status, actions) => {
  expect(allowedOnAction({ status } as ReaderAction)).toEqual(actions);
});

test('a reader is removed once', () => {
  expect(allowedOnReader({ status: 'registered', actionId: null } as Reader)).toEqual(['delete']);
  expect(allowedOnReader({ status: 'removed' } as Reader)).toEqual([]);
});

test.each`
  sourceType        | attempts            | expiresAt | offers
  ${'checkout'}     | ${1}                | ${1}      | ${true}
  ${'terminal'}     | ${1}                | ${1}      | ${true}
  ${'terminal'}     | ${ATTEMPTS_MAX - 1} | ${1}      | ${true}
  ${'terminal'}     | ${ATTEMPTS_MAX}     | ${1}      | ${false}
  ${'terminal'}     | ${1}                | ${null}   | ${false}
  ${'card'}         | ${1}                | ${1}      | ${false}
  ${'token'}        | ${1}                | ${1}      | ${false}
  ${'cliq_request'} | ${1}                | ${1}      | ${false}
`(
  'after $attempts declined attempts by $sourceType another is offered: $offers',
  ({ attempts, offers, ...payment }) => {
    expect(offersAnother(payment as Payment, attempts)).toBe(offers);
  },
);

describe('a billing address', () => {
  const box = createSecretBox(Buffer.alloc(32, 7).toString('base64'));
  const bookId = newId();
  const billing = {
    name: 'Salma',
    email: null,
    address: { line1: '77', city: null, postalCode: '11118', country: 'JO' },
  };

  test('opens for the payment that it was sealed for, and for no other', () => {
    const id = newId();
    const billingSealed = sealBilling(box, billing, { bookId, paymentId: id });
    expect(billingSealed.includes('Salma')).toBe(false);
    expect(openBilling(box, { id, billingSealed }, bookId)).toEqual(billing);
    expect(() => openBilling(box, { id: newId(), billingSealed }, bookId)).toThrow(SecretBoxError);
  });

  test('that is erased is none', () => {
    expect(openBilling(box, { id: newId(), billingSealed: null }, bookId)).toBeNull();
  });
});

test.each`
  script                  | status         | code
  ${'approved'}           | ${'succeeded'} | ${undefined}
  ${'challenge'}          | ${'succeeded'} | ${undefined}
  ${'challenge_declined'} | ${'succeeded'} | ${undefined}
  ${'refund_fails'}       | ${'succeeded'} | ${undefined}
  ${'stolen_card'}        | ${'declined'}  | ${'stolen_card'}
`('a verification of the script $script is $status', ({ script, status, code }) => {
  const card = {
    ...{ token: 'stok_1', originator: newId(), script, brand: 'visa' as const, lastFour: '4242' },
    ...{ expMonth: 12, expYear: 2034, cvcCheck: 'match' as const, reusable: true },
  };
  const verified = verifiedOf(card)!;
  expect(verified).toMatchObject({ status });
  expect(verified.code).toBe(code);
  expect(verified.networkReference === null).toBe(status === 'declined');
});

test.each(['lost', 'unanswered'] as const)('a verification of the script %s has no answer', (script) => {
  const card = {
    ...{ token: 'stok_1', originator: newId(), script, brand: 'visa' as const, lastFour: '4242' },
    ...{ expMonth: 12, expYear: 2034, cvcCheck: null, reusable: false },
  };
  expect(verifiedOf(card)).toBeUndefined();
});
