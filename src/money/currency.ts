/**
 * Currencies and their decimals (ISO 4217, list one). Only this file knows how many decimals a currency has. Never use
 * `Intl`: its answers for IQD and MGA describe cash in circulation, not the standard.
 */
import { codes, code as lookUp } from 'currency-codes';
import { WITHDRAWN } from './withdrawn-currencies.ts';

/** ISO 4217 codes in which no account is kept: metals, bonds, accounting units, tests. */
const NOT_MONEY = new Set([
  'XAG',
  'XAU',
  'XPD',
  'XPT',
  'XBA',
  'XBB',
  'XBC',
  'XBD',
  'XDR',
  'XSU',
  'XUA',
  'XTS',
  'XXX',
  'CHE',
  'CHW',
  'CLF',
  'COU',
  'MXV',
  'USN',
  'UYI',
  'UYW',
  'BOV',
]);

/** Caribbean guilder: in the standard since amendment 176, not yet in the library's list. */
const ADDED: Record<string, number> = { XCG: 2 };

const EXPONENTS = new Map<string, number>(Object.entries(ADDED));
for (const currency of codes()) {
  if (!NOT_MONEY.has(currency)) EXPONENTS.set(currency, lookUp(currency)!.digits);
}

for (const [currency, { digits }] of WITHDRAWN) EXPONENTS.set(currency, digits);

/** Every currency in which an account can be kept, withdrawn ones too (withdrawn-currencies.ts), in alphabetical order. */
export const CURRENCIES: readonly string[] = [...EXPONENTS.keys()].sort();

export function isCurrency(currency: string): boolean {
  return EXPONENTS.has(currency);
}

/** Decimal places of the minor unit: 2 for EUR, 3 for JOD, 0 for JPY. Throws RangeError for an unknown code. */
export function currencyExponent(currency: string): number {
  const exponent = EXPONENTS.get(currency);
  if (exponent === undefined) throw new RangeError(`${currency} is not a currency of ISO 4217`);
  return exponent;
}
