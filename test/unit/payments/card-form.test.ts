import { expect, test } from 'vitest';
import { readCard } from '../../../src/payments/checkout/card-form.ts';

const NOW = Date.UTC(2026, 2, 31, 23);
const form = (change: Record<string, string>) =>
  new URLSearchParams({ number: '4242424242424242', expiry: '12/34', cvc: '123', ...change });

test.each`
  expiry                   | month | year
  ${'12/34'}               | ${12} | ${2034}
  ${'12 / 34'}             | ${12} | ${2034}
  ${'1/27'}                | ${1}  | ${2027}
  ${'0127'}                | ${1}  | ${2027}
  ${'12-2034'}             | ${12} | ${2034}
  ${'12.34'}               | ${12} | ${2034}
  ${'12⁄34'}               | ${12} | ${2034}
  ${'12／34'}              | ${12} | ${2034}
  ${'\u200e12 / 34\u202c'} | ${12} | ${2034}
  ${'١٢/٣٤'}               | ${12} | ${2034}
  ${'03/26'}               | ${3}  | ${2026}
`('the expiry date $expiry is read', ({ expiry, month, year }) => {
  expect(readCard(form({ expiry }), NOW)).toMatchObject({ card: { expMonth: month, expYear: year } });
});

/** Each character that Unicode has of a category, at every place of a field. */
const ofCategory = (category: RegExp) => {
  const all = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff);
  return all.map((code) => String.fromCodePoint(code)).filter((character) => category.test(character));
};
const around = (text: string, mark: string) => `${mark}${text.slice(0, 2)}${mark}${text.slice(2)}${mark}`;
const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' };

test.each`
  what                                  | category
  ${'spaces'}                           | ${/\p{White_Space}/u}
  ${'control characters'}               | ${/\p{Cc}/u}
  ${'format characters'}                | ${/\p{Cf}/u}
  ${'what is ignored when it is shown'} | ${/\p{Default_Ignorable_Code_Point}/u}
`('$what are not read', ({ category }) => {
  const refused = ofCategory(category).filter((mark) => {
    const [number, expiry, cvc] = ['4242424242424242', '1234', '123'].map((text) => around(text, mark));
    return !('card' in readCard(form({ number: number!, expiry: expiry!, cvc: cvc! }), NOW));
  });
  expect(refused).toEqual([]);
});

test('dashes and punctuation stand between groups of digits', () => {
  const refused = ofCategory(/[\p{Dash}\p{P}]/u).filter((mark) => {
    const fields = { number: ['4242', '4242', '4242', '4242'].join(mark), expiry: `12${mark}34` };
    return !('card' in readCard(form(fields), NOW));
  });
  expect(refused).toEqual([]);
});

test('digits of every script are digits', () => {
  const digits = ofCategory(/\p{Nd}/u);
  expect(digits.length % 10).toBe(0);
  for (let zero = 0; zero < digits.length; zero += 10) {
    const inScript = (text: string) => text.replace(/\d/g, (digit) => digits[zero + Number(digit)]!);
    const fields = { number: inScript(CARD.number), expiry: inScript('12/34'), cvc: inScript(CARD.cvc) };
    expect(readCard(form(fields), NOW)).toMatchObject({ card: CARD });
  }
});

test.each`
  field       | value                      | fault
  ${'number'} | ${'4242424242424242²'}     | ${'numberWrong'}
  ${'number'} | ${'4242424242424242=3412'} | ${'numberWrong'}
  ${'number'} | ${'①242424242424242'}      | ${'numberWrong'}
  ${'cvc'}    | ${'12½'}                   | ${'cvcWrong'}
  ${'number'} | ${'4242424242424241'}      | ${'numberWrong'}
  ${'number'} | ${'4242 4242'}             | ${'numberWrong'}
  ${'number'} | ${'4'.repeat(20)}          | ${'numberWrong'}
  ${'number'} | ${'4242424242424242x'}     | ${'numberWrong'}
  ${'expiry'} | ${''}                      | ${'expiryWrong'}
  ${'expiry'} | ${'00/34'}                 | ${'expiryWrong'}
  ${'expiry'} | ${'13/34'}                 | ${'expiryWrong'}
  ${'expiry'} | ${'12/1934'}               | ${'expiryWrong'}
  ${'expiry'} | ${'02/26'}                 | ${'expiryPast'}
  ${'cvc'}    | ${'12'}                    | ${'cvcWrong'}
  ${'cvc'}    | ${'12345'}                 | ${'cvcWrong'}
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
