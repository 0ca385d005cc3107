/** What a card number says by itself: whether it can be one (ISO/IEC 7812-1, annex B), and whose. */
import type { CardBrand } from './card.ts';

/** The first digits of each network, as the networks publish them; the first that fits counts. */
const BRANDS: readonly { brand: CardBrand; pattern: RegExp }[] = [
  { brand: 'visa', pattern: /^4/ },
  { brand: 'mastercard', pattern: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/ },
  { brand: 'american_express', pattern: /^3[47]/ },
  { brand: 'discover', pattern: /^(6011|64[4-9]|65)/ },
  { brand: 'jcb', pattern: /^35(2[89]|[3-8])/ },
  { brand: 'unionpay', pattern: /^(62|81)/ },
  { brand: 'diners', pattern: /^3(0[0-5]|[689])/ },
];

export function brandOf(number: string): CardBrand {
  return BRANDS.find(({ pattern }) => pattern.test(number))?.brand ?? 'unknown';
}

/** Every second digit from the right counts double, and the sum is a multiple of ten. `digits` has digits alone. */
export function isLuhnValid(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const counted = index % 2 === 0 ? digit : 2 * digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
