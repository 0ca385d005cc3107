/**
 * Columns of many rows as Postgres array literals, for `unnest`: one parameter a column, one statement a table.
 * Hand-written, because the driver's own conversion escapes every element, and only text needs that.
 */
import { formatInstant, type Instant } from '../values/clock.ts';

/** uuid[], bigint[], integer[], boolean[]: elements whose text needs no quoting. */
export function plainArray(values: readonly (string | bigint | number | boolean | null)[]): string {
  return `{${(values.includes(null) ? values.map((value) => value ?? 'NULL') : values).join(',')}}`;
}

/** text[], jsonb[]: quoted and escaped. */
export function textArray(values: readonly (string | null)[]): string {
  let text = '{';
  // Most columns repeat one value from row to row.
  let last: string | null | undefined;
  let written = 'NULL';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (index > 0) text += ',';
    if (value !== last) {
      last = value;
      written =
        value === null || value === undefined
          ? 'NULL'
          : `"${NEEDS_ESCAPE.test(value) ? value.replace(ESCAPES, '\\$&') : value}"`;
    }
    text += written;
  }
  return `${text}}`;
}
const NEEDS_ESCAPE = /["\\]/;
const ESCAPES = /["\\]/g;

/**
 * Joins JSON texts by a character that JSON contains only in escaped form. So no text is quoted here or unquoted in
 * Postgres: quoting event payloads was a tenth of a commit's work. In SQL: jsonArray('$1').
 */
export function joinedJson(values: readonly (string | null)[]): string {
  return values.map((value) => value ?? NO_VALUE).join(SEPARATOR);
}
const SEPARATOR = '\u001e';
const NO_VALUE = '\u001f';

/** The text[] of a parameter made by joinedJson. */
export function jsonArray(parameter: string): string {
  return `string_to_array(${parameter}, chr(30), chr(31))`;
}

/** timestamptz[] from whole milliseconds. */
export function instantArray(values: readonly (Instant | null)[]): string {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    text += `${index === 0 ? '' : ','}${value === null || value === undefined ? 'NULL' : formatInstant(value)}`;
  }
  return `${text}}`;
}

/** bytea[] in hex form. */
export function byteaArray(values: readonly (Buffer | null)[]): string {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    text += `${index === 0 ? '' : ','}${value ? `"\\\\x${value.toString('hex')}"` : 'NULL'}`;
  }
  return `${text}}`;
}

/** bytea[] from hexadecimal digits. */
export function hexArray(values: readonly string[]): string {
  return values.length === 0 ? '{}' : `{"\\\\x${values.join('","\\\\x')}"}`;
}

/**
 * The parameters from $2 on as rows, one array a column, for the list of a SELECT: Postgres takes one element of each
 * array at a time. In FROM, unnest stores every array before it returns the first row: a fifth of the time of inserting
 * wide rows. Parameters of type 'json text' and 'jsonb' come from joinedJson.
 */
export function rowsOf(...types: readonly string[]): string {
  return types.map((type, index) => `unnest(${arrayOf(type, `$${index + 2}`)})`).join(', ');
}

function arrayOf(type: string, parameter: string): string {
  if (type === 'json text') return jsonArray(parameter);
  return type === 'jsonb' ? `${jsonArray(parameter)}::jsonb[]` : `${parameter}::${type}[]`;
}

/** One column of many rows. */
export function column<Row, Value>(rows: readonly Row[], pick: (row: Row) => Value): Value[] {
  return rows.map(pick);
}
