/**
 * The class of a character in a search for digits: a digit of any script, a letter, a mark, a format character, or
 * something else. Each code point is classified once and remembered, so that no text costs more a character than
 * another.
 */

/**
 * 0 to 9 are the digits that numbers are written in (Nd of Unicode). From here to 19 are those of notes and lists: raised, lowered, in
 * circles or parentheses.
 */
export const NOTE = 10;
export const LETTER = 20;
/** Belongs to the letter before it, such as an accent or a vowel sign. */
export const MARK = 21;
/**
 * A modifier letter of no script (Lm of Unicode, Script=Common): primes, apostrophes, the macron, the tatweel, the long sound mark. It
 * belongs to the word before it; behind anything else it is a hyphen or a prime. One that has a script is a letter.
 */
export const MODIFIER = 22;
/** Invisible: zero-width characters, marks of direction, soft hyphens. */
export const FORMAT = 23;
export const UNDERSCORE = 24;
export const SPACE = 25;
/** Hyphens, dashes and minus signs. */
export const DASH = 26;
const OTHER = 27;

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
  const other = otherDigit(codePoint);
  if (other !== undefined) return NOTE + other;
  if (/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character)) return FORMAT;
  if (/\p{Lm}/u.test(character) && /\p{Script=Common}/u.test(character)) return MODIFIER;
  if (/\p{L}/u.test(character)) return LETTER;
  if (/\p{M}/u.test(character)) return MARK;
  // Digits in circles, raised and lowered ones: each stands for one digit.
  if (/\p{No}/u.test(character)) {
    const plain = character.normalize('NFKC');
    if (/^\d$/.test(plain)) return NOTE + Number(plain);
  }
  if (/\p{White_Space}/u.test(character)) return SPACE;
  // The modifier letter minus sign is a symbol without the property.
  if (/[\p{Dash}\u02d7]/u.test(character)) return DASH;
  return OTHER;
}

const DECIMAL = /\p{Nd}/u;

/** Unicode has the ten digits of a script in a row, from zero to nine; mathematical digits are five such rows, one behind the other. */
function decimalValue(codePoint: number): number {
  let zero = codePoint;
  while (DECIMAL.test(String.fromCodePoint(zero - 1))) zero--;
  return (codePoint - zero) % 10;
}

/**
 * Digits outside the rows of ten without a plain form: Numeric_Type=Digit of Unicode, which regular expressions do not know.
 * First code point, last one, and the digit of the first.
 */
const OTHER_DIGITS: readonly (readonly [first: number, last: number, digit: number])[] = [
  [0x1369, 0x1371, 1], // Ethiopic
  [0x19da, 0x19da, 1], // New Tai Lue
  [0x2474, 0x247c, 1], // in parentheses
  [0x2488, 0x2490, 1], // with a full stop
  [0x24f5, 0x24fd, 1], // in two circles
  [0x24ff, 0x24ff, 0], // white on black
  [0x2776, 0x277e, 1], // white on black
  [0x2780, 0x2788, 1], // in a circle, without serifs
  [0x278a, 0x2792, 1], // white on black, without serifs
  [0x10a40, 0x10a43, 1], // Kharoshthi
  [0x10e60, 0x10e68, 1], // Rumi
  [0x11052, 0x1105a, 1], // Brahmi
  [0x1f100, 0x1f100, 0], // with a full stop
  [0x1f101, 0x1f10a, 0], // with a comma
  [0x1f10b, 0x1f10b, 0], // in a circle, without serifs
  [0x1f10c, 0x1f10c, 0], // white on black, without serifs
];

function otherDigit(codePoint: number): number | undefined {
  for (const [first, last, digit] of OTHER_DIGITS)
    if (codePoint >= first && codePoint <= last) return digit + codePoint - first;
  return undefined;
}
