import { describe, expect, test } from 'vitest';
import { type Hold, increaseHold, takeFromHold } from '../../../src/ledger/hold/hold.ts';

const hold = (change: Partial<Hold> = {}): Hold => ({
  id: '018f4d3e-7b2a-7000-8000-000000000001',
  accountId: '018f4d3e-7b2a-7000-8000-000000000002',
  resource: 'payout',
  resourceId: '018f4d3e-7b2a-7000-8000-000000000003',
  currency: 'EUR',
  amount: 100n,
  remaining: 100n,
  status: 'open',
  expiresAt: null,
  steps: 1,
  createdAt: 1,
  updatedAt: 1,
  ...change,
});

describe('a step of a hold', () => {
  test.each`
    kind          | remaining | amount  | left   | status
    ${'captured'} | ${100n}   | ${100n} | ${0n}  | ${'captured'}
    ${'captured'} | ${100n}   | ${40n}  | ${60n} | ${'open'}
    ${'captured'} | ${60n}    | ${60n}  | ${0n}  | ${'captured'}
    ${'released'} | ${100n}   | ${100n} | ${0n}  | ${'released'}
    ${'released'} | ${60n}    | ${1n}   | ${59n} | ${'open'}
    ${'released'} | ${60n}    | ${60n}  | ${0n}  | ${'released'}
    ${'expired'}  | ${100n}   | ${100n} | ${0n}  | ${'expired'}
    ${'expired'}  | ${60n}    | ${60n}  | ${0n}  | ${'expired'}
  `('$amount of $remaining $kind leaves $left, $status', ({ kind, remaining, amount, left, status }) => {
    const before = hold({ remaining, steps: 3 });
    expect(takeFromHold(before, { kind, amount, moment: 9 })).toEqual({
      ...before,
      remaining: left,
      status,
      steps: 4,
      updatedAt: 9,
    });
  });

  test.each`
    remaining | amount  | why
    ${100n}   | ${101n} | ${'more than remains'}
    ${0n}     | ${1n}   | ${'nothing remains'}
    ${100n}   | ${0n}   | ${'nothing is taken'}
    ${100n}   | ${-1n}  | ${'less than nothing is taken'}
  `('of $amount from $remaining is refused: $why', ({ remaining, amount }) => {
    expect(() => takeFromHold(hold({ remaining }), { kind: 'captured', amount, moment: 9 })).toThrow(RangeError);
  });
});

describe('an increase', () => {
  test.each`
    amount  | remaining | by      | total    | left
    ${100n} | ${100n}   | ${1n}   | ${101n}  | ${101n}
    ${100n} | ${40n}    | ${60n}  | ${160n}  | ${100n}
    ${100n} | ${1n}     | ${900n} | ${1000n} | ${901n}
  `('of $remaining left of $amount by $by leaves $left of $total', ({ amount, remaining, by, total, left }) => {
    const before = hold({ amount, remaining, steps: 2 });
    const after = increaseHold(before, { amount: by, moment: 9 });
    expect(after).toEqual({ ...before, amount: total, remaining: left, status: 'open', steps: 3, updatedAt: 9 });
  });

  test.each`
    what          | change                                   | by
    ${'nothing'}  | ${{}}                                    | ${0n}
    ${'less'}     | ${{}}                                    | ${-1n}
    ${'captured'} | ${{ remaining: 0n, status: 'captured' }} | ${1n}
    ${'released'} | ${{ remaining: 0n, status: 'released' }} | ${1n}
    ${'expired'}  | ${{ remaining: 0n, status: 'expired' }}  | ${1n}
  `('by or of $what is a bug', ({ change, by }) => {
    expect(() => increaseHold(hold(change), { amount: by, moment: 9 })).toThrow(RangeError);
  });
});
