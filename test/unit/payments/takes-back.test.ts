import { expect, test } from 'vitest';
import type { PaymentShare } from '../../../src/payments/share.ts';
import { takesBack } from '../../../src/payments/takes-back.ts';

test.each`
  kind         | status        | lent    | back     | what
  ${'ready'}   | ${'open'}     | ${0n}   | ${true}  | ${'what is ready takes back whatever it gave'}
  ${'ready'}   | ${'released'} | ${0n}   | ${false} | ${'what was released does not: the customer has it'}
  ${'waiting'} | ${'open'}     | ${100n} | ${true}  | ${'captures still wait for all of it'}
  ${'waiting'} | ${'open'}     | ${99n}  | ${false} | ${'captures were paid without some of it'}
  ${'waiting'} | ${'open'}     | ${0n}   | ${false} | ${'nobody waits for it any more'}
`('100 of a $kind share that is $status and has lent $lent: $what', ({ kind, status, lent, back }) => {
  expect(takesBack({ status, kind, lent } as PaymentShare, 100n)).toBe(back);
});
