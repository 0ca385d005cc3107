import type { CardShown } from '../../acquirers/card.ts';

export function cardText({ brand, lastFour }: Pick<CardShown, 'brand' | 'lastFour'>): string {
  return `${BRANDS[brand]} •••• ${lastFour}`;
}

const BRANDS: { readonly [Brand in CardShown['brand']]: string } = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  american_express: 'American Express',
  discover: 'Discover',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  diners: 'Diners Club',
  unknown: '',
};
