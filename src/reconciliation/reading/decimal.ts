/** Amounts and days as banks write them. */
import { currencyExponent, isCurrency } from '../../money/currency.ts';
import { StatementInvalid } from './bank-file.ts';

/** Of a bigint column, with room for sums. */
const DIGITS_MAX = 17;

/**
 * Minor units of an unsigned decimal: `18.150` of EUR is 1815. More decimals than the currency has are taken where they are zeros, so no minor
 * unit is lost. Throws StatementInvalid for anything else, and for what is no currency of today.
 */
export function minorUnits(
  text: string,
  { currency, separator, row }: { currency: string; separator: string; row: number },
): bigint {
  if (!isCurrency(currency)) throw new StatementInvalid(row, `${shown(currency)} is no currency of today.`);
  const exponent = currencyExponent(currency);
  const [whole = '', decimals = '', ...more] = text.split(separator);
  if (more.length > 0 || !/^\d+$/.test(whole) || !/^\d*$/.test(decimals))
    throw new StatementInvalid(row, `${shown(text)} is no amount.`);
  if (/[1-9]/.test(decimals.slice(exponent)))
    throw new StatementInvalid(row, `${shown(text)} has more decimals than ${currency}, which has ${exponent}.`);
  const digits = `${whole}${decimals.slice(0, exponent).padEnd(exponent, '0')}`.replace(/^0+(?=\d)/, '');
  if (digits.length > DIGITS_MAX) throw new StatementInvalid(row, `${shown(text)} is too large.`);
  return BigInt(digits);
}

/** A count: digits alone, as many as ISO 20022 has at most (Max15NumericText). Undefined for anything else: `0x2` and `1e1` are numbers of programs. */
export function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

/** YYYY-MM-DD of a day that exists. */
export function dayOrInvalid(text: string, row: number): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  if (day === undefined || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text)
    throw new StatementInvalid(row, `${shown(text)} is no day.`);
  return text;
}

/** YYMMDD. Statements from before 1980 are on paper. */
export function dayOfSixDigits(text: string, row: number): string {
  const year = Number(text.slice(0, 2));
  return dayOrInvalid(`${year >= 80 ? 1900 + year : 2000 + year}-${text.slice(2, 4)}-${text.slice(4, 6)}`, row);
}

/** MMDD, in the year in which it is nearest to the other day. */
export function nearestDay(monthAndDay: string, to: string, row: number): string {
  const [month, day] = [monthAndDay.slice(0, 2), monthAndDay.slice(2, 4)];
  const near = Date.parse(`${to}T00:00:00Z`);
  const year = Number(to.slice(0, 4));
  const distance = (candidate: number) => Math.abs(Date.UTC(candidate, Number(month) - 1, Number(day)) - near);
  const nearest = [year - 1, year + 1].reduce((best, one) => (distance(one) < distance(best) ? one : best), year);
  return dayOrInvalid(`${nearest}-${month}-${day}`, row);
}

const SHOWN_MAX = 40;
/** What stands in a file, for a message. */
export function shown(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text === '' ? 'Nothing' : text;
}
