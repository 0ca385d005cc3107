/** How much of a request is approved: with its fee, within what is available and what limits leave. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '../../../src/cards/decision/decide.ts';
import { feeOfMore, feeOfPurchase } from '../../../src/cards/program/program-fees.ts';
import type { FeeSchedule } from '../../../src/fees/fee-schedule.ts';
import { accountOf, evaluated, inputOf, limitOf, newPurchase, requestOf, scopesOf } from './decision-values.ts';

const FIXED: FeeSchedule = { fixed: 300n, basisPoints: 0n, minimum: null, maximum: null, rounding: 'half_even' };

interface Asked {
  readonly amount: bigint;
  readonly cashback: bigint;
  readonly partial: boolean;
  /** Null: any amount. */
  readonly fundable: bigint | null;
  /** What a limit leaves; null for none. */
  readonly most: bigint | null;
  readonly used: bigint;
  readonly fees: readonly FeeSchedule[];
}

function approved({ amount, cashback, partial, fundable, most, used, fees }: Asked): bigint {
  const limits = most === null ? [] : [limitOf({ window: 'authorization', amount: used + most })];
  const { approvedAmount } = decide(
    inputOf({
      request: requestOf({ amount, cashbackAmount: cashback, partialApprovalAllowed: partial }),
      account: accountOf(fundable === null ? { floor: null } : { posted: fundable }),
      scopes: scopesOf({ card: { active: evaluated({ limits }) } }),
      purchase: { ...newPurchase(), used, charged: feeOfPurchase(used, fees), fees },
    }),
  );
  return approvedAmount;
}

test.each`
  amount     | cashback  | partial  | fundable   | most      | used  | part
  ${20_000n} | ${0n}     | ${false} | ${20_300n} | ${null}   | ${0n} | ${20_000n}
  ${20_000n} | ${0n}     | ${false} | ${20_299n} | ${null}   | ${0n} | ${0n}
  ${20_000n} | ${0n}     | ${true}  | ${20_299n} | ${null}   | ${0n} | ${19_999n}
  ${20_000n} | ${0n}     | ${true}  | ${10_000n} | ${null}   | ${0n} | ${9_700n}
  ${20_000n} | ${0n}     | ${true}  | ${10_000n} | ${null}   | ${1n} | ${10_000n}
  ${20_000n} | ${0n}     | ${true}  | ${10_000n} | ${5_000n} | ${0n} | ${5_000n}
  ${20_000n} | ${0n}     | ${false} | ${null}    | ${5_000n} | ${0n} | ${0n}
  ${20_000n} | ${0n}     | ${true}  | ${null}    | ${null}   | ${0n} | ${20_000n}
  ${20_000n} | ${0n}     | ${true}  | ${301n}    | ${null}   | ${0n} | ${1n}
  ${20_000n} | ${0n}     | ${true}  | ${300n}    | ${null}   | ${0n} | ${0n}
  ${20_000n} | ${0n}     | ${true}  | ${-5_000n} | ${null}   | ${0n} | ${0n}
  ${5_000n}  | ${2_000n} | ${true}  | ${5_300n}  | ${null}   | ${0n} | ${5_000n}
  ${5_000n}  | ${2_000n} | ${true}  | ${5_299n}  | ${null}   | ${0n} | ${3_000n}
  ${5_000n}  | ${2_000n} | ${true}  | ${3_300n}  | ${null}   | ${0n} | ${3_000n}
  ${5_000n}  | ${2_000n} | ${true}  | ${3_299n}  | ${null}   | ${0n} | ${0n}
  ${5_000n}  | ${2_000n} | ${false} | ${5_299n}  | ${null}   | ${0n} | ${0n}
  ${5_000n}  | ${5_000n} | ${true}  | ${5_299n}  | ${null}   | ${0n} | ${0n}
`(
  'of $amount with cashback $cashback, partial $partial, with $fundable, at most $most, $used before: $part',
  ({ part, ...asked }) => {
    expect(approved({ ...asked, fees: [FIXED] })).toBe(part);
  },
);

const small = fc.bigInt({ min: 0n, max: 3_000n });
const anySchedule: fc.Arbitrary<FeeSchedule> = fc.record({
  fixed: fc.bigInt({ min: 0n, max: 500n }),
  basisPoints: fc.bigInt({ min: 0n, max: 1_000n }),
  minimum: fc.option(fc.bigInt({ min: 0n, max: 100n })),
  maximum: fc.option(fc.bigInt({ min: 100n, max: 1_000n })),
  rounding: fc.constant('half_even' as const),
});

test('a part is covered with its fee, and one unit more is not', () => {
  const asked = fc.record({
    amount: fc.bigInt({ min: 1n, max: 3_000n }),
    fundable: small,
    used: small,
    most: fc.option(small),
    fees: fc.array(anySchedule, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(asked, ({ amount, fundable, used, most, fees }) => {
      const part = approved({ amount, cashback: 0n, partial: true, fundable, most, used, fees });
      const isWithin = (one: bigint) =>
        one + feeOfMore(one, { base: used, charged: feeOfPurchase(used, fees), schedules: fees }) <= fundable &&
        one <= (most ?? one);
      if (part > 0n) expect(isWithin(part)).toBe(true);
      if (part < amount) expect(isWithin(part + 1n)).toBe(false);
    }),
  );
});
