/**
 * JSON without loss. Numbers are never rounded on the way in, and bigints are written with all their digits on the way
 * out: an amount is the same on the wire, in the program and in the row.
 */
import { randomUUID } from 'node:crypto';

export type JsonObject = { [key: string]: unknown };

/** A JSON number that is not whole, or that a double cannot represent exactly. Validation refuses this type. */
export class InexactNumber {
  constructor(readonly text: string) {}
}

/**
 * Only a number with a point, an exponent or sixteen digits can lose something. A number is at the start, or after
 * white space, a colon, a comma or a bracket. The digits inside an id such as acct_01m7e5 are not.
 */
const MAY_LOSE = /(?:^|[\s:,[])-?(?:\d{16}|\d+[.eE])/;

/**
 * Parses JSON text. Whole numbers within ±(2^53 − 1) become numbers, all other numbers an InexactNumber. Throws
 * SyntaxError on malformed text. A text without risky numbers, the common case, takes the built-in parser alone.
 */
export function parseJson(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  return MAY_LOSE.test(text) ? parseExactly(text) : plain;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses valid JSON whose numbers the built-in parser could round. Each such number is replaced by a marked text before
 * the built-in parser reads the JSON, and put back afterwards. Tried and slower: a parser written in JavaScript takes
 * 180 ms for a megabyte.
 */
function parseExactly(text: string): unknown {
  const inexact: InexactNumber[] = [];
  // The mark is new for each body, so no text of a client begins with it.
  const mark = randomUUID();
  const written = (token: string) => {
    const number = exactNumber(token);
    if (typeof number === 'number') return Object.is(number, -0) ? '-0' : String(number);
    return `"${mark}${inexact.push(number) - 1}"`;
  };
  let exact = '';
  let at = 0;
  for (;;) {
    const quote = text.indexOf('"', at);
    exact += text.slice(at, quote < 0 ? text.length : quote).replace(NUMBER, written);
    if (quote < 0) break;
    at = endOfString(text, quote) + 1;
    exact += text.slice(quote, at);
  }
  const value: unknown = JSON.parse(exact);
  return inexact.length === 0 ? value : withNumbers(value, mark, inexact);
}

/** The position of the quote that closes the string opened at `start`; the text's length without such a quote. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) return at;
    if (character === BACKSLASH) at++;
  }
  return text.length;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125] as const;

/** The position behind the value that begins at `from`. The text is JSON as this file writes it, without white space. */
export function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === OPEN_OBJECT || character === OPEN_ARRAY) depth++;
    else if (character === CLOSE_OBJECT || character === CLOSE_ARRAY) {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (character === COMMA && depth === 0) return at;
    if (depth === 0 && character === QUOTE) return at + 1;
  }
  return text.length;
}

/** The texts of an array's values, unparsed. Empty for a text that is no array. JSON without white space, as above. */
export function valuesOf(text: string): string[] {
  const values: string[] = [];
  if (text.charCodeAt(0) !== OPEN_ARRAY || text.charCodeAt(1) === CLOSE_ARRAY) return values;
  let began = 1;
  let depth = 0;
  for (let at = 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === OPEN_ARRAY || character === OPEN_OBJECT) depth++;
    else if (depth > 0) {
      if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) depth--;
    } else if (character === COMMA || character === CLOSE_ARRAY) {
      values.push(text.slice(began, at));
      if (character === CLOSE_ARRAY) return values;
      began = at + 1;
    }
  }
  values.push(text.slice(began));
  return values;
}

function withNumbers(value: unknown, mark: string, numbers: readonly InexactNumber[]): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? numbers[Number(value.slice(mark.length))] : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as JsonObject;
  for (const name of Object.keys(members)) members[name] = withNumbers(members[name], mark, numbers);
  return value;
}

function exactNumber(text: string): number | InexactNumber {
  const whole = wholeNumber(text);
  return whole === undefined ? new InexactNumber(text) : whole;
}

const INTEGER = /^-?\d+$/;

/** `1e3` and `100.0` are whole numbers. `1.5`, `1e-1` and `9007199254740993` give undefined: they are never rounded. */
function wholeNumber(text: string): number | undefined {
  if (INTEGER.test(text)) {
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

/** A value that is JSON text already: written unchanged, wherever it is part of another value. */
export class JsonText {
  constructor(readonly text: string) {}

  /** The stored text. Text that is stored apart from it is added to the list. */
  kept(_apart: ApartText[]): string {
    return this.text;
  }
}

/** A text that is sent in full, and stored as a marker (ledger/rows/personal-text.ts). */
export abstract class ApartText extends JsonText {
  abstract readonly marker: string;

  override kept(apart: ApartText[]): string {
    if (!apart.includes(this)) apart.push(this);
    return this.marker;
  }
}

/** A value as JSON text in both forms: as it is sent, and as it is stored. */
export class WrittenJson extends JsonText {
  constructor(
    text: string,
    readonly keptText: string = text,
    readonly apart: readonly ApartText[] = NOTHING_APART,
  ) {
    super(text);
  }

  override kept(apart: ApartText[]): string {
    for (const one of this.apart) one.kept(apart);
    return this.keptText;
  }
}
const NOTHING_APART: readonly ApartText[] = [];

/**
 * The JSON text of a value. Bigints are bare integers with all their digits; undefined members are left out. Throws
 * TypeError for a value that JSON cannot represent. Hand-written, because the built-in function takes no bigint and a
 * library took twice the time, for every request, event and answer.
 */
export function toJson(value: unknown): string {
  return inOnePiece(jsonOf(value, false));
}

/** The same in both forms. Written once where no text is stored apart, as for most values. */
export function writeJson(value: unknown): WrittenJson {
  const apart: ApartText[] = [];
  const kept = inOnePiece(jsonOf(value, false, apart));
  return apart.length === 0 ? new WrittenJson(kept) : new WrittenJson(toJson(value), kept, apart);
}

/** The stored JSON text of a value. Text that is stored apart from it is added to the list. */
export function keptJson(value: unknown, apart: ApartText[]): string {
  return jsonOf(value, false, apart);
}

/** Canonical JSON (RFC 8785): one text for one value, whatever order and white space it was read with. */
export function canonicalJson(value: unknown): string {
  return inOnePiece(jsonOf(value, true));
}

/**
 * A text joined piece by piece is a tree of its pieces, which the garbage collector would carry along until the commit.
 * Reading one character makes one string of the tree, in half the time that joining a list takes.
 */
export function inOnePiece(text: string): string {
  text.charCodeAt(0);
  return text;
}

/** `apart`: collects text that is stored apart, and markers are written; without it, the text to send. */
function jsonOf(value: unknown, sorted: boolean, apart?: ApartText[]): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'bigint':
      return value.toString();
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (!Number.isFinite(value)) break;
      return JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      if (value instanceof JsonText) return apart === undefined ? value.text : value.kept(apart);
      return Array.isArray(value) ? arrayText(value, sorted, apart) : objectText(value as JsonObject, sorted, apart);
  }
  throw new TypeError('This value has no JSON form');
}

function arrayText(values: readonly unknown[], sorted: boolean, apart: ApartText[] | undefined): string {
  let text = '[';
  for (let index = 0; index < values.length; index++)
    text += (index === 0 ? '' : ',') + jsonOf(values[index] ?? null, sorted, apart);
  return `${text}]`;
}

/** Sorted by UTF-16 code units, as RFC 8785 requires and as JavaScript compares texts. */
function objectText(value: JsonObject, sorted: boolean, apart: ApartText[] | undefined): string {
  const keys = Object.keys(value);
  let text = '';
  for (const key of sorted ? keys.sort() : keys) {
    const member = value[key];
    if (member !== undefined) text += (text === '' ? '{' : ',') + nameText(key) + jsonOf(member, sorted, apart);
  }
  return text === '' ? '{}' : `${text}}`;
}

/**
 * Names of members with their quotes and colon. Most are the product's own. The names in metadata are the clients', so
 * only NAMES_KEPT are kept.
 */
const names = new Map<string, string>();
const NAMES_KEPT = 1_000;

function nameText(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = `${quoted(name)}:`;
  if (names.size < NAMES_KEPT) names.set(name, text);
  return text;
}

/** Printable ASCII without a quote or a backslash needs no escaping. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
