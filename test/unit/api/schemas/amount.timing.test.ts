import { expect, test } from 'vitest';
import { readAmount } from '../../../../src/api/schemas/amount.ts';
import { parseJson } from '../../../../src/values/json.ts';

test('a megabyte of zeros is read in linear time', () => {
  const started = performance.now();
  const { amount } = parseJson(`{"amount":1${'0'.repeat(1_000_000)}.5}`) as { amount: unknown };
  expect(readAmount(amount, 1n)).toMatchObject({ code: 'amount_not_integer' });
  expect(performance.now() - started).toBeLessThan(1_000);
});
