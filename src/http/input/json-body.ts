/**
 * Parses the text of a body into a value that later code can rely on: one JSON object, not too deep, with strings that
 * Postgres can store and no key with a meaning to JavaScript.
 *
 * A common body costs one pass over its characters. Rarer problems are looked for only when the text has their mark: a
 * \u escape or the word __proto__.
 */
import { toUSVString } from 'node:util';
import { ApiError, type FieldError } from '../../errors/errors.ts';
import { InexactNumber, type JsonObject, parseJson } from '../../values/json.ts';
import { jsonPointer, type PathSegment, shortened } from './json-pointer.ts';
import { syntaxFaultAt } from './json-syntax.ts';
import { MAX_DEPTH, MAX_MEMBERS, measure, memberPointer, pointerAt, repeatedMember, skipSpace } from './nesting.ts';

/** Assigned to, it changes an object's prototype: nothing has this name, not even where any name is taken. */
export const RESERVED_NAME = '__proto__';
export const NAME_RESERVED = `Nothing can be named ${RESERVED_NAME}.`;

/** Field errors listed in one answer. Published at GET /v1/limits. */
export const MAX_FIELD_ERRORS = 100;

/**
 * Parses a body and appends the field errors of its strings to `fieldErrors`. Throws ApiError: malformed_json with the
 * position for invalid JSON or a repeated member, parameter_invalid for anything but an object or beyond a limit.
 */
export function parseBody(text: string, fieldErrors: FieldError[], maxMembers = MAX_MEMBERS): JsonObject {
  const { members, tooDeepAt, tooManyAt } = measure(text, maxMembers);
  if (tooDeepAt !== undefined) throw tooDeep(text, tooDeepAt);
  if (tooManyAt !== undefined) throw tooMany(text, tooManyAt, maxMembers);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    throw malformed(text);
  }
  if (!isObject(body)) {
    throw new ApiError('parameter_invalid', { param: '', detail: 'The body must be a JSON object.' });
  }
  // The parser keeps the last of several members with one name, so the value then has fewer members than the text.
  if (membersOf(body) !== members) throw repeated(text);
  if (text.includes('\\u') || text.includes(RESERVED_NAME)) inspect(body, [], fieldErrors);
  return body;
}

/**
 * Parses a body without the rules that later versions added (repeated members, number of members), to recognize a
 * request that an earlier version accepted. Undefined for a body that no version has accepted.
 */
export function parseLeniently(text: string): JsonObject | undefined {
  if (measure(text, Number.POSITIVE_INFINITY).tooDeepAt !== undefined) return undefined;
  try {
    const body = parseJson(text);
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isObject(body: unknown): body is JsonObject {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof InexactNumber);
}

function tooDeep(text: string, at: number): ApiError {
  return new ApiError('parameter_invalid', {
    param: pointerAt(text, at),
    detail: `Nested deeper than ${MAX_DEPTH} levels.`,
    facts: { limit: MAX_DEPTH },
  });
}

function tooMany(text: string, at: number, limit: number): ApiError {
  return new ApiError('parameter_invalid', {
    param: memberPointer(text, at),
    detail: `The body has more than ${limit} members and elements.`,
    facts: { limit },
  });
}

/** Counts members and elements on all levels. */
function membersOf(value: object): number {
  if (value instanceof InexactNumber) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    members = value.length;
    for (const element of value) if (typeof element === 'object' && element !== null) members += membersOf(element);
    return members;
  }
  // The parser makes only own members, even of __proto__.
  for (const name in value) {
    members++;
    const member = (value as JsonObject)[name];
    if (typeof member === 'object' && member !== null) members += membersOf(member);
  }
  return members;
}

function repeated(text: string): ApiError {
  const { position, pointer } = repeatedMember(text);
  return new ApiError('malformed_json', {
    detail: `The body names a member twice: ${shortened(pointer)} at ${placeText(text, position)}.`,
    param: pointer,
    facts: placeOf(text, position),
  });
}

/** The recursion is bounded: the value nests no deeper than MAX_DEPTH. */
function inspect(value: unknown, path: PathSegment[], fieldErrors: FieldError[]): void {
  if (typeof value === 'string') {
    const detail = stringFault(value);
    if (detail) addFieldError(fieldErrors, { code: 'parameter_invalid', param: jsonPointer(path), detail });
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      path.push(index);
      inspect(value[index], path, fieldErrors);
      path.pop();
    }
  } else if (typeof value === 'object' && value !== null && !(value instanceof InexactNumber)) {
    for (const key of Object.keys(value)) {
      path.push(key);
      const detail = stringFault(key);
      if (detail)
        addFieldError(fieldErrors, {
          code: 'parameter_invalid',
          param: jsonPointer(path),
          detail: `The name: ${detail}`,
        });
      if (key === RESERVED_NAME)
        addFieldError(fieldErrors, { code: 'parameter_unknown', param: jsonPointer(path), detail: NAME_RESERVED });
      else inspect((value as JsonObject)[key], path, fieldErrors);
      path.pop();
    }
  }
}

function addFieldError(fieldErrors: FieldError[], fieldError: FieldError): void {
  if (fieldErrors.length < MAX_FIELD_ERRORS) fieldErrors.push(fieldError);
}

/** Why a text column or UTF-8 cannot represent the string; undefined for a valid string. */
export function stringFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'Contains the character U+0000, which text cannot hold.';
  if (toUSVString(text) !== text) return 'Contains half of a surrogate pair, which is not a character.';
  return undefined;
}

/** The error for a text that does not parse, with the position where reading stopped. */
/** RFC 8259, section 8.1: a sender must not add it. Nothing shows it on a screen. */
const BYTE_ORDER_MARK = '\uFEFF';

function malformed(text: string): ApiError {
  if (skipSpace(text, 0) === text.length)
    return new ApiError('malformed_json', { detail: 'The body is empty; send a JSON object.', param: '' });
  const position = syntaxFaultAt(text);
  if (text.startsWith(BYTE_ORDER_MARK))
    return new ApiError('malformed_json', {
      detail: 'The body begins with a byte order mark (U+FEFF, bytes EF BB BF); send the JSON object without it.',
      param: '',
      facts: placeOf(text, 0),
    });
  return new ApiError('malformed_json', {
    detail: `The body is not valid JSON: reading stopped at ${placeText(text, position)}.`,
    param: '',
    facts: placeOf(text, position),
  });
}

function placeText(text: string, at: number): string {
  const { position, line, column } = placeOf(text, at);
  return `position ${position} (line ${line}, column ${column})`;
}

function placeOf(text: string, position: number): { position: number; line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return { position, line, column: position - lineStart + 1 };
}
