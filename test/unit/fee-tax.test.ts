import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentByCurrency, percentFault, percentText } from '../../src/money/percent-by-currency.ts';
import { splitFee } from '../../src/reconciliation/fees/fee-tax.ts';

test.each`
  amount    | percent | own       | tax
  ${1_250n} | ${1600} | ${1_078n} | ${172n}
  ${116n}   | ${1600} | ${100n}   | ${16n}
  ${-116n}  | ${1600} | ${-100n}  | ${-16n}
  ${1n}     | ${1600} | ${1n}     | ${0n}
  ${7n}     | ${0}    | ${7n}     | ${0n}
`('of $amount at $percent the tax is $tax', ({ amount, percent, own, tax }) => {
  expect(splitFee(amount, percent)).toEqual({ own, tax });
});

test('the parts add up, and a day that is reversed reverses both', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 15n), 10n ** 15n), fc.integer({ min: 0, max: 10_000 }), (amount, percent) => {
      const { own, tax } = splitFee(amount, percent);
      const back = splitFee(-amount, percent);
      expect(own + tax).toBe(amount);
      expect([back.own, back.tax]).toEqual([own === 0n ? 0n : -own, tax === 0n ? 0n : -tax]);
    }),
  );
});

test.each`
  text            | fault
  ${'JOD'}        | ${/expects currencies with percentages/}
  ${'JOD:-1'}     | ${/expects currencies with percentages/}
  ${'JOD:1.234'}  | ${/expects currencies with percentages/}
  ${'DEM:16'}     | ${/DEM is no currency/}
  ${'JOD:100.01'} | ${/at most 100/}
`('$text is no percentage', ({ text, fault }) => {
  expect(percentFault([text])).toMatch(fault);
});

test('percentages are read and written', () => {
  const parts = ['JOD:16', 'EUR:25.5', 'USD:0.05', 'KWD:100'];
  expect(percentFault(parts)).toBeUndefined();
  expect([...percentByCurrency(parts)].map(([currency, one]) => `${currency}:${percentText(one)}`)).toEqual(parts);
  expect(percentFault(['JOD:16', 'JOD:16'])).toMatch(/JOD stands in it twice/);
});
