import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feeOf, proportionalFee } from '../../../src/fees/fee-schedule.ts';
import { MAX_REQUEST_AMOUNT, MAX_TOTAL } from '../../../src/money/amount.ts';
import { allocate, multiplyRatio, type Rounding } from '../../../src/money/rounding.ts';

const ROUNDINGS: Rounding[] = ['half_even', 'half_up', 'down', 'up'];
const anyAmount = fc.bigInt({ min: -MAX_TOTAL, max: MAX_TOTAL });
const magnitude = (value: bigint) => (value < 0n ? -value : value);

describe('a ratio is rounded once, at the end', () => {
  test.each`
    amount     | numerator | denominator | half_even | half_up | down    | up
    ${10n}     | ${1n}     | ${5n}       | ${2n}     | ${2n}   | ${2n}   | ${2n}
    ${1n}      | ${1n}     | ${3n}       | ${0n}     | ${0n}   | ${0n}   | ${1n}
    ${2n}      | ${1n}     | ${3n}       | ${1n}     | ${1n}   | ${0n}   | ${1n}
    ${1n}      | ${1n}     | ${2n}       | ${0n}     | ${1n}   | ${0n}   | ${1n}
    ${3n}      | ${1n}     | ${2n}       | ${2n}     | ${2n}   | ${1n}   | ${2n}
    ${5n}      | ${1n}     | ${2n}       | ${2n}     | ${3n}   | ${2n}   | ${3n}
    ${-1n}     | ${1n}     | ${2n}       | ${0n}     | ${-1n}  | ${0n}   | ${-1n}
    ${-3n}     | ${1n}     | ${2n}       | ${-2n}    | ${-2n}  | ${-1n}  | ${-2n}
    ${-5n}     | ${1n}     | ${2n}       | ${-2n}    | ${-3n}  | ${-2n}  | ${-3n}
    ${5n}      | ${-1n}    | ${2n}       | ${-2n}    | ${-3n}  | ${-2n}  | ${-3n}
    ${-5n}     | ${-1n}    | ${2n}       | ${2n}     | ${3n}   | ${2n}   | ${3n}
    ${0n}      | ${7n}     | ${3n}       | ${0n}     | ${0n}   | ${0n}   | ${0n}
    ${12_345n} | ${29n}    | ${1_000n}   | ${358n}   | ${358n} | ${358n} | ${359n}
  `('$amount × $numerator ÷ $denominator', ({ amount, numerator, denominator, ...expected }) => {
    for (const rounding of ROUNDINGS) {
      expect(multiplyRatio(amount, { numerator, denominator }, rounding), rounding).toBe(expected[rounding]);
    }
    expect(multiplyRatio(amount, { numerator, denominator })).toBe(expected.half_even);
  });

  test.each([0n, -1n])('a denominator of %s is refused', (denominator) => {
    expect(() => multiplyRatio(1n, { numerator: 1n, denominator })).toThrow(RangeError);
  });

  test('the error is below one unit, and at most half a unit when rounding to the nearest', () => {
    fc.assert(
      fc.property(
        anyAmount,
        fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        fc.constantFrom(...ROUNDINGS),
        (amount, numerator, denominator, rounding) => {
          const error = magnitude(
            multiplyRatio(amount, { numerator, denominator }, rounding) * denominator - amount * numerator,
          );
          if (rounding.startsWith('half')) expect(error * 2n <= denominator).toBe(true);
          else expect(error < denominator).toBe(true);
        },
      ),
    );
  });

  test('an amount and its negative round alike', () => {
    fc.assert(
      fc.property(
        anyAmount,
        fc.bigInt({ min: 1n, max: 10_000n }),
        fc.constantFrom(...ROUNDINGS),
        (amount, numerator, rounding) => {
          const ratio = { numerator, denominator: 9_973n };
          expect(multiplyRatio(-amount, ratio, rounding)).toBe(-multiplyRatio(amount, ratio, rounding));
        },
      ),
    );
  });
});

describe('a fee', () => {
  test.each`
    amount                | basisPoints | fee
    ${10_000n}            | ${50n}      | ${50n}
    ${100n}               | ${50n}      | ${0n}
    ${101n}               | ${50n}      | ${1n}
    ${300n}               | ${50n}      | ${2n}
    ${10_000n}            | ${0n}       | ${0n}
    ${10_000n}            | ${10_000n}  | ${10_000n}
    ${MAX_REQUEST_AMOUNT} | ${50n}      | ${45_035_996_273_705n}
  `('$basisPoints basis points of $amount are $fee', ({ amount, basisPoints, fee }) => {
    expect(feeOf(amount, proportionalFee(basisPoints))).toBe(fee);
  });
});

describe('an allocation', () => {
  test.each`
    amount    | weights             | parts                 | why
    ${100n}   | ${[1n, 1n]}         | ${[50n, 50n]}         | ${'it comes out even'}
    ${100n}   | ${[1n, 1n, 1n]}     | ${[34n, 33n, 33n]}    | ${'of equal remainders the earlier part gets the unit'}
    ${101n}   | ${[1n, 1n, 1n]}     | ${[34n, 34n, 33n]}    | ${'two units are left'}
    ${10n}    | ${[3n, 3n, 4n]}     | ${[3n, 3n, 4n]}       | ${'weights are parts already'}
    ${5n}     | ${[7n, 3n]}         | ${[4n, 1n]}           | ${'3.5 and 1.5: of equal remainders the earlier'}
    ${1n}     | ${[1n, 2n]}         | ${[0n, 1n]}           | ${'the larger remainder gets it'}
    ${100n}   | ${[0n, 1n, 0n]}     | ${[0n, 100n, 0n]}     | ${'no weight, no part'}
    ${-100n}  | ${[1n, 1n, 1n]}     | ${[-34n, -33n, -33n]} | ${'a negative amount splits like its positive'}
    ${0n}     | ${[1n, 2n]}         | ${[0n, 0n]}           | ${'nothing to split'}
    ${2n}     | ${[1n, 1n, 1n, 1n]} | ${[1n, 1n, 0n, 0n]}   | ${'fewer units than parts'}
    ${1_000n} | ${[1n]}             | ${[1_000n]}           | ${'one part is the whole'}
  `('$amount by $weights is $parts: $why', ({ amount, weights, parts }) => {
    expect(allocate(amount, weights)).toEqual(parts);
  });

  test.each`
    weights      | why
    ${[]}        | ${'none'}
    ${[0n, 0n]}  | ${'all zero'}
    ${[1n, -1n]} | ${'negative'}
  `('weights are refused: $why', ({ weights }) => {
    expect(() => allocate(100n, weights)).toThrow(RangeError);
  });

  const weights = fc
    .array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 1, maxLength: 40 })
    .filter((list) => list.some((weight) => weight > 0n));

  test('gives parts that sum to the whole, to the unit', () => {
    fc.assert(
      fc.property(anyAmount, weights, (amount, list) => {
        expect(allocate(amount, list).reduce((sum, part) => sum + part, 0n)).toBe(amount);
      }),
    );
  });

  test('gives each part its share, less than a unit off', () => {
    fc.assert(
      fc.property(anyAmount, weights, (amount, list) => {
        const total = list.reduce((sum, weight) => sum + weight, 0n);
        allocate(amount, list).forEach((part, index) => {
          expect(magnitude(part * total - amount * list[index]!) < total).toBe(true);
        });
      }),
    );
  });
});
