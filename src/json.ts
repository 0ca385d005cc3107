/**
 * JSON without loss. Numbers are never rounded on the way in, and bigints are written with all their digits on the way
 * out: an amount is the same on the wire, in the program and in the row.
 */
import { canonicalize } from 'json-canonicalize';
import { isInteger, parse as parseLossless, stringify } from 'lossless-json';

export type JsonObject = { [key: string]: unknown };

/** A number that JSON can say and a double cannot hold exactly, or that is not whole. Validation refuses it by name. */
export class InexactNumber {
  constructor(readonly text: string) {}
}

/** Digits before a point or an exponent, or sixteen digits in a row: only then can a number lose something. */
const MAY_LOSE = /\d[.eE]|\d{16}/;

/**
 * Parses JSON text. Whole numbers within ±(2^53 − 1) become numbers, everything else numeric an InexactNumber.
 * Throws SyntaxError on malformed text. The common text has no risky number and takes the built-in parser alone.
 */
export function parseJson(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  if (!MAY_LOSE.test(text)) return plain;
  return parseLossless(text, null, { parseNumber: exactNumber, onDuplicateKey: ({ newValue }) => newValue });
}

function exactNumber(text: string): number | InexactNumber {
  const whole = wholeNumber(text);
  return whole === undefined ? new InexactNumber(text) : whole;
}

/** `1e3` and `100.0` are whole numbers in other clothes; `1.5`, `1e-1` and `9007199254740993` are not ours to round. */
function wholeNumber(text: string): number | undefined {
  if (isInteger(text)) {
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > 400) return /^0*$/.test(`${whole}${fraction}`) ? 0 : undefined;
  const digits = `${whole}${fraction}`;
  const point = whole!.length + exponent;
  const integer = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const rest = point <= 0 ? digits : digits.slice(point);
  if (!/^0*$/.test(rest)) return undefined;
  const value = Number(`${sign}${integer}`);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** JSON text of a value whose bigints are written as bare integers. Undefined members are left out. */
export function toJson(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError('This value has no JSON form');
  return text;
}

/** RFC 8785: one text for one value, whatever the order of keys or the white space it came with. */
export function canonicalJson(value: unknown): string {
  return canonicalize(value);
}
