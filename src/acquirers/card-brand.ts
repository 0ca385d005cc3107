/** The brand of a card number. */
import type { CardBrand } from './card.ts';

/** The first digits of each network, as the networks publish them; the first match counts. */
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
