/**
 * Measures how deep a JSON text nests and how many members it has, without parsing it. The built-in parser takes a
 * fifth of a second for a megabyte of opening brackets, recursive parsers do not return at all, and a schema takes
 * seconds for a megabyte of small members.
 */
import { endOfString } from '../../values/json.ts';
import { jsonPointer, type PathSegment } from './json-pointer.ts';

/** Far more than any request needs, far less than recursion can bear. Published at GET /v1/limits. */
export const MAX_DEPTH = 32;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Members of objects and elements of arrays in a body, on all levels together. Published at GET /v1/limits. */
export const MAX_MEMBERS = 1_000;

/** The size of a text, or the place where it passes a limit. */
export interface Extent {
  /** Members and elements of a text within the limits. Exact for valid JSON. */
  members: number;
  /** The position of the bracket that exceeds MAX_DEPTH. */
  tooDeepAt?: number;
  /** The position of the comma or value that exceeds the limit on members. */
  tooManyAt?: number;
}

/** Measures a text, valid JSON or not, and stops where it passes a limit. */
export function measure(text: string, maxMembers = MAX_MEMBERS): Extent {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === COMMA) {
      if (++members > maxMembers) return { members, tooManyAt: at };
    } else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) return { members, tooDeepAt: at };
      const first = skipSpace(text, at + 1);
      if (!isClosing(text.charCodeAt(first)) && ++members > maxMembers) return { members, tooManyAt: first };
    } else if (isClosing(character)) depth--;
  }
  return { members };
}

function isClosing(character: number): boolean {
  return character === CLOSE_BRACE || character === CLOSE_BRACKET;
}

/** The position of the first character from `start` that is not JSON white space. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const character = text.charCodeAt(at);
    if (character !== 32 && character !== 10 && character !== 13 && character !== 9) return at;
    at++;
  }
}

/** The pointer of the member or element that begins at a position, or after the comma there. */
export function memberPointer(text: string, position: number): string {
  const start = skipSpace(text, text.charCodeAt(position) === COMMA ? position + 1 : position);
  // In an object the name comes first and is part of the pointer.
  return pointerAt(text, text.charCodeAt(start) === QUOTE ? endOfString(text, start) + 1 : start);
}

/** The pointer of the value that begins at a position. */
export function pointerAt(text: string, position: number): string {
  /** The current member of each open object (its key) and array (its index). */
  const path: PathSegment[] = [];
  let lastString = '';
  for (let at = 0; at < position; at++) {
    const character = text.charCodeAt(at);
    const current = path.at(-1);
    if (character === QUOTE) {
      const end = endOfString(text, at);
      lastString = text.slice(at, end + 1);
      // In an object the last string before a bracket is the key of the bracket's value.
      if (typeof current === 'string') path[path.length - 1] = lastString;
      at = end;
    } else if (character === OPEN_BRACE) path.push('""');
    else if (character === OPEN_BRACKET) path.push(0);
    else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) path.pop();
    else if (character === COMMA && typeof current === 'number') path[path.length - 1] = current + 1;
  }
  return jsonPointer(path.map((segment) => (typeof segment === 'number' ? segment : unquoted(segment))));
}

/**
 * The first repeated member name of an object in valid JSON: the position of the second occurrence, and its pointer.
 * Without one, the position is the text's end.
 */
export function repeatedMember(text: string): { position: number; pointer: string } {
  /** The names of each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === OPEN_BRACE) open.push(new Set());
    else if (character === OPEN_BRACKET) open.push(null);
    else if (isClosing(character)) open.pop();
    else if (character === QUOTE) {
      const start = at;
      at = endOfString(text, start);
      const names = open.at(-1);
      if (!names || text.charCodeAt(skipSpace(text, at + 1)) !== COLON) continue;
      const name = unquoted(text.slice(start, at + 1));
      if (names.has(name)) return { position: start, pointer: pointerAt(text, at + 1) };
      names.add(name);
    }
  }
  return { position: text.length, pointer: '' };
}

function unquoted(literal: string): string {
  try {
    return JSON.parse(literal);
  } catch {
    return literal.slice(1, -1);
  }
}
