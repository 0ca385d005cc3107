import { expect, test } from 'vitest';
import type { Payment } from '../../../src/payments/payment.ts';
import type { PaymentShare } from '../../../src/payments/share.ts';
import { takesBack } from '../../../src/payments/takes-back.ts';

const TODAY = '2026-03-04';

test.each`
  kind         | status        | day             | settled | back     | what
  ${'ready'}   | ${'open'}     | ${TODAY}        | ${100n} | ${true}  | ${'what is ready takes back whatever it gave'}
  ${'ready'}   | ${'released'} | ${TODAY}        | ${100n} | ${false} | ${'what was released does not: the customer has it'}
  ${'waiting'} | ${'open'}     | ${TODAY}        | ${0n}   | ${true}  | ${'the payment still waits in it'}
  ${'waiting'} | ${'open'}     | ${TODAY}        | ${100n} | ${false} | ${'the payment has moved on'}
  ${'waiting'} | ${'open'}     | ${'2026-03-05'} | ${0n}   | ${false} | ${'it is where other payments wait'}
`('$kind, $status: $what', ({ kind, status, day, settled, back }) => {
  const share = { kind, status, availableOn: day } as PaymentShare;
  const payment = { availableOn: TODAY, amountSettled: settled, amountCaptured: 100n } as Payment;
  expect(takesBack(share, payment)).toBe(back);
});
