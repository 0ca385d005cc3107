/**
 * Parses query strings without a library, so that every field error names its parameter and nothing is silently
 * dropped, merged or cut off. `a=1` is a string, `a=1&a=2` and `a[]=1` a list, `a[b]=1` a member of an object, one level deep.
 */

import type { FieldError } from '../../errors/errors.ts';
import { maskCardNumbers } from '../../values/card-number.ts';
import { NAME_RESERVED, RESERVED_NAME, stringFault } from './json-body.ts';

export type QueryValue = string | string[] | { [key: string]: QueryValue };
export type Query = { [name: string]: QueryValue };

export interface ParsedQuery {
  query: Query;
  fieldErrors: FieldError[];
}

/** More than any route needs. Published at GET /v1/limits. */
export const MAX_PARAMETERS = 100;

/** Parses the part of a request target after the question mark. */
export function parseQuery(target: string): ParsedQuery {
  const start = target.indexOf('?');
  // Without a prototype, so that no parameter name is inherited.
  const query: Query = Object.create(null);
  const fieldErrors: FieldError[] = [];
  if (start < 0 || start === target.length - 1) return { query, fieldErrors };
  if (hasTooMany(target, start)) {
    const detail = `The query has more than ${MAX_PARAMETERS} parameters.`;
    return { query, fieldErrors: [{ code: 'parameter_invalid', param: '', detail }] };
  }
  for (const part of target.slice(start + 1).split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const rawName = equals < 0 ? part : part.slice(0, equals);
    const name = decode(rawName);
    const value = decode(equals < 0 ? '' : part.slice(equals + 1));
    const detail =
      name === undefined || value === undefined
        ? 'Not valid percent-encoded UTF-8.'
        : (stringFault(name) ?? stringFault(value));
    if (detail) fieldErrors.push({ code: 'parameter_invalid', param: maskCardNumbers(name ?? rawName), detail });
    else if (isReserved(name!))
      fieldErrors.push({ code: 'parameter_unknown', param: maskCardNumbers(name!), detail: NAME_RESERVED });
    else if (!add(query, name!, value!))
      fieldErrors.push({ code: 'parameter_invalid', param: maskCardNumbers(name!), detail: TWO_KINDS });
  }
  return { query, fieldErrors };
}

const TWO_KINDS = 'Given with a member in brackets and without one: only one of them can be meant.';

/** The name itself, or that of its member: `__proto__`, `__proto__[]`, `metadata[__proto__]`. */
function isReserved(name: string): boolean {
  return name.includes(RESERVED_NAME) && name.split(/[[\]]/).includes(RESERVED_NAME);
}

/** Counted before any parameter is parsed: a target of 16 kB has room for eight thousand. */
function hasTooMany(target: string, start: number): boolean {
  let separators = 0;
  for (let at = target.indexOf('&', start); at >= 0; at = target.indexOf('&', at + 1))
    if (++separators >= MAX_PARAMETERS) return true;
  return false;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text);
  } catch {
    return undefined;
  }
}

/** False when a name is used both as a value and as an object. Nothing is overwritten then. */
function add(query: Query, name: string, value: string): boolean {
  const bracket = name.indexOf('[');
  if (bracket <= 0 || !name.endsWith(']')) return put(query, name, value);
  const outer = name.slice(0, bracket);
  // A list also of one value: `limit[]=5` is no number.
  if (bracket === name.length - 2) return put(query, outer, [value]);
  query[outer] ??= Object.create(null) as Query;
  const group = query[outer];
  if (typeof group === 'string' || Array.isArray(group)) return false;
  return put(group, name.slice(bracket + 1, -1), value);
}

function put(group: Query, name: string, value: string | [string]): boolean {
  const existing = group[name];
  if (typeof existing === 'object' && !Array.isArray(existing)) return false;
  if (existing === undefined) group[name] = value;
  else group[name] = [existing, value].flat();
  return true;
}

/**
 * The name of a query parameter as a client writes it: `created_at[gte]` for the path created_at, gte. List indexes are
 * left out, and card numbers: answers may be logged.
 */
export function parameterName(path: readonly PropertyKey[]): string {
  const names = path.filter((segment) => typeof segment !== 'number').map(String);
  return maskCardNumbers(names.length < 2 ? (names[0] ?? '') : `${names[0]}[${names.slice(1).join('][')}]`);
}
