/** The card of a page's form. What is wrong stands beside its field; digits are never shown again. */
import { type CardInput, isExpired } from '../../acquirers/card.ts';
import type { Instant } from '../../values/clock.ts';
import { isLuhnValid } from '../../values/luhn.ts';
import type { Texts } from './checkout-texts.ts';

export type CardField = 'number' | 'expiry' | 'cvc';

/** A field with the text that says what is wrong. */
export type CardFaults = Partial<Record<CardField, keyof Texts>>;

const EXPIRY = /^(\d{1,2})[/.-]?(\d{2}|20\d{2})$/;

/** Spaces and hyphens are left out, and Arabic digits count as digits: keyboards write them. `now`: for the expiry. */
export function readCard(form: URLSearchParams, now: Instant): { card: CardInput } | { faults: CardFaults } {
  const number = plainDigits(form.get('number')).replace(/[\s-]/g, '');
  const cvc = plainDigits(form.get('cvc')).trim();
  const expiry = readExpiry(plainDigits(form.get('expiry')).replace(/\s/g, ''));
  const faults: CardFaults = {};
  if (!/^\d{13,19}$/.test(number) || !isLuhnValid(number)) faults.number = 'numberWrong';
  if (expiry === undefined) faults.expiry = 'expiryWrong';
  else if (isExpired({ expMonth: expiry.month, expYear: expiry.year }, now)) faults.expiry = 'expiryPast';
  if (!/^\d{3,4}$/.test(cvc)) faults.cvc = 'cvcWrong';
  if (expiry === undefined || Object.keys(faults).length > 0) return { faults };
  return { card: { number, expMonth: expiry.month, expYear: expiry.year, cvc, name: null } };
}

interface Expiry {
  readonly month: number;
  /** Four digits. */
  readonly year: number;
}

function readExpiry(text: string): Expiry | undefined {
  const match = EXPIRY.exec(text);
  if (!match) return undefined;
  const month = Number(match[1]);
  const year = Number(match[2]);
  if (month < 1 || month > 12) return undefined;
  return { month, year: year < 100 ? 2000 + year : year };
}

/** With Arabic-Indic and Persian digits as ASCII ones. */
function plainDigits(text: string | null): string {
  return (text ?? '').replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
}
