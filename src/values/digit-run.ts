/** A run of digits in groups, and the card numbers among its windows (card-number.ts). */

export const SHORTEST = 14;
const LONGEST = 19;

/** Issuer ranges of ISO/IEC 7812: the first digits, from and to, and the lengths in which numbers are issued today. */
const RANGES: readonly { from: string; to: string; lengths: readonly number[] }[] = [
  { from: '4', to: '4', lengths: [16, 19] }, // Visa
  { from: '51', to: '55', lengths: [16] }, // Mastercard
  { from: '2221', to: '2720', lengths: [16] }, // Mastercard
  { from: '34', to: '34', lengths: [15] }, // American Express
  { from: '37', to: '37', lengths: [15] }, // American Express
  { from: '30', to: '30', lengths: [14] }, // Diners Club
  { from: '36', to: '36', lengths: [14] }, // Diners Club
  { from: '38', to: '38', lengths: [14] }, // Diners Club
  { from: '35', to: '35', lengths: [16] }, // JCB
  { from: '60', to: '60', lengths: [16] }, // Discover, RuPay
  { from: '64', to: '65', lengths: [16] }, // Discover
  { from: '81', to: '82', lengths: [16] }, // UnionPay, RuPay
  { from: '62', to: '62', lengths: [16, 17, 18, 19] }, // UnionPay
  { from: '50', to: '50', lengths: [16, 17, 18, 19] }, // Maestro, Verve, Meeza
  { from: '56', to: '58', lengths: [16, 17, 18, 19] }, // Maestro
  { from: '63', to: '63', lengths: [16, 17, 18, 19] }, // Maestro
  { from: '67', to: '67', lengths: [16, 17, 18, 19] }, // Maestro
  { from: '2200', to: '2204', lengths: [16] }, // Mir
  { from: '9792', to: '9792', lengths: [16] }, // Troy
];

/** By the first four digits: a bit for each length, from SHORTEST on. */
const ISSUED = new Uint8Array(10_000);
for (const { from, to, lengths } of RANGES)
  for (let prefix = Number(from.padEnd(4, '0')); prefix <= Number(to.padEnd(4, '9')); prefix++)
    for (const length of lengths) ISSUED[prefix]! |= 1 << (length - SHORTEST);

/** Of the characters between two groups. A dash between two spaces is one more. */
export const LONGEST_GAP = 2;

/** From the first digit to behind the last, in code units of the text. */
export interface Found {
  from: number;
  to: number;
}

/** What a window touches with its first digit or its last. */
export const NOTHING = 1;
/** A letter or an underscore. */
export const REFERENCE = 2;
/** The marks of a track: `%B` in front of it, and behind it `^`, or `D` with an expiry. */
export const TRACK = 3;
export type Touched = typeof NOTHING | typeof REFERENCE | typeof TRACK;

/** At least LONGEST, and a power of two. */
const BUFFER = 32;

/**
 * The last digits of a run. No window is longer than LONGEST, so the buffer contains every possible window, and
 * whatever the text is, a digit takes the same time and no memory.
 */
export class Run {
  length = 0;
  /** Behind the last digit, in the text. */
  #end = 0;
  /** Check sums of all digits so far: those at even places counted double, and those at odd places. */
  #even = 0;
  #odd = 0;
  readonly #digits = new Uint8Array(BUFFER);
  /** What is in front of a group that begins with the digit; 0 for a digit within a group. */
  readonly #before = new Uint8Array(BUFFER);
  readonly #places = new Float64Array(BUFFER);
  /** The sums before the digit. */
  readonly #evens = new Float64Array(BUFFER);
  readonly #odds = new Float64Array(BUFFER);

  restart(): void {
    this.length = 0;
    this.#even = 0;
    this.#odd = 0;
  }

  /** `before` is given for the first digit of a group. */
  add(digit: number, { place, end, before }: { place: number; end: number; before: Touched | undefined }): void {
    const slot = this.length % BUFFER;
    this.#digits[slot] = digit;
    this.#before[slot] = before ?? 0;
    this.#places[slot] = place;
    this.#evens[slot] = this.#even;
    this.#odds[slot] = this.#odd;
    const isEven = this.length % 2 === 0;
    this.#even += isEven ? doubled(digit) : digit;
    this.#odd += isEven ? digit : doubled(digit);
    this.#end = end;
    this.length++;
  }

  /** Whether a card number ends with the group that has just ended before `after`. Adds it to the list, merged with what it overlaps. */
  judge(after: Touched, found?: Found[]): boolean {
    if (after === REFERENCE) return false;
    let any = false;
    for (let length = SHORTEST; length <= LONGEST && length <= this.length; length++) {
      if (!this.#isCardNumber(length, after)) continue;
      any = true;
      if (!found) break;
      let from = this.#places[(this.length - length) % BUFFER]!;
      while (found.length > 0 && found.at(-1)!.to > from) from = Math.min(from, found.pop()!.from);
      found.push({ from, to: this.#end });
    }
    return any;
  }

  #isCardNumber(length: number, after: Touched): boolean {
    const first = this.length - length;
    const slot = first % BUFFER;
    const before = this.#before[slot]!;
    if (before !== NOTHING && !(before === TRACK && after === TRACK)) return false;
    const prefix = this.#at(first) * 1_000 + this.#at(first + 1) * 100 + this.#at(first + 2) * 10 + this.#at(first + 3);
    if ((ISSUED[prefix]! & (1 << (length - SHORTEST))) === 0) return false;
    // From the right, every second digit counts double: those whose place has the parity of the run's length.
    const sum = this.length % 2 === 0 ? this.#even - this.#evens[slot]! : this.#odd - this.#odds[slot]!;
    return sum % 10 === 0;
  }

  #at(place: number): number {
    return this.#digits[place % BUFFER]!;
  }
}

/** As Luhn counts it (ISO/IEC 7812-1, annex B). */
function doubled(digit: number): number {
  return digit > 4 ? 2 * digit - 9 : 2 * digit;
}
