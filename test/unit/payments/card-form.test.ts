import { expect, test } from 'vitest';
import { readCard } from '../../../src/payments/checkout/card-form.ts';

const NOW = Date.UTC(2026, 2, 31, 23);
const form = (change: Record<string, string>) =>
  new URLSearchParams({ number: '4242424242424242', expiry: '12/34', cvc: '123', ...change });

test.each`
  expiry       | month | year
  ${'12/34'}   | ${12} | ${2034}
  ${'12 / 34'} | ${12} | ${2034}
  ${'1/27'}    | ${1}  | ${2027}
  ${'0127'}    | ${1}  | ${2027}
  ${'12-2034'} | ${12} | ${2034}
  ${'12.34'}   | ${12} | ${2034}
  ${'١٢/٣٤'}   | ${12} | ${2034}
  ${'03/26'}   | ${3}  | ${2026}
`('the expiry date $expiry is read', ({ expiry, month, year }) => {
  expect(readCard(form({ expiry }), NOW)).toMatchObject({ card: { expMonth: month, expYear: year } });
});

test.each`
  field       | value                  | fault
  ${'number'} | ${'4242424242424241'}  | ${'numberWrong'}
  ${'number'} | ${'4242 4242'}         | ${'numberWrong'}
  ${'number'} | ${'4'.repeat(20)}      | ${'numberWrong'}
  ${'number'} | ${'4242424242424242x'} | ${'numberWrong'}
  ${'expiry'} | ${''}                  | ${'expiryWrong'}
  ${'expiry'} | ${'00/34'}             | ${'expiryWrong'}
  ${'expiry'} | ${'13/34'}             | ${'expiryWrong'}
  ${'expiry'} | ${'12/1934'}           | ${'expiryWrong'}
  ${'expiry'} | ${'02/26'}             | ${'expiryPast'}
  ${'cvc'}    | ${'12'}                | ${'cvcWrong'}
  ${'cvc'}    | ${'12345'}             | ${'cvcWrong'}
`('$field $value is refused: $fault', ({ field, value, fault }) => {
  expect(readCard(form({ [field]: value }), NOW)).toEqual({ faults: { [field]: fault } });
});

test('a card is good until its month has ended everywhere', () => {
  expect(readCard(form({ expiry: '03/26' }), Date.UTC(2026, 3, 1, 12) - 1)).toHaveProperty('card');
  expect(readCard(form({ expiry: '03/26' }), Date.UTC(2026, 3, 1, 12))).toEqual({ faults: { expiry: 'expiryPast' } });
});

test('fields that are not there are wrong', () => {
  const faults = { number: 'numberWrong', expiry: 'expiryWrong', cvc: 'cvcWrong' };
  expect(readCard(new URLSearchParams(), NOW)).toEqual({ faults });
});
