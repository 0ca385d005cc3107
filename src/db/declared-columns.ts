/**
 * Columns of a declared table: a column is named once, and its place in every statement follows. This file knows types and
 * SQL text; ledger/rows/table-of.ts makes the statements of a table from it.
 */
import type { Instant } from '../values/clock.ts';
import { toJson } from '../values/json.ts';
import type { SnakeCase } from '../values/snake-case.ts';
import { byteaArray, hexArray, instantArray, joinedJson, jsonArray, plainArray, textArray } from './columns.ts';

/**
 * Columns that can contain text written by people. `json text` is a text column with JSON that is written unchanged,
 * `jsonb` any value, `text list` a text[] (it travels as JSON, because unnest flattens an array of arrays).
 */
export type TextType = 'text' | 'json text' | 'jsonb' | 'text list';

/**
 * Types of Postgres, and some more precise ones: `code` is a text column with a word of a closed list of ours, or of a
 * standard (a status, a currency, a day); `hex` is a bytea that nouns have as hexadecimal digits.
 */
export type ColumnType =
  | 'uuid'
  | 'code'
  | 'smallint'
  | 'integer'
  | 'bigint'
  | 'boolean'
  | 'timestamptz'
  | 'bytea'
  | 'hex'
  | TextType;

/** Why a text is kept when its object's personal text is erased (docs/decisions/personal-text.md). */
export type NotPersonal =
  /** An id or code that we, a party or a scheme made. */
  | 'reference'
  /** The integrator's own reference: a request is found by it, for good. By the guides it names no person. */
  | 'own_reference'
  /** Ids, amounts, moments and codes that commands computed. */
  | 'facts'
  /** A sentence of ours about ids, amounts and codes. */
  | 'own_words'
  /** The visible part of a card or alias. */
  | 'masked'
  /** Part of the order by which money moved, with its sealed destination: the record of a payment must name it. */
  | 'instruction'
  /** Who acted: an API key, an operator. */
  | 'actor'
  /** A party's statement about the money, word by word: the proof in a disagreement. */
  | 'proof'
  /** Where events are delivered to. The integrator changes it. */
  | 'address'
  /** Personal text stands elsewhere, and this refers to it. */
  | 'refers';

/** How a property is stored whose column does not contain it as it is. */
export interface Codec<Value> {
  /** Left out: as it is. */
  store?(value: Value): unknown;
  read(stored: unknown): Value;
}

/** Of a `hex` column whose noun is read as it is stored. */
export const HEX_READ: Codec<unknown> = { read: (stored) => (stored as Buffer).toString('hex') };
/** Hexadecimal digits, or null, in a column of type `bytea`. */
export const HEX_OR_NULL: Codec<unknown> = {
  store: (digits) => (digits === null ? null : Buffer.from(digits as string, 'hex')),
  read: (stored) => (stored === null ? null : (stored as Buffer).toString('hex')),
};

export interface ColumnOptions {
  /** An update writes it. Left out: it keeps the value that it was inserted with. */
  readonly changes?: true;
  /** Encrypted at rest by the secret box, for this row and column (db/secret-box.ts). `npm run ops -- rekey` finds it. */
  readonly sealed?: true;
  /** Text about people. `npm run ops -- erase` finds it. */
  readonly personal?: true;
  /** SQL over the row: while it is true, the text must still be sent to a party, and an erasure leaves it. */
  readonly neededWhile?: string;
  readonly notPersonal?: NotPersonal;
  /** Lists may be filtered by it: there is an index on book, this column and key. */
  readonly filter?: true;
  /**
   * What happens to a card number in the text (ledger/rows/judged-texts.ts). Left out: it is refused. `masked`: it is
   * removed, since a party's report is applied whatever it contains. `exempt`: a reference that a party or the scheme
   * gave, or an amount in text, which may look like a card number. `copied`: it is copied from a row of the same book,
   * which was judged.
   */
  readonly cardNumber?: 'masked' | 'exempt' | 'copied';
  /** A URL, in which a card number is found as in no other text. */
  readonly url?: true;
  /** Of masked JSON: the members that are such references, or amounts in text. */
  readonly references?: readonly string[];
  /** The property of the noun that it contains. Left out: the one of its name. */
  readonly property?: string;
  readonly codec?: Codec<unknown>;
}

/** Every text is about people, unless its declaration states why it is not. */
export type TextOptions = ColumnOptions & ({ readonly personal: true } | { readonly notPersonal: NotPersonal });

/** Without `property` it is computed from the noun, and no property is read from it. */
export interface Column<Noun> extends ColumnOptions {
  readonly name: string;
  readonly type: ColumnType;
  /** The value to write. */
  read(noun: Noun): unknown;
}

interface Renamed<Noun> {
  readonly property: keyof Noun & string;
}

/** A noun as its row comes from the driver: the same values under the names of the columns. */
export type RowOf<Noun> = { [Property in keyof Noun & string as SnakeCase<Property>]: Noun[Property] };

/** A column for the noun's property of the same name: `account_id` stores `accountId`. */
export function column<Noun>(
  name: SnakeCase<keyof Noun & string>,
  type: Exclude<ColumnType, TextType>,
  options?: ColumnOptions,
): Column<Noun>;
export function column<Noun>(name: SnakeCase<keyof Noun & string>, type: TextType, options: TextOptions): Column<Noun>;
/** A column with the noun's property of another name. */
export function column<Noun>(
  name: string,
  type: Exclude<ColumnType, TextType>,
  options: ColumnOptions & Renamed<Noun>,
): Column<Noun>;
export function column<Noun>(name: string, type: TextType, options: TextOptions & Renamed<Noun>): Column<Noun>;
/** A column that contains what `read` takes from the noun. */
export function column<Noun>(
  name: string,
  type: Exclude<ColumnType, TextType>,
  read: (noun: Noun) => unknown,
  options?: ColumnOptions,
): Column<Noun>;
export function column<Noun>(
  name: string,
  type: TextType,
  read: (noun: Noun) => unknown,
  options: TextOptions,
): Column<Noun>;
export function column<Noun>(
  name: string,
  type: ColumnType,
  given?: ColumnOptions | ((noun: Noun) => unknown),
  options: ColumnOptions = {},
): Column<Noun> {
  if (typeof given === 'function') return { ...options, name, type, read: given };
  const property = (given?.property ?? propertyOf(name)) as keyof Noun & string;
  const store = given?.codec?.store;
  const read = store ? (noun: Noun) => store(noun[property]) : (noun: Noun) => noun[property];
  return { ...given, name, type, property, read };
}

/** `accountId` of `account_id`. */
function propertyOf(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The noun of a row, by its columns. Some 0.4 µs for twelve of them, twenty times a literal (docs/decisions/declared-tables.md). */
export function nounOf<Noun>(columns: readonly Column<Noun>[]): (row: Readonly<Record<string, unknown>>) => Noun {
  const members = columns.flatMap(({ name, property, codec }) =>
    property === undefined ? [] : [{ name, property, codec }],
  );
  return (row) => {
    const noun: Record<string, unknown> = {};
    for (const { name, property, codec } of members)
      noun[property] = codec === undefined ? row[name] : codec.read(row[name]);
    return noun as Noun;
  };
}

/**
 * One column of many nouns as the parameter that `arrayOf` reads. Null where no noun has a value: among arrays of which one
 * has an element for each row, the others give nulls, and Postgres reads no list of them.
 */
export function encodeColumn<Noun>({ type, read }: Column<Noun>, nouns: readonly Noun[]): string | null {
  const values: unknown[] = new Array(nouns.length);
  let isEmpty = true;
  for (let index = 0; index < nouns.length; index++) {
    const value = read(nouns[index]!);
    values[index] = value;
    if (value !== null) isEmpty = false;
  }
  if (isEmpty) return null;
  switch (type) {
    case 'text':
    case 'code':
      return textArray(values as (string | null)[]);
    case 'timestamptz':
      return instantArray(values as (Instant | null)[]);
    case 'bytea':
      return byteaArray(values as (Buffer | null)[]);
    case 'hex':
      return hexArray(values as string[]);
    case 'json text':
      return joinedJson(values as (string | null)[]);
    case 'jsonb':
    case 'text list':
      return joinedJson(values.map((value) => (value === null || value === undefined ? null : toJson(value))));
    default:
      return plainArray(values as (string | number | bigint | boolean | null)[]);
  }
}

/** The array of a parameter that encodeColumn made, in SQL. */
export function arrayOf(type: ColumnType, parameter: string): string {
  switch (type) {
    case 'json text':
      return jsonArray(parameter);
    case 'jsonb':
    case 'text list':
      return `${jsonArray(parameter)}::jsonb[]`;
    case 'hex':
      return `${parameter}::bytea[]`;
    case 'code':
      return `${parameter}::text[]`;
    default:
      return `${parameter}::${type}[]`;
  }
}

/** An element of such an array as a value of the column. */
export function columnValue(type: ColumnType, element: string): string {
  return type === 'text list' ? `ARRAY(SELECT jsonb_array_elements_text(${element}))` : element;
}
