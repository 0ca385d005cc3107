/**
 * How deep a JSON text nests and how many members it has, told without parsing it: the built-in parser takes a fifth of a
 * second for a megabyte of opening brackets, parsers that recurse do not come back at all, and a schema takes seconds for
 * a megabyte of small members.
 */
import { endOfString } from '../json.ts';
import { jsonPointer, type PathSegment } from './json-pointer.ts';

/** Far beyond what any request needs, far below what recursion can bear; published at GET /v1/limits. */
export const MAX_DEPTH = 32;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Members of objects and elements of arrays in a body, all levels together; published at GET /v1/limits. */
export const MAX_MEMBERS = 1_000;

/** What the pass found: the members and elements of a text within the limits, or where it passes one. */
export interface Extent {
  /** Members and elements in a text within the limits. Exact for JSON. */
  members: number;
  /** The position of the bracket that nests deeper than MAX_DEPTH. */
  tooDeepAt?: number;
  /** The position of the comma or value with which the text has more members than it may. */
  tooManyAt?: number;
}

/** Measures a text, valid JSON or not, and stops where a limit is passed. */
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

/** The position of the first character from `start` that is no white space of JSON. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const character = text.charCodeAt(at);
    if (character !== 32 && character !== 10 && character !== 13 && character !== 9) return at;
    at++;
  }
}

/** The pointer of the member or element that begins behind a comma, or at a position. */
export function memberPointer(text: string, position: number): string {
  const start = skipSpace(text, text.charCodeAt(position) === COMMA ? position + 1 : position);
  // In an object the name comes first, and belongs to the pointer.
  return pointerAt(text, text.charCodeAt(start) === QUOTE ? endOfString(text, start) + 1 : start);
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

/**
 * The first member of a JSON text whose name its object has had before, by the position of the name. For valid JSON; a text
 * without one gives its end.
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
