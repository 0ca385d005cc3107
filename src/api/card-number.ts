/**
 * Finds card numbers in free text, so that none is stored, logged or sent on (PCI DSS: what is not kept needs no protection).
 * A card number is a maximal run of 13 to 19 digits, with single spaces or hyphens between them, that begins like a card of
 * that length (ISO/IEC 7812 issuer ranges, as the networks publish them) and has a valid check digit (Luhn). Digits inside a
 * UUID or an alphanumeric token are none. Digits of every script count, and spaces and hyphens of every kind: a number that is
 * pasted has no-break spaces, and one that is typed on an Arabic keyboard has Arabic digits.
 */
import { isLuhnValid } from '../luhn.ts';

/** Issuer ranges: the first digits, from and to, and the lengths of the numbers. */
const RANGES: readonly { from: string; to: string; lengths: readonly [least: number, most: number] }[] = [
  { from: '4', to: '4', lengths: [13, 19] }, // Visa
  { from: '51', to: '55', lengths: [16, 16] }, // Mastercard
  { from: '2221', to: '2720', lengths: [16, 16] }, // Mastercard
  { from: '34', to: '34', lengths: [15, 15] }, // American Express
  { from: '37', to: '37', lengths: [15, 15] }, // American Express
  { from: '300', to: '305', lengths: [14, 19] }, // Diners Club
  { from: '36', to: '36', lengths: [14, 19] }, // Diners Club
  { from: '38', to: '39', lengths: [14, 19] }, // Diners Club
  { from: '3528', to: '3589', lengths: [16, 19] }, // JCB
  { from: '6011', to: '6011', lengths: [16, 19] }, // Discover
  { from: '644', to: '659', lengths: [16, 19] }, // Discover
  { from: '62', to: '62', lengths: [16, 19] }, // UnionPay
  { from: '81', to: '81', lengths: [16, 19] }, // UnionPay, RuPay
  { from: '60', to: '60', lengths: [16, 16] }, // RuPay
  { from: '82', to: '82', lengths: [16, 16] }, // RuPay
  { from: '50', to: '50', lengths: [13, 19] }, // Maestro, Verve, Meeza
  { from: '56', to: '58', lengths: [13, 19] }, // Maestro
  { from: '63', to: '63', lengths: [13, 19] }, // Maestro
  { from: '67', to: '67', lengths: [13, 19] }, // Maestro
  { from: '2200', to: '2204', lengths: [16, 19] }, // Mir
  { from: '9792', to: '9792', lengths: [16, 16] }, // Troy
];

/** Thirteen digits with at most one separator between two: most texts have none, and are not looked at further. */
const LIKELY = /\d(?:[ -]?\d){12}/;
/** Runs that neither begin nor end inside a token. */
const RUN = /(?<![\p{L}\p{N}_])(?<!\d[ -])\d(?:[ -]?\d)*(?![\p{L}\p{N}_])/gu;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export function hasCardNumber(text: string): boolean {
  const plain = inAscii(text);
  if (!LIKELY.test(plain)) return false;
  // A letter in its place: what is beside a UUID stays beside a token.
  for (const [run] of plain.replace(UUID, 'x').matchAll(RUN)) if (isCardNumber(run.replace(/[ -]/g, ''))) return true;
  return false;
}

/** For what is logged: the text with its card numbers taken out. */
export function maskCardNumbers(text: string): string {
  if (!hasCardNumber(text)) return text;
  return inAscii(text).replace(RUN, (run) => (isCardNumber(run.replace(/[ -]/g, '')) ? '[card number]' : run));
}

/** The text with its digits, spaces and hyphens as those of ASCII. */
function inAscii(text: string): string {
  if (!/\P{ASCII}/u.test(text)) return text;
  return text.replace(/\p{Nd}|\p{Zs}|[\p{Pd}\u2212]/gu, (found) => {
    if (DIGIT.test(found)) return String(digitOf(found.codePointAt(0)!));
    return /\p{Zs}/u.test(found) ? ' ' : '-';
  });
}

const DIGIT = /\p{Nd}/u;

/** Unicode has the ten digits of a script in a row, from zero to nine. */
function digitOf(code: number): number {
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  // Mathematical digits are five such rows, one behind the other.
  return (code - zero) % 10;
}

function isCardNumber(digits: string): boolean {
  return digits.length >= 13 && digits.length <= 19 && isIssued(digits) && isLuhnValid(digits);
}

function isIssued(digits: string): boolean {
  return RANGES.some(({ from, to, lengths: [least, most] }) => {
    const first = digits.slice(0, from.length);
    return first >= from && first <= to && digits.length >= least && digits.length <= most;
  });
}
