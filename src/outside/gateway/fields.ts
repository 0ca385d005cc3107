/**
 * Reads the members of a gateway's JSON one by one. A member that does not fit throws NotOfContract, which names the
 * member and never its value.
 */
import type { Instant } from '../../values/clock.ts';
import { InexactNumber, type JsonObject, parseJson } from '../../values/json.ts';
import { isCalendarDay, parseRfc3339 } from '../../values/rfc3339.ts';
import { parsedUrl } from '../../values/url.ts';

/** A gateway's message does not follow docs/partners.md. */
export class NotOfContract extends Error {
  override name = 'NotOfContract';
}

/** Ours have 35 characters, and those of acquirers fewer than this. */
export const REFERENCE_MAX = 64;
export const TOKEN_MAX = 255;
const URL_MAX = 2_000;
/** The largest bigint of Postgres. */
const AMOUNT_MAX = 2n ** 63n - 1n;

/** Throws NotOfContract unless the text is a JSON object. */
export function readObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // Not JSON, or nested too deep to be walked.
    throw new NotOfContract('The body is not JSON');
  }
  return asObject(value, 'The body');
}

function asObject(value: unknown, what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof InexactNumber)
    throw new NotOfContract(`${what} is not a JSON object`);
  return value as JsonObject;
}

/** An absent member counts as null. */
function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? null) : null;
}

export function objectOrNull(object: JsonObject, name: string): JsonObject | null {
  const value = memberOf(object, name);
  return value === null ? null : asObject(value, name);
}

/** Visible ASCII: names, codes, references and tokens. */
export function wordOrNull(object: JsonObject, name: string, max: number): string | null {
  const value = memberOf(object, name);
  if (value === null) return null;
  if (typeof value === 'string' && value.length <= max && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new NotOfContract(`${name} is not a word of 1 to ${max} visible ASCII characters`);
}

export function word(object: JsonObject, name: string, max: number): string {
  return required(wordOrNull(object, name, max), name);
}

export function oneOfOrNull<Word extends string>(
  object: JsonObject,
  name: string,
  words: readonly Word[],
): Word | null {
  const value = memberOf(object, name);
  if (value === null) return null;
  const known = words.find((each) => each === value);
  if (known === undefined) throw new NotOfContract(`${name} is none of ${words.join(', ')}`);
  return known;
}

export function oneOf<Word extends string>(object: JsonObject, name: string, words: readonly Word[]): Word {
  return required(oneOfOrNull(object, name, words), name);
}

export function whole(object: JsonObject, name: string, { min, max }: { min: number; max: number }): number {
  const value = memberOf(object, name);
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new NotOfContract(`${name} is not a whole number from ${min} to ${max}`);
}

/** Minor units: a JSON integer, read with all its digits and not as a double. */
export function amountOrNull(object: JsonObject, name: string): bigint | null {
  const value = memberOf(object, name);
  if (value === null) return null;
  const digits = value instanceof InexactNumber ? value.text : typeof value === 'number' ? String(value) : '';
  if (/^\d{1,19}$/.test(digits) && BigInt(digits) <= AMOUNT_MAX) return BigInt(digits);
  throw new NotOfContract(`${name} is not a whole number of minor units`);
}

export function positiveAmount(object: JsonObject, name: string): bigint {
  const amount = required(amountOrNull(object, name), name);
  if (amount > 0n) return amount;
  throw new NotOfContract(`${name} is not positive`);
}

/** ISO 4217. */
export function currencyOrNull(object: JsonObject, name: string): string | null {
  const value = wordOrNull(object, name, 3);
  if (value !== null && !/^[A-Z]{3}$/.test(value)) throw new NotOfContract(`${name} is no currency`);
  return value;
}

export function momentOrNull(object: JsonObject, name: string): Instant | null {
  const value = memberOf(object, name);
  if (value === null) return null;
  const instant = typeof value === 'string' ? parseRfc3339(value) : undefined;
  if (instant !== undefined) return instant;
  throw new NotOfContract(`${name} is not a moment of RFC 3339`);
}

export function moment(object: JsonObject, name: string): Instant {
  return required(momentOrNull(object, name), name);
}

/** A day of the calendar: YYYY-MM-DD. */
export function dayOrNull(object: JsonObject, name: string): string | null {
  const value = memberOf(object, name);
  if (value === null || (typeof value === 'string' && isCalendarDay(value))) return value;
  throw new NotOfContract(`${name} is no day`);
}

/** Of one line, in any script: what people wrote. */
export function textOrNull(object: JsonObject, name: string, max: number): string | null {
  const value = memberOf(object, name);
  if (value === null || isTextOfOneLine(value, max)) return value;
  throw new NotOfContract(`${name} is not a text of 1 to ${max} characters on one line`);
}

/** Empty where it is absent. */
export function textsOf(object: JsonObject, name: string, { most, max }: { most: number; max: number }): string[] {
  const value = memberOf(object, name) ?? [];
  if (Array.isArray(value) && value.length <= most && value.every((text) => isTextOfOneLine(text, max))) return value;
  throw new NotOfContract(`${name} is not a list of up to ${most} texts of 1 to ${max} characters on one line`);
}

const isTextOfOneLine = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= max && !/[\p{Cc}\p{Cs}]/u.test(value);

/** With an authority as RFC 3986 has it: the parser (WHATWG) repairs what other software reads as another host, such as a backslash. */
const WEB_URL = /^https?:\/\/[^/?#\\][^\\]*$/i;

/**
 * A URL for a browser: https, or http where the gateway itself is reached by http, as on this machine. As it was given: a character of its
 * path that is written anew, or masked, leads somebody elsewhere.
 */
export function browserUrl(object: JsonObject, name: string, { mayBePlain }: { mayBePlain: boolean }): string {
  const value = word(object, name, URL_MAX);
  const url = WEB_URL.test(value) ? parsedUrl(value) : undefined;
  if (url?.protocol === 'https:' || (mayBePlain && url?.protocol === 'http:')) return value;
  throw new NotOfContract(`${name} is not an https URL`);
}

/** A fact that nothing depends on: one that does not fit counts as absent, so that it hides no outcome. */
export function fittingOrNull<Value>(read: () => Value | null): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotOfContract) return null;
    throw error;
  }
}

function required<Value>(value: Value | null, name: string): Value {
  if (value === null) throw new NotOfContract(`${name} is missing`);
  return value;
}
