/** Amounts: bigint minor units of a currency. */
import { currencyExponent } from './currency.ts';

/** The largest amount of a request, 2^53 − 1: every JSON reader reads it exactly. */
export const MAX_REQUEST_AMOUNT = 9_007_199_254_740_991n;

/** The largest total of a bigint column of Postgres, 2^63 − 1. */
export const MAX_TOTAL = 9_223_372_036_854_775_807n;

/** An amount as people write it: 5124 fils of JOD are `5.124 JOD`. */
export function formatAmount(amount: bigint, currency: string): string {
  return `${decimalOf(amount, currency)} ${currency}`;
}

/** An amount as a plain decimal, with all digits of the currency: 5124 fils of JOD are `5.124`, 500 yen `500`. */
export function decimalOf(amount: bigint, currency: string): string {
  const exponent = currencyExponent(currency);
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(exponent + 1, '0');
  return exponent === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
