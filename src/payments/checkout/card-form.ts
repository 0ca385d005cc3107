/** The card of a page's form. What is wrong stands beside its field; digits are never shown again. */
import { type CardInput, isExpired } from '../../acquirers/card.ts';
import { classOf, DASH, FORMAT, NOTE, SPACE } from '../../values/character-class.ts';
import type { Instant } from '../../values/clock.ts';
import { isLuhnValid } from '../../values/luhn.ts';
import type { Texts } from './checkout-texts.ts';

export type CardField = 'number' | 'expiry' | 'cvc';

/** A faulty field, with the text about its fault. */
export type CardFaults = Partial<Record<CardField, keyof Texts>>;

const EXPIRY = /^(\d{1,2})\/?(\d{2}|20\d{2})$/;

/** `now`: for the expiry. */
export function readCard(form: URLSearchParams, now: Instant): { card: CardInput } | { faults: CardFaults } {
  const number = typed(form.get('number')).replaceAll('/', '');
  const cvc = typed(form.get('cvc')).replaceAll('/', '');
  const expiry = readExpiry(typed(form.get('expiry')));
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

/** Punctuation, and the slashes that are mathematical symbols. */
const SEPARATOR = /[\p{P}\u2044\u2215]/u;
const CONTROL = /\p{Cc}/u;

/**
 * Normalizes typed or pasted text: digits of every script become ASCII ones, each dash and each mark of punctuation a
 * slash. Invisible characters, which come along with a copied number, are dropped: spaces, control and format
 * characters. All others stay as they are, and are a fault.
 */
function typed(text: string | null): string {
  let plain = '';
  for (const character of text ?? '') {
    const kind = classOf(character.codePointAt(0)!);
    if (kind < NOTE) plain += kind;
    else if (kind === DASH || SEPARATOR.test(character)) plain += '/';
    else if (kind !== SPACE && kind !== FORMAT && !CONTROL.test(character)) plain += character;
  }
  return plain;
}
