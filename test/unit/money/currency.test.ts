import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decimalOf, formatAmount } from '../../../src/money/amount.ts';
import { CURRENCIES, currencyExponent, isCurrency } from '../../../src/money/currency.ts';
import { WITHDRAWN, WITHDRAWN_AS_OF, withdrawalOf } from '../../../src/money/withdrawn-currencies.ts';

describe('decimals are those of ISO 4217', () => {
  test.each`
    currency | exponent | why
    ${'EUR'} | ${2}     | ${'most have two'}
    ${'USD'} | ${2}     | ${'most have two'}
    ${'JOD'} | ${3}     | ${'a dinar is a thousand fils'}
    ${'KWD'} | ${3}     | ${'a dinar is a thousand fils'}
    ${'BHD'} | ${3}     | ${'a dinar is a thousand fils'}
    ${'LYD'} | ${3}     | ${'a dinar is a thousand dirhams'}
    ${'OMR'} | ${3}     | ${'a rial is a thousand baisa'}
    ${'TND'} | ${3}     | ${'a dinar is a thousand millimes'}
    ${'IQD'} | ${3}     | ${'no coin so small circulates, the standard has three all the same'}
    ${'MGA'} | ${2}     | ${'an ariary is five iraimbilanja, the standard writes two decimals'}
    ${'MRU'} | ${2}     | ${'an ouguiya is five khoums, the standard writes two decimals'}
    ${'XCG'} | ${2}     | ${'since amendment 176'}
    ${'JPY'} | ${0}     | ${'no minor unit'}
    ${'KRW'} | ${0}     | ${'no minor unit'}
    ${'CLP'} | ${0}     | ${'no minor unit'}
    ${'ISK'} | ${0}     | ${'no minor unit'}
  `('$currency has $exponent: $why', ({ currency, exponent }) => {
    expect(currencyExponent(currency)).toBe(exponent);
    expect(isCurrency(currency)).toBe(true);
  });

  test.each`
    code      | what
    ${'XAU'}  | ${'gold'}
    ${'XDR'}  | ${'special drawing rights'}
    ${'XTS'}  | ${'reserved for tests'}
    ${'XXX'}  | ${'no currency'}
    ${'UYW'}  | ${'an index, with four decimals'}
    ${'CLF'}  | ${'an accounting unit'}
    ${'USN'}  | ${'a settlement day, not a currency'}
    ${'DEM'}  | ${'withdrawn'}
    ${'eur'}  | ${'small letters'}
    ${'EU'}   | ${'two letters'}
    ${'EURO'} | ${'four letters'}
    ${''}     | ${'nothing'}
  `('$code is refused: $what', ({ code }) => {
    expect(isCurrency(code)).toBe(false);
    expect(() => currencyExponent(code)).toThrow(RangeError);
  });

  test('property names of an object are not currencies', () => {
    for (const name of ['constructor', '__proto__', 'toString']) expect(isCurrency(name)).toBe(false);
  });

  test('every currency has zero, two or three decimals, and the list is sorted', () => {
    expect(new Set(CURRENCIES.map(currencyExponent))).toEqual(new Set([0, 2, 3]));
    expect(CURRENCIES).toEqual([...CURRENCIES].sort());
    expect(CURRENCIES.length).toBeGreaterThan(150);
  });
});

test.each`
  amount       | currency | text
  ${5_124n}    | ${'KWD'} | ${'5.124 KWD'}
  ${-5_124n}   | ${'KWD'} | ${'-5.124 KWD'}
  ${7n}        | ${'JOD'} | ${'0.007 JOD'}
  ${0n}        | ${'EUR'} | ${'0.00 EUR'}
  ${-1n}       | ${'EUR'} | ${'-0.01 EUR'}
  ${100n}      | ${'JPY'} | ${'100 JPY'}
  ${-100n}     | ${'JPY'} | ${'-100 JPY'}
  ${2n ** 63n} | ${'EUR'} | ${'92233720368547758.08 EUR'}
`('$amount of $currency reads $text', ({ amount, currency, text }) => {
  expect(formatAmount(amount, currency)).toBe(text);
  expect(decimalOf(amount, currency)).toBe(text.split(' ')[0]);
});

/** ISO 4217 has one or two amendments a year, announced months before they take effect. */
const OLDEST_DAYS = 540;

test('the table of withdrawn currencies was compared with the standard not long before the newest release', () => {
  const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  const released = /^## \[\d[^\]]*\] - (\d{4}-\d{2}-\d{2})$/m.exec(changelog)![1]!;
  const ageDays = (Date.parse(released) - Date.parse(WITHDRAWN_AS_OF)) / 86_400_000;
  expect(ageDays, 'compare it with lists one and three of ISO 4217, and set WITHDRAWN_AS_OF').toBeLessThan(OLDEST_DAYS);
  expect(ageDays).toBeGreaterThan(0);
});

test.each`
  currency | day             | successor
  ${'BGN'} | ${'2025-12-31'} | ${undefined}
  ${'BGN'} | ${'2026-01-01'} | ${'EUR'}
  ${'ANG'} | ${'2026-01-01'} | ${'XCG'}
  ${'CUC'} | ${'2026-01-01'} | ${'CUP'}
  ${'XCG'} | ${'2026-01-01'} | ${undefined}
`('on $day $currency has been succeeded by $successor', ({ currency, day, successor }) => {
  expect(withdrawalOf(currency, day)?.successor).toBe(successor);
});

test('a withdrawn currency keeps its decimals, and its successor is a currency in use', () => {
  for (const [currency, { digits, from, successor }] of WITHDRAWN) {
    expect([currency, isCurrency(currency), currencyExponent(currency)]).toEqual([currency, true, digits]);
    expect([isCurrency(successor), WITHDRAWN.has(successor)]).toEqual([true, false]);
    expect(from <= WITHDRAWN_AS_OF).toBe(true);
  }
});
