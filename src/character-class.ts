/**
 * What a character is to a search for digits: a digit of any script, a letter, a mark, a format character, or something else.
 * Each code point is asked about once and remembered, so that no text costs more a character than another.
 */

/** 0 to 9 are the digits themselves. */
export const LETTER = 10;
/** Belongs to the letter before it, such as an accent or a vowel sign. */
export const MARK = 11;
/** Not seen: zero-width characters, marks of direction, soft hyphens. */
export const FORMAT = 12;
export const UNDERSCORE = 13;
export const OTHER = 14;

/** A class and one; 0 for a code point that was not asked about. The zeros of a large array take no memory until they are written. */
const known = new Uint8Array(0x110000);

export function classOf(codePoint: number): number {
  return (known[codePoint] || remember(codePoint)) - 1;
}

function remember(codePoint: number): number {
  const found = find(String.fromCodePoint(codePoint), codePoint) + 1;
  known[codePoint] = found;
  return found;
}

function find(character: string, codePoint: number): number {
  if (character === '_') return UNDERSCORE;
  if (DECIMAL.test(character)) return decimalValue(codePoint);
  if (/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character)) return FORMAT;
  if (/\p{L}/u.test(character)) return LETTER;
  if (/\p{M}/u.test(character)) return MARK;
  // Digits in circles, raised and lowered ones: each stands for one digit.
  if (/\p{No}/u.test(character)) {
    const plain = character.normalize('NFKC');
    if (/^\d$/.test(plain)) return Number(plain);
  }
  return OTHER;
}

const DECIMAL = /\p{Nd}/u;

/** Unicode has the ten digits of a script in a row, from zero to nine; mathematical digits are five such rows, one behind the other. */
function decimalValue(codePoint: number): number {
  let zero = codePoint;
  while (DECIMAL.test(String.fromCodePoint(zero - 1))) zero--;
  return (codePoint - zero) % 10;
}
