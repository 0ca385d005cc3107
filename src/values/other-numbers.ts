/**
 * Numbers that are recognizable by their form: UUIDs, account numbers (IBAN), dates and times. They are no card
 * numbers, and a search for those (card-number.ts) passes over their characters, and over no others.
 */
import { countrySpecs } from 'ibantools';
import { classOf, LETTER } from './character-class.ts';

/**
 * Of any version and variant, since every text of this form is a reference. With something attached it is one too, as
 * in `<uuid>_refund`.
 */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/iy;
export const UUID_LENGTH = 36;
const [HYPHEN, SLASH, SPACE, NO_BREAK_SPACE] = [0x2d, 0x2f, 0x20, 0xa0];

export function isUuidAt(text: string, at: number): boolean {
  if (text.charCodeAt(at + 8) !== HYPHEN || text.charCodeAt(at + 13) !== HYPHEN) return false;
  UUID.lastIndex = at;
  return UUID.test(text);
}

/** Countries by the characters of their IBANs, as in SWIFT's IBAN Registry. */
const IBAN_COUNTRIES: Readonly<Record<number, string>> = {
  15: 'NO',
  16: 'BE',
  18: 'DK FI FK FO GL NL SD',
  19: 'MK SI',
  20: 'AT BA EE KZ LT LU MN XK',
  21: 'CH HR LI LV',
  22: 'BG BH CR DE GB GE IE ME RS VA',
  23: 'AE GI IL IQ OM SO TL',
  24: 'AD CZ ES MD PK RO SA SE SK TN VG',
  25: 'LY PT ST',
  26: 'IS TR',
  27: 'BI DJ FR GR IT MC MR SM',
  28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
  29: 'BR EG PS QA UA',
  30: 'JO KW MU YE',
  31: 'MT SC',
  32: 'LC',
  33: 'RU',
};
/** What stands behind the check digits, such as `^[A-Z]{4}[0-9]{14}$`. */
const IBANS = new Map(
  Object.entries(IBAN_COUNTRIES).flatMap(([length, countries]) =>
    countries
      .split(' ')
      .map(
        (country) =>
          [country, { length: Number(length), form: new RegExp(countrySpecs[country]!.bban_regexp!) }] as const,
      ),
  ),
);

/**
 * Where an IBAN that begins here ends; 0 without an IBAN. Of a country of the registry, in its length and its form, in one piece or in
 * groups of four with one space between them, as ISO 13616 prints it, and with right check digits (ISO 7064, MOD 97-10). Two letters that
 * are no such country prove nothing: behind them a card number has right check digits once in 97, or as often as somebody computes them.
 */
export function ibanEnd(text: string, at: number): number {
  if (!isDigit(text.charCodeAt(at + 2)) || !isDigit(text.charCodeAt(at + 3))) return 0;
  const [first, second] = [ibanValue(text.charCodeAt(at)), ibanValue(text.charCodeAt(at + 1))];
  if (first < 10 || second < 10) return 0;
  const iban = IBANS.get(text.slice(at, at + 2).toUpperCase());
  if (iban === undefined) return 0;
  const isGrouped = isSpace(text.charCodeAt(at + 4));
  let remainder = 0;
  let end = at + 4;
  let count = 4;
  while (count < iban.length) {
    const isBetween = isGrouped && count % 4 === 0;
    if (isBetween && !isSpace(text.charCodeAt(end))) break;
    const place = isBetween ? end + 1 : end;
    const value = ibanValue(text.charCodeAt(place));
    if (value < 0) break;
    remainder = (remainder * (value < 10 ? 10 : 100) + value) % 97;
    end = place + 1;
    count++;
  }
  if (count < iban.length) return 0;
  if (end < text.length && classOf(text.codePointAt(end)!) <= LETTER) return 0;
  // The country and the check digits count behind the account.
  remainder = (remainder * 10_000 + first * 100 + second) % 97;
  if ((remainder * 100 + Number(text.slice(at + 2, at + 4))) % 97 !== 1) return 0;
  const account = text
    .slice(at + 4, end)
    .replaceAll(/[ \u00a0]/g, '')
    .toUpperCase();
  return iban.form.test(account) ? end : 0;
}

/** As ISO 13616 counts it: digits, and letters from 10 to 35. */
function ibanValue(code: number): number {
  if (isDigit(code)) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x7a ? letter - 0x57 : -1;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === NO_BREAK_SPACE;
}

const YEAR = String.raw`(?:19|20|21)\d\d`;
const MONTH = '(?:0[1-9]|1[0-2])';
const DAY = '(?:0[1-9]|[12][0-9]|3[01])';
const MARK = '[-./]';
const DATE = `(?:${YEAR}${MARK}${MONTH}${MARK}${DAY}|(?:${DAY}${MARK}${MONTH}|${MONTH}${MARK}${DAY})${MARK}${YEAR})`;
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9](?::(?:[0-5][0-9]|60))?';
/** Without an offset behind it, a fraction may be the first group of a number: `14:23:04,4242 4242 4242 4242`. */
const FRACTION_AND_OFFSET = String.raw`(?:[.,]\d{1,9})? ?[-+](?:0\d|1[0-4])(?::?(?:00|15|30|45))?`;
/** ISO 8601 and the styles of SQL. No card number begins like one of these years or offsets. */
const MOMENT = new RegExp(`${DATE}(?:(?:T|,? )${TIME}(?:${FRACTION_AND_OFFSET})?)?(?![0-9])`, 'iy');

/** Where a date, or a date and time, that begins here ends; 0 without one. */
export function momentEnd(text: string, at: number): number {
  if (!isDateMark(text.charCodeAt(at + 2)) && !isDateMark(text.charCodeAt(at + 4))) return 0;
  MOMENT.lastIndex = at;
  return MOMENT.test(text) ? MOMENT.lastIndex : 0;
}

/** A hyphen, a full stop or a slash: three code points in a row. */
function isDateMark(code: number): boolean {
  return code >= HYPHEN && code <= SLASH;
}
