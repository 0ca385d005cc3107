/**
 * From the text of a body to a value that nothing behind it can stumble over: one JSON object, not too deep, with
 * strings that Postgres can hold and no key that means something to JavaScript.
 *
 * The common body pays for one pass over its characters; what can only be there when the text shows a certain mark
 * (a \u escape, the word __proto__) is looked for only then.
 */
import { toUSVString } from 'node:util';
import { LosslessNumber, parse as parseLossless } from 'lossless-json';
import { ApiError, type Fault } from '../errors.ts';
import { InexactNumber, type JsonObject, parseJson } from '../json.ts';
import { jsonPointer, type PathSegment } from './json-pointer.ts';
import { MAX_DEPTH, pointerAt, tooDeepAt } from './nesting.ts';

/** As many faults as one answer lists: a body of a million bad members does not become a larger answer. */
export const MAX_FAULTS = 100;

/**
 * Parses a body, and adds what is wrong with its strings to the faults. Throws ApiError for what is no JSON object at all:
 * malformed_json with the position, or parameter_invalid.
 */
export function parseBody(text: string, faults: Fault[]): JsonObject {
  const deep = tooDeepAt(text);
  if (deep !== undefined) {
    throw new ApiError('parameter_invalid', {
      param: pointerAt(text, deep),
      detail: `Nested deeper than ${MAX_DEPTH} levels.`,
      facts: { limit: MAX_DEPTH },
    });
  }
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    throw malformed(text);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof InexactNumber) {
    throw new ApiError('parameter_invalid', { param: '', detail: 'The body must be a JSON object.' });
  }
  if (text.includes('\\u') || text.includes('__proto__')) inspect(body, [], faults);
  return body as JsonObject;
}

/** Recursion ends: nothing that arrives here nests deeper than MAX_DEPTH. */
function inspect(value: unknown, path: PathSegment[], faults: Fault[]): void {
  if (typeof value === 'string') {
    const detail = stringFault(value);
    if (detail) addFault(faults, { code: 'parameter_invalid', param: jsonPointer(path), detail });
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      path.push(index);
      inspect(value[index], path, faults);
      path.pop();
    }
  } else if (typeof value === 'object' && value !== null && !(value instanceof InexactNumber)) {
    for (const key of Object.keys(value)) {
      path.push(key);
      const detail = stringFault(key);
      if (detail)
        addFault(faults, { code: 'parameter_invalid', param: jsonPointer(path), detail: `The name: ${detail}` });
      if (key === '__proto__')
        addFault(faults, { code: 'parameter_unknown', param: jsonPointer(path), detail: 'Not known here.' });
      else inspect((value as JsonObject)[key], path, faults);
      path.pop();
    }
  }
}

function addFault(faults: Fault[], fault: Fault): void {
  if (faults.length < MAX_FAULTS) faults.push(fault);
}

/** Why neither a text column nor UTF-8 can hold this string, if so. */
export function stringFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'Contains the character U+0000, which text cannot hold.';
  if (toUSVString(text) !== text) return 'Contains half of a surrogate pair, which is not a character.';
  return undefined;
}

/** Where reading stopped: asked only for a text that does not parse, from the parser that always tells. */
function malformed(text: string): ApiError {
  if (text.trim() === '')
    return new ApiError('malformed_json', { detail: 'The body is empty; send a JSON object.', param: '' });
  const position = positionOfFault(text);
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  return new ApiError('malformed_json', {
    detail: `The body is not valid JSON: reading stopped at position ${position} (line ${line}, column ${column}).`,
    param: '',
    facts: { position, line, column },
  });
}

function positionOfFault(text: string): number {
  try {
    parseLossless(text, null, {
      parseNumber: (number) => new LosslessNumber(number),
      onDuplicateKey: ({ newValue }) => newValue,
    });
  } catch (error) {
    const match = / at position (\d+)$/.exec(String(error));
    if (match) return Number(match[1]);
  }
  return text.length;
}
