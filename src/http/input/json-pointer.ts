/** JSON pointers (RFC 6901): the place of a value in a body. */
import { maskCardNumbers, withoutFormat } from '../../values/card-number.ts';

/** With separators, also of several characters each. */
const LONGEST_CARD_NUMBER = 200;

export type PathSegment = string | number;

/**
 * The longest pointer in an answer, in UTF-16 code units; every pointer to a known parameter is shorter. Without it, a
 * name of a megabyte above a hundred field errors would make an answer of a hundred megabytes.
 */
const MAX_POINTER = 1_000;

/**
 * `['metadata', 'a/b']` gives `/metadata/a~1b`; the whole body gives the empty string. A pointer beyond MAX_POINTER
 * ends in `…`. Names that are card numbers are taken out: answers may be logged.
 */
export function jsonPointer(path: readonly PropertyKey[]): string {
  let pointer = '';
  for (const segment of path) {
    if (pointer.length > MAX_POINTER) break;
    // Before it is cut, which could leave most of a number, and before `/` is escaped by a digit.
    const name = maskCardNumbers(beginning(String(segment)));
    pointer += `/${shortened(name, MAX_POINTER).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return shortened(maskCardNumbers(pointer), MAX_POINTER);
}

/**
 * Format characters do not count in a card number, which may contain any number of them. They are removed from a name
 * that is cut.
 */
function beginning(name: string): string {
  const length = MAX_POINTER + LONGEST_CARD_NUMBER;
  return name.length <= length ? name : (withoutFormat(name, length) ?? '…');
}

/** The text, or its first `maximum` characters and `…`. Never cuts a surrogate pair in half. */
export function shortened(text: string, maximum = 100): string {
  if (text.length <= maximum) return text;
  const end = maximum - (isHighSurrogate(text.charCodeAt(maximum - 1)) ? 1 : 0);
  return `${text.slice(0, end)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
