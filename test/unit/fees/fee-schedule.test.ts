import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FeeSchedule, feeOf, proportionalFee, scheduleError } from '../../../src/fees/fee-schedule.ts';

const NONE: FeeSchedule = { fixed: 0n, basisPoints: 0n, minimum: null, maximum: null, rounding: 'half_even' };

describe('the fee of an amount', () => {
  test.each`
    amount        | fixed   | basisPoints | minimum | maximum   | rounding       | fee
    ${10_000n}    | ${0n}   | ${0n}       | ${null} | ${null}   | ${'half_even'} | ${0n}
    ${10_000n}    | ${25n}  | ${0n}       | ${null} | ${null}   | ${'half_even'} | ${25n}
    ${10_000n}    | ${0n}   | ${50n}      | ${null} | ${null}   | ${'half_even'} | ${50n}
    ${10_000n}    | ${25n}  | ${50n}      | ${null} | ${null}   | ${'half_even'} | ${75n}
    ${100n}       | ${0n}   | ${50n}      | ${null} | ${null}   | ${'half_even'} | ${0n}
    ${300n}       | ${0n}   | ${50n}      | ${null} | ${null}   | ${'half_even'} | ${2n}
    ${100n}       | ${0n}   | ${50n}      | ${null} | ${null}   | ${'half_up'}   | ${1n}
    ${101n}       | ${0n}   | ${50n}      | ${null} | ${null}   | ${'down'}      | ${0n}
    ${101n}       | ${0n}   | ${50n}      | ${null} | ${null}   | ${'up'}        | ${1n}
    ${100n}       | ${0n}   | ${50n}      | ${10n}  | ${null}   | ${'half_even'} | ${10n}
    ${1_000_000n} | ${0n}   | ${50n}      | ${null} | ${1_000n} | ${'half_even'} | ${1_000n}
    ${0n}         | ${5n}   | ${50n}      | ${null} | ${null}   | ${'half_even'} | ${5n}
    ${0n}         | ${500n} | ${0n}       | ${null} | ${100n}   | ${'half_even'} | ${100n}
  `(
    'of $amount with $fixed, $basisPoints bp, at least $minimum, at most $maximum, rounded $rounding, is $fee',
    ({ amount, fee, ...schedule }) => {
      expect(feeOf(amount, schedule)).toBe(fee);
    },
  );

  test('is never below the minimum, never above the maximum, and never falls as the amount grows', () => {
    const part = fc.bigInt({ min: 0n, max: 1_000_000n });
    const schedules = fc.record({
      fixed: part,
      basisPoints: fc.bigInt({ min: 0n, max: 10_000n }),
      minimum: fc.option(fc.bigInt({ min: 0n, max: 1_000n })),
      maximum: fc.option(fc.bigInt({ min: 1_000n, max: 10_000n })),
      rounding: fc.constantFrom('half_even', 'half_up', 'down', 'up'),
    });
    fc.assert(
      fc.property(schedules, part, part, (schedule, amount, more) => {
        const fee = feeOf(amount, schedule as FeeSchedule);
        if (schedule.minimum !== null) expect(fee).toBeGreaterThanOrEqual(schedule.minimum);
        if (schedule.maximum !== null) expect(fee).toBeLessThanOrEqual(schedule.maximum);
        expect(feeOf(amount + more, schedule as FeeSchedule)).toBeGreaterThanOrEqual(fee);
      }),
    );
  });

  test('of a negative amount is refused', () => {
    expect(() => feeOf(-1n, proportionalFee(50n))).toThrow(RangeError);
  });
});

test.each`
  change                          | error
  ${{}}                           | ${undefined}
  ${{ fixed: -1n }}               | ${'The fixed part of a fee is not negative.'}
  ${{ basisPoints: -1n }}         | ${'Basis points are from 0 to 10,000.'}
  ${{ basisPoints: 10_001n }}     | ${'Basis points are from 0 to 10,000.'}
  ${{ minimum: -1n }}             | ${'The minimum of a fee is not negative.'}
  ${{ minimum: 5n, maximum: 4n }} | ${'The maximum of a fee is not below its minimum.'}
  ${{ maximum: -1n }}             | ${'The maximum of a fee is not below its minimum.'}
  ${{ minimum: 5n, maximum: 5n }} | ${undefined}
`('a schedule with $change: $error', ({ change, error }) => {
  expect(scheduleError({ ...NONE, ...change })).toBe(error);
  if (error) expect(() => feeOf(1n, { ...NONE, ...change })).toThrow(error);
});
