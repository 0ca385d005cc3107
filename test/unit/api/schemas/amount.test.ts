import { expect, test } from 'vitest';
import { readAmount } from '../../../../src/api/schemas/amount.ts';
import { parseJson } from '../../../../src/values/json.ts';

/** Reads a JSON text as an amount. */
const amountIn = (text: string, minimum = 1n) => {
  const result = readAmount((parseJson(`{"amount":${text}}`) as { amount: unknown }).amount, minimum);
  return typeof result === 'bigint' ? result : result.code;
};

test.each`
  text                          | answer
  ${'1'}                        | ${1n}
  ${'5124'}                     | ${5124n}
  ${'9007199254740991'}         | ${9007199254740991n}
  ${'1e3'}                      | ${1000n}
  ${'100.0'}                    | ${100n}
  ${'10e-1'}                    | ${1n}
  ${'0.5124e4'}                 | ${5124n}
  ${'100.0000000000000000001'}  | ${'amount_not_integer'}
  ${'0.1'}                      | ${'amount_not_integer'}
  ${'1e-1'}                     | ${'amount_not_integer'}
  ${'1e-400'}                   | ${'amount_not_integer'}
  ${'-1.5'}                     | ${'amount_not_integer'}
  ${'9007199254740991.5'}       | ${'amount_not_integer'}
  ${'"100"'}                    | ${'amount_not_integer'}
  ${'null'}                     | ${'amount_not_integer'}
  ${'true'}                     | ${'amount_not_integer'}
  ${'[100]'}                    | ${'amount_not_integer'}
  ${'{"value":1}'}              | ${'amount_not_integer'}
  ${'9007199254740992'}         | ${'amount_above_maximum'}
  ${'9007199254740993'}         | ${'amount_above_maximum'}
  ${'9223372036854775808'}      | ${'amount_above_maximum'}
  ${'1e400'}                    | ${'amount_above_maximum'}
  ${'12345678901234567890.000'} | ${'amount_above_maximum'}
  ${'0'}                        | ${'amount_below_minimum'}
  ${'-0'}                       | ${'amount_below_minimum'}
  ${'0.0'}                      | ${'amount_below_minimum'}
  ${'-1'}                       | ${'amount_below_minimum'}
  ${'-9007199254740993'}        | ${'amount_below_minimum'}
`('an amount of $text is $answer', ({ text, answer }) => {
  expect(amountIn(text)).toBe(answer);
});

test('a minimum of zero allows zero, but nothing below', () => {
  expect(amountIn('0', 0n)).toBe(0n);
  expect(amountIn('-1', 0n)).toBe('amount_below_minimum');
});

test('a megabyte of zeros is read', () => {
  expect(amountIn(`1${'0'.repeat(1_000_000)}.5`)).toBe('amount_not_integer');
});
