/**
 * How deep a JSON text nests, told without parsing it: the built-in parser takes a fifth of a second for a megabyte of
 * opening brackets, and parsers that recurse do not come back at all.
 */
import { jsonPointer, type PathSegment } from './json-pointer.ts';

/** Far beyond what any request needs, far below what recursion can bear; published at GET /v1/limits. */
export const MAX_DEPTH = 32;

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** The position of the bracket that nests deeper than MAX_DEPTH, or undefined. For any text, valid or not. */
export function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) return at;
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth--;
  }
  return undefined;
}

/** The position of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) return at;
    if (character === BACKSLASH) at++;
  }
  return text.length;
}

/** The pointer of the value that begins at a position. */
export function pointerAt(text: string, position: number): string {
  /** The member that is being read in each open object (its key) and array (its index). */
  const path: PathSegment[] = [];
  let lastString = '';
  for (let at = 0; at < position; at++) {
    const character = text.charCodeAt(at);
    const current = path.at(-1);
    if (character === QUOTE) {
      const end = endOfString(text, at);
      lastString = text.slice(at, end + 1);
      // In an object the last string before a bracket is the key of what the bracket opens.
      if (typeof current === 'string') path[path.length - 1] = lastString;
      at = end;
    } else if (character === OPEN_BRACE) path.push('""');
    else if (character === OPEN_BRACKET) path.push(0);
    else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) path.pop();
    else if (character === COMMA && typeof current === 'number') path[path.length - 1] = current + 1;
  }
  return jsonPointer(path.map((segment) => (typeof segment === 'number' ? segment : unquoted(segment))));
}

function unquoted(literal: string): string {
  try {
    return JSON.parse(literal);
  } catch {
    return literal.slice(1, -1);
  }
}
