import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/cards/decision/decide.ts';
import { largestCovered, withFee } from '../../../src/cards/decision/funds.ts';
import { defaultProgram, NO_FEES, type Program, withChange } from '../../../src/cards/program/program.ts';
import { programErrors } from '../../../src/cards/program/program-errors.ts';
import { feeOfMore, feeOfPurchase, feeSchedulesOf } from '../../../src/cards/program/program-fees.ts';
import { expiryDaysOf, fuelAmountOf, tolerancePercentOf } from '../../../src/cards/program/program-terms.ts';
import { COUNTRIES, isListedCountry } from '../../../src/cards/purchase/country.ts';
import { isListedMcc } from '../../../src/cards/purchase/merchant-category.ts';
import { isCash, isCredit, isDebit, kindOf } from '../../../src/cards/purchase/purchase-facts.ts';
import type { FeeSchedule } from '../../../src/fees/fee-schedule.ts';
import { accountOf, factsOf, inputOf, newPurchase, requestOf } from './decision-values.ts';

const PROGRAM = defaultProgram('UTC');
const fixed = (amount: bigint): FeeSchedule => ({
  ...{ fixed: amount, basisPoints: 0n, minimum: null, maximum: null, rounding: 'half_even' },
});
const markup = (basisPoints: bigint): FeeSchedule => ({ ...fixed(0n), basisPoints });

describe('the values of a program', () => {
  const days = PROGRAM.expiryDays;
  const fuel = { currency: 'USD', amount: 10_000n, statusCheckMax: 100n };
  const endpoint = { url: 'https://decisions.example', timeoutMs: 1_000, default: 'decline' as const };

  test.each<[Partial<Program>, string[]]>([
    [{}, []],
    [{ currencies: ['USD', 'JOD'] }, []],
    [{ currencies: [] }, ['/currencies']],
    [{ currencies: ['USD', 'USX', 'USD'] }, ['/currencies/1', '/currencies/2']],
    [{ timeZone: 'Asia/Amman' }, []],
    [{ timeZone: 'Mars/Olympus' }, ['/time_zone']],
    [{ timeZone: '+03:00' }, ['/time_zone']],
    [{ decision: endpoint }, []],
    [{ decision: { ...endpoint, timeoutMs: 199 } }, ['/decision/timeout_ms']],
    [{ decision: { ...endpoint, timeoutMs: 2_001 } }, ['/decision/timeout_ms']],
    [{ tolerances: [{ mccs: ['5812'], percent: 101 }] }, ['/tolerances/0/percent']],
    [{ tolerances: [{ mccs: [], percent: 10 }] }, ['/tolerances/0/mccs']],
    [{ tolerances: [{ mccs: ['9998'], percent: 10 }] }, ['/tolerances/0/mccs/0']],
    [
      {
        tolerances: [
          { mccs: ['5811-5814'], percent: 10 },
          { mccs: ['5912', '5813'], percent: 20 },
        ],
      },
      ['/tolerances/1/mccs/1'],
    ],
    [{ expiryDays: { ...days, carRental: 0, fuel: 91 } }, ['/expiry_days/car_rental', '/expiry_days/fuel']],
    [{ fuel: [fuel, { ...fuel, currency: 'EUR' }] }, []],
    [{ fuel: [fuel, fuel] }, ['/fuel/1/currency']],
    [{ fuel: [{ ...fuel, currency: 'USX' }] }, ['/fuel/0/currency']],
    [{ fuel: [{ ...fuel, amount: 99n }] }, ['/fuel/0/amount']],
    [{ fuel: [{ ...fuel, statusCheckMax: 0n }] }, ['/fuel/0/status_check_max']],
    [{ fees: { ...NO_FEES, cash: fixed(300n) } }, []],
    [
      { fees: { ...NO_FEES, quasiCash: fixed(-1n), foreignCurrency: markup(10_001n) } },
      ['/fees/quasi_cash', '/fees/foreign_currency'],
    ],
  ])('%# have errors at their members', (change, params) => {
    expect(programErrors(withChange(PROGRAM, change)).map(({ param }) => param)).toEqual(params);
  });
});

test.each`
  mcc       | percent | days
  ${'5812'} | ${20}   | ${7}
  ${'5813'} | ${20}   | ${7}
  ${'5814'} | ${20}   | ${7}
  ${'4121'} | ${20}   | ${7}
  ${'7230'} | ${20}   | ${7}
  ${'7011'} | ${15}   | ${30}
  ${'3501'} | ${15}   | ${30}
  ${'3500'} | ${15}   | ${30}
  ${'3999'} | ${15}   | ${30}
  ${'4000'} | ${0}    | ${7}
  ${'3351'} | ${15}   | ${30}
  ${'7512'} | ${15}   | ${30}
  ${'4411'} | ${15}   | ${30}
  ${'3350'} | ${0}    | ${7}
  ${'5411'} | ${0}    | ${7}
  ${'5542'} | ${0}    | ${7}
  ${'9998'} | ${0}    | ${7}
`('at $mcc $percent per cent more may clear, and an approval expires after $days days', ({ mcc, percent, days }) => {
  expect(tolerancePercentOf(PROGRAM, mcc)).toBe(percent);
  expect(expiryDaysOf(PROGRAM, { mcc, isStatusCheck: false })).toBe(days);
  expect(expiryDaysOf(PROGRAM, { mcc, isStatusCheck: true })).toBe(2);
});

test('each category has days of its own', () => {
  const expiryDays = { default: 1, lodging: 2, carRental: 3, cruise: 4, fuel: 5 };
  const days = ['5411', '3501', '3351', '4411'].map((mcc) =>
    expiryDaysOf({ expiryDays }, { mcc, isStatusCheck: false }),
  );
  expect(days).toEqual([1, 2, 3, 4]);
});

describe('fuel', () => {
  const program = { ...PROGRAM, fuel: [{ currency: 'USD', amount: 10_000n, statusCheckMax: 100n }] };
  const check = {
    ...({ message: 'authorization', form: 'dual' } as const),
    ...({ kind: 'purchase', mcc: '5542', currency: 'USD', amount: 100n } as const),
  };

  test.each`
    change                              | amount
    ${{}}                               | ${10_000n}
    ${{ amount: 101n }}                 | ${undefined}
    ${{ currency: 'EUR' }}              | ${undefined}
    ${{ mcc: '5541' }}                  | ${undefined}
    ${{ kind: 'account_verification' }} | ${undefined}
    ${{ kind: 'cash' }}                 | ${undefined}
    ${{ message: 'increment' }}         | ${undefined}
    ${{ form: 'single' }}               | ${undefined}
  `('a status check with $change holds $amount', ({ change, amount }) => {
    expect(fuelAmountOf(program, { ...check, ...change })).toBe(amount);
  });

  test('a status check holds never less than it asks for', () => {
    const fuel = [{ currency: 'USD', amount: 50n, statusCheckMax: 100n }];
    expect(fuelAmountOf({ fuel }, check)).toBe(100n);
  });

  const decided = (posted: bigint, values: Parameters<typeof requestOf>[0] = {}) =>
    decide(
      inputOf({
        program,
        account: accountOf({ posted }),
        request: requestOf({ facts: factsOf({ mcc: '5542' }), amount: 100n, ...values }),
      }),
    );

  test('G31 the check is answered as asked, and holds the fuel amount', () => {
    expect(decided(10_000n)).toMatchObject({
      ...{ approvedAmount: 100n, authorizedAmount: 10_000n, networkResponseCode: '00', flags: ['fuel'] },
    });
  });

  test('G33 with too little it is declined, also where a part would do for a purchase', () => {
    expect(decided(9_999n).declineCode).toBe('insufficient_funds');
    expect(decided(9_999n, { partialApprovalAllowed: true }).declineCode).toBe('insufficient_funds');
  });

  test('G35 a real amount is a purchase', () => {
    expect(decided(6_000n, { amount: 10_000n, partialApprovalAllowed: true })).toMatchObject({
      ...{ approvedAmount: 6_000n, authorizedAmount: 6_000n, networkResponseCode: '10', flags: [] },
    });
  });

  test('an increment is no status check', () => {
    expect(decided(200n, { message: 'increment' })).toMatchObject({ approvedAmount: 100n, authorizedAmount: 100n });
  });
});

describe('fees', () => {
  const fees = { cash: fixed(300n), quasiCash: fixed(200n), foreignCurrency: markup(300n) };

  test.each`
    kind            | merchantCurrency | fee
    ${'purchase'}   | ${null}          | ${0n}
    ${'purchase'}   | ${'USD'}         | ${0n}
    ${'purchase'}   | ${'EUR'}         | ${330n}
    ${'cash'}       | ${null}          | ${300n}
    ${'cash'}       | ${'EUR'}         | ${630n}
    ${'quasi_cash'} | ${null}          | ${200n}
    ${'refund'}     | ${'EUR'}         | ${0n}
  `('a $kind of 11,000 with $merchantCurrency costs $fee', ({ kind, merchantCurrency, fee }) => {
    const schedules = feeSchedulesOf(fees, { kind, merchantCurrency, currency: 'USD' });
    expect(feeOfPurchase(11_000n, schedules)).toBe(fee);
    expect(feeOfPurchase(0n, schedules)).toBe(0n);
  });

  test('G49 two clearings cost what one would: each the difference', () => {
    const schedules = [markup(300n)];
    expect(feeOfPurchase(6_720n, schedules)).toBe(202n);
    expect(feeOfMore(4_440n, { base: 6_720n, charged: 202n, schedules })).toBe(133n);
    expect(feeOfMore(4_400n, { base: 6_720n, charged: 202n, schedules })).toBe(132n);
  });

  const decided = (posted: bigint, partialApprovalAllowed: boolean) =>
    decide(
      inputOf({
        account: accountOf({ posted }),
        purchase: { ...newPurchase(), fees: [fixed(300n)] },
        request: requestOf({ facts: factsOf({ kind: 'cash', mcc: '6011' }), amount: 20_000n, partialApprovalAllowed }),
      }),
    );

  test.each`
    scenario | posted     | partial  | approved   | fee     | code
    ${'G46'} | ${20_300n} | ${false} | ${20_000n} | ${300n} | ${'00'}
    ${'G47'} | ${20_299n} | ${false} | ${0n}      | ${0n}   | ${'51'}
    ${'G48'} | ${10_000n} | ${true}  | ${9_700n}  | ${300n} | ${'10'}
    ${'-'}   | ${301n}    | ${true}  | ${1n}      | ${300n} | ${'10'}
    ${'-'}   | ${300n}    | ${true}  | ${0n}      | ${0n}   | ${'51'}
  `('$scenario: $posted cover $approved of 20,000 with the fee', ({ posted, partial, approved, fee, code }) => {
    expect(decided(posted, partial)).toMatchObject({
      ...{ approvedAmount: approved, fee, networkResponseCode: code },
    });
  });
});

test('the largest amount that is covered: it is, and one unit more is not', () => {
  const schedule = fc.record({
    fixed: fc.bigInt({ min: 0n, max: 50n }),
    basisPoints: fc.bigInt({ min: 0n, max: 10_000n }),
    minimum: fc.option(fc.bigInt({ min: 0n, max: 40n })),
    maximum: fc.option(fc.bigInt({ min: 40n, max: 400n })),
    rounding: fc.constant('half_even' as const),
  });
  const amount = fc.bigInt({ min: 0n, max: 2_000n });
  const funds = fc.bigInt({ min: -100n, max: 2_000n });
  fc.assert(
    fc.property(
      fc.array(schedule, { maxLength: 2 }),
      amount,
      amount,
      amount,
      funds,
      (schedules, base, charged, atMost, left) => {
        const fee = { base, charged, schedules };
        const covered = largestCovered(fee, { funds: left, atMost });
        expect(covered >= 0n && covered <= atMost).toBe(true);
        if (covered > 0n) expect(withFee(covered, fee)).toBeLessThanOrEqual(left);
        if (covered < atMost) expect(withFee(covered + 1n, fee)).toBeGreaterThan(left);
      },
    ),
  );
});

test('G16 an overdraft is spent to the last unit, and an account without a floor has no end', () => {
  const decided = (floor: bigint | null, amount: bigint) =>
    decide(inputOf({ account: accountOf({ posted: 1_000n, floor }), request: requestOf({ amount }) })).decision;
  expect([decided(-5_000n, 6_000n), decided(-5_000n, 6_001n)]).toEqual(['approved', 'declined']);
  expect(decided(null, 1n << 60n)).toBe('approved');
});

test('what costs nothing is approved below the floor', () => {
  const { decision, networkResponseCode } = decide(
    inputOf({
      account: accountOf({ posted: -500n }),
      request: requestOf({ amount: 0n, facts: factsOf({ kind: 'balance_inquiry' }) }),
    }),
  );
  expect([decision, networkResponseCode]).toEqual(['approved', '00']);
});

test.each`
  kind                 | mcc       | is
  ${null}              | ${'5411'} | ${'purchase'}
  ${null}              | ${'6010'} | ${'cash'}
  ${null}              | ${'6011'} | ${'cash'}
  ${null}              | ${'4829'} | ${'quasi_cash'}
  ${null}              | ${'6051'} | ${'quasi_cash'}
  ${null}              | ${'6540'} | ${'quasi_cash'}
  ${null}              | ${'7995'} | ${'quasi_cash'}
  ${'balance_inquiry'} | ${'6011'} | ${'balance_inquiry'}
  ${'purchase'}        | ${'7995'} | ${'purchase'}
`('$kind at $mcc is $is', ({ kind, mcc, is }) => {
  expect(kindOf({ kind, mcc })).toBe(is);
});

test('kinds are debits, credits or inquiries', () => {
  expect((['purchase', 'cash', 'quasi_cash', 'transfer_out'] as const).every(isDebit)).toBe(true);
  expect((['refund', 'transfer_in'] as const).every((kind) => isCredit(kind) && !isDebit(kind))).toBe(true);
  expect((['account_verification', 'balance_inquiry'] as const).some((kind) => isCredit(kind) || isDebit(kind))).toBe(
    false,
  );
  expect([isCash('cash'), isCash('quasi_cash'), isCash('transfer_out')]).toEqual([true, true, false]);
});

describe('what the standards list', () => {
  test.each([
    '0742',
    '3000',
    '3351',
    '3501',
    '4411',
    '5411',
    '5542',
    '5812',
    '6011',
    '6051',
    '6540',
    '7011',
    '7995',
    '9950',
  ])('MCC %s', (mcc) => {
    expect(isListedMcc(mcc)).toBe(true);
  });

  test.each(['9998', '9999', '0000', '0700', '2999', '5410', '541', ''])('no MCC %s', (mcc) => {
    expect(isListedMcc(mcc)).toBe(false);
  });

  test('249 countries, and no code that users may give themselves', () => {
    expect(COUNTRIES.size).toBe(249);
    expect(['US', 'JO', 'GB', 'SS'].every(isListedCountry)).toBe(true);
    expect(['XZ', 'XK', 'UK', 'EU', 'ZZ', 'us', ''].some(isListedCountry)).toBe(false);
  });
});
