/**
 * Finds where a text stops being JSON (RFC 8259), which the built-in parser does not always report. Linear, no
 * recursion.
 */
import { skipSpace } from './nesting.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const LETTER_U = 117;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SIMPLE_ESCAPES = new Set('"\\/bfnrt');
const HEX_DIGITS = /[\da-fA-F]{4}/y;

/** The position at which reading stops. For valid JSON, or a text that ends too early, it is the text's length. */
export function syntaxFaultAt(text: string): number {
  const reader = new Reader(text);
  return reader.readsWhole() ? text.length : reader.at;
}

class Reader {
  at = 0;
  readonly #text: string;
  /** The closing bracket of each open object and array. */
  readonly #closings: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** False for invalid JSON; `at` is then the position where reading stopped. */
  readsWhole(): boolean {
    this.#skipSpace();
    do {
      if (!this.#value()) return false;
    } while (this.#closings.length > 0);
    return this.at === this.#text.length;
  }

  /** Reads a scalar with the closings after it, or opens an object or array, whose values are read next. */
  #value(): boolean {
    const character = this.#text.charCodeAt(this.at);
    if (character === OPEN_BRACE) return this.#opened(CLOSE_BRACE);
    if (character === OPEN_BRACKET) return this.#opened(CLOSE_BRACKET);
    const read = character === QUOTE ? this.#string() : this.#matches(NUMBER) || this.#matches(WORD);
    return read && this.#closed();
  }

  #opened(closing: number): boolean {
    this.at++;
    this.#skipSpace();
    this.#closings.push(closing);
    if (this.#text.charCodeAt(this.at) === closing) return this.#closed();
    return closing === CLOSE_BRACKET || this.#name();
  }

  /** Reads what follows a value: closing brackets, then a comma before the next value, or the end. */
  #closed(): boolean {
    for (;;) {
      this.#skipSpace();
      const closing = this.#closings.at(-1);
      if (closing === undefined) return true;
      const character = this.#text.charCodeAt(this.at);
      if (character === COMMA) {
        this.at++;
        this.#skipSpace();
        return closing === CLOSE_BRACKET || this.#name();
      }
      if (character !== closing) return false;
      this.at++;
      this.#closings.pop();
    }
  }

  #name(): boolean {
    if (this.#text.charCodeAt(this.at) !== QUOTE || !this.#string()) return false;
    this.#skipSpace();
    if (this.#text.charCodeAt(this.at) !== COLON) return false;
    this.at++;
    this.#skipSpace();
    return true;
  }

  #string(): boolean {
    const text = this.#text;
    for (let at = this.at + 1; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (character === QUOTE) {
        this.at = at + 1;
        return true;
      }
      if (character < 32 || (character === BACKSLASH && !isEscape(text, at + 1))) {
        this.at = at;
        return false;
      }
      if (character === BACKSLASH) at++;
    }
    this.at = text.length;
    return false;
  }

  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.#text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  #skipSpace(): void {
    this.at = skipSpace(this.#text, this.at);
  }
}

function isEscape(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== LETTER_U) return SIMPLE_ESCAPES.has(text[at] ?? '');
  HEX_DIGITS.lastIndex = at + 1;
  return HEX_DIGITS.test(text);
}
