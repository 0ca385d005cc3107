/**
 * From the text of a body to a value that nothing behind it can stumble over: one JSON object, not too deep, with
 * strings that Postgres can hold and no key that means something to JavaScript.
 *
 * The common body pays for one pass over its characters; what can only be there when the text shows a certain mark
 * (a \u escape, the word __proto__) is looked for only then.
 */
import { toUSVString } from 'node:util';
import { ApiError, type FieldError } from '../errors.ts';
import { InexactNumber, type JsonObject, parseJson } from '../json.ts';
import { jsonPointer, type PathSegment, shortened } from './json-pointer.ts';
import { syntaxFaultAt } from './json-syntax.ts';
import { MAX_DEPTH, MAX_MEMBERS, measure, memberPointer, pointerAt, repeatedMember, skipSpace } from './nesting.ts';

/** As many fieldErrors as one answer lists; published at GET /v1/limits. */
export const MAX_FIELD_ERRORS = 100;

/**
 * Parses a body, and adds what is wrong with its strings to the fieldErrors. Throws ApiError: malformed_json with the position
 * for what is no JSON or names a member twice, parameter_invalid for what is no object or passes a limit.
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
  // Of members with one name the parser keeps the last: then the value has fewer than the text.
  if (membersOf(body) !== members) throw repeated(text);
  if (text.includes('\\u') || text.includes('__proto__')) inspect(body, [], fieldErrors);
  return body;
}

/**
 * A body as the parser takes it, without the rules that were added since (repeated members, how many): what a request of
 * any release may have been accepted with. Undefined for what no release has accepted.
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

/** Members and elements, all levels together. */
function membersOf(value: object): number {
  if (value instanceof InexactNumber) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    members = value.length;
    for (const element of value) if (typeof element === 'object' && element !== null) members += membersOf(element);
    return members;
  }
  // The body holds own members only: the parser makes even __proto__ one.
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

/** Recursion ends: nothing that arrives here nests deeper than MAX_DEPTH. */
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
      if (key === '__proto__')
        addFieldError(fieldErrors, { code: 'parameter_unknown', param: jsonPointer(path), detail: 'Not known here.' });
      else inspect((value as JsonObject)[key], path, fieldErrors);
      path.pop();
    }
  }
}

function addFieldError(fieldErrors: FieldError[], fieldError: FieldError): void {
  if (fieldErrors.length < MAX_FIELD_ERRORS) fieldErrors.push(fieldError);
}

/** Why neither a text column nor UTF-8 can hold this string, if so. */
export function stringFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'Contains the character U+0000, which text cannot hold.';
  if (toUSVString(text) !== text) return 'Contains half of a surrogate pair, which is not a character.';
  return undefined;
}

/** Where reading stopped: asked only for a text that does not parse. */
function malformed(text: string): ApiError {
  if (skipSpace(text, 0) === text.length)
    return new ApiError('malformed_json', { detail: 'The body is empty; send a JSON object.', param: '' });
  const position = syntaxFaultAt(text);
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
