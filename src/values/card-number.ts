/**
 * Finds card numbers in texts, so that none is stored, logged or sent on (PCI DSS: what is not kept needs no protection).
 *
 * A *run* is groups of digits with one or two characters between them that are neither letter nor digit, or a dash between two spaces;
 * format characters do not count. Digits of notes (`²`) directly beside those of numbers are a group of their own. A *window* is
 * consecutive whole groups of a run. It is a card number if it begins like the cards of its length and its check digit is right
 * (Luhn). Digits of every script count.
 *
 * A window whose first or last digit touches a letter or an underscore is somebody's own reference (`inv_4242424242424242`). The
 * exceptions are tracks of a magnetic stripe: `%B`, the number, `^` (ISO/IEC 7813), and the number, `D`, an expiry and a service code
 * (EMV tag 57). UUIDs, IBANs, dates and times are passed over (other-numbers.ts).
 * Reasons and figures: docs/decisions/card-numbers.md.
 */
import { classOf, DASH, FORMAT, LETTER, MARK, MODIFIER, NOTE, SPACE, UNDERSCORE } from './character-class.ts';
import { type Found, LONGEST_GAP, NOTHING, REFERENCE, Run, SHORTEST, type Touched, TRACK } from './digit-run.ts';
import { ibanEnd, isUuidAt, momentEnd, UUID_LENGTH } from './other-numbers.ts';

/** Names no digit: the answer may be logged. */
export const CARD_NUMBER_REFUSED =
  'Contains a card number. A reference of your own that looks like one is taken with a letter or an underscore directly before it.';

/** Most texts are ASCII without enough digits in a run, and are not searched one character at a time. */
const MAY_HAVE_ONE = /[\u0080-\uffff]|[0-9](?:(?:[^0-9A-Za-z]{0,2}|\s-\s)[0-9]){13}/;

/** As the text is written, and percent-decoded, as URLs are read: once, and until nothing changes. */
export function hasCardNumber(text: string): boolean {
  if (text.length < SHORTEST) return false;
  // Most texts of a row are ids.
  if (text.length === UUID_LENGTH && isUuidAt(text, 0)) return false;
  return hasOne(text) || decodedHasOne(text);
}

/** The same of a URL, where the digits of percent-encoding are no digits: `%2290000000007919%22` has fourteen. */
export function urlHasCardNumber(url: string): boolean {
  if (!url.includes('%')) return hasCardNumber(url);
  if (url.length < SHORTEST) return false;
  return hasOne(withoutEncoded(url)) || decodedHasOne(url);
}

function hasOne(text: string): boolean {
  return MAY_HAVE_ONE.test(text) && search(text);
}

function decodedHasOne(text: string): boolean {
  if (!text.includes('%')) return false;
  const once = percentDecoded(text);
  if (once === text) return false;
  if (hasOne(once)) return true;
  const entirely = entirelyDecoded(once);
  return entirely !== once && hasOne(entirely);
}

/** The text without its card numbers. One that hides a number behind percent-encoding stays decoded. */
export function maskCardNumbers(text: string): string {
  return withoutNumbers(text, () => '[card number]');
}

/**
 * The text with its card numbers truncated, for texts in which a machine looks for references: one that looks like a card number is still
 * distinguished from others. Of each number the last four digits stay and at most the first six: what PCI DSS (3.4.1 and the FAQ on truncation)
 * lets anybody see and store.
 */
export function truncateCardNumbers(text: string): string {
  const kept = withoutNumbers(text, truncated);
  // Digits that stay may look like the beginning or the end of another number beside them.
  return kept !== text && hasCardNumber(kept) ? maskCardNumbers(text) : kept;
}

const [FIRST_KEPT, LAST_KEPT, LEAST_HIDDEN] = [6, 4, 6];

function truncated(number: string): string {
  const digits = number.match(/\p{N}/gu)?.length ?? 0;
  const [from, to] = [Math.min(FIRST_KEPT, digits - LAST_KEPT - LEAST_HIDDEN), digits - LAST_KEPT];
  let nth = -1;
  return number.replace(/\p{N}/gu, (digit) => {
    nth += 1;
    return nth < from || nth >= to ? digit : '*';
  });
}

function withoutNumbers(text: string, shown: (number: string) => string): string {
  if (text.length < SHORTEST) return text;
  const masked = maskedAsWritten(text, shown);
  if (!decodedHasOne(masked)) return masked;
  // Numbers found in the first round are masked before the further rounds, which may put a letter beside them.
  return maskedAsWritten(entirelyDecoded(maskedAsWritten(percentDecoded(masked), shown)), shown);
}

/** The first `maximum` code units, or one more, of those that a search reads; undefined where hardly any of a long text are. */
export function withoutFormat(text: string, maximum: number): string | undefined {
  let seen = '';
  let from = 0;
  let at = 0;
  while (at < text.length && seen.length + at - from < maximum) {
    if (at > 10 * maximum) return undefined;
    const code = text.codePointAt(at)!;
    const end = at + (code > 0xffff ? 2 : 1);
    if (classOf(code) === FORMAT) {
      seen += text.slice(from, at);
      from = end;
    }
    at = end;
  }
  return seen + text.slice(from, at);
}

function maskedAsWritten(text: string, shown: (number: string) => string): string {
  const found: Found[] = [];
  if (!search(text, found)) return text;
  let masked = '';
  let at = 0;
  for (const { from, to } of found) {
    masked += `${text.slice(at, from)}${shown(text.slice(from, to))}`;
    at = to;
  }
  return masked + text.slice(at);
}

const ENCODED = /(?:%[0-9a-f]{2})+/gi;

/** Bytes that are no UTF-8 become a character that separates. */
function percentDecoded(text: string): string {
  return text.replace(ENCODED, decodedBytes);
}

function decodedBytes(encoded: string): string {
  return Buffer.from(encoded.replaceAll('%', ''), 'hex').toString();
}

const ENCODED_BYTE = /%[0-9a-f]{2}/i;

/**
 * Decoded until nothing changes, in one pass over its bytes: a sequence that a decoded byte completes is decoded at
 * once. Rounds over the whole text would be as many as half of its characters, in `%252525…`.
 */
function entirelyDecoded(text: string): string {
  if (!ENCODED_BYTE.test(text)) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    bytes[length++] = bytes[at]!;
    while (length > 2 && bytes[length - 3] === PERCENT) {
      const [high, low] = [HEX[bytes[length - 2]!]!, HEX[bytes[length - 1]!]!];
      if (high < 0 || low < 0) break;
      length -= 2;
      bytes[length - 1] = 16 * high + low;
    }
  }
  return bytes.toString('utf8', 0, length);
}

/** The value of a byte that is a hexadecimal digit, and else -1. */
const HEX = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
);

/** A separator for each encoded byte, which touches like the character it encodes. The beginning of a track is no encoded byte. */
function withoutEncoded(url: string): string {
  return url.replace(ENCODED, (encoded) => {
    if (/^%B\d$/.test(encoded)) return encoded;
    const decoded = decodedBytes(encoded);
    const bytes = encoded.length / 3;
    const [first, last] = [separatorLike(decoded.codePointAt(0)!), separatorLike(lastCodePoint(decoded))];
    return bytes === 1 ? first : `${first}${' '.repeat(bytes - 2)}${last}`;
  });
}

function separatorLike(codePoint: number): string {
  const kind = classOf(codePoint);
  return kind === LETTER || kind === MARK || kind === MODIFIER || kind === UNDERSCORE ? '_' : ' ';
}

function lastCodePoint(text: string): number {
  return [...text.slice(-2)].at(-1)!.codePointAt(0)!;
}

const run = new Run();
const [PERCENT, CARET, CAPITAL_B, SMALL_D] = [0x25, 0x5e, 0x42, 0x64];

/** What follows the number on track 2 as a chip gives it: the separator, the expiry (YYMM) and the service code. */
const CHIP_TRACK = /D[0-9]{2}(?:0[1-9]|1[0-2])[0-9]{3}/iy;

function isChipTrackAt(text: string, at: number): boolean {
  CHIP_TRACK.lastIndex = at;
  return CHIP_TRACK.test(text);
}

/** One pass. Collects all card numbers where a list is given, and else stops at the first. */
function search(text: string, found?: Found[]): boolean {
  /** Characters since the last digit of the run; it has no digit behind a letter. */
  let gap = 0;
  /** Whether they are a space, a dash and a space, as far as they go. */
  let isSpacedDash = false;
  let before: Touched = NOTHING;
  let previous = 0;
  let isBehindLetter = false;
  let isBehindNote = false;
  let any = false;
  run.restart();
  for (let at = 0; at < text.length; ) {
    const place = at;
    const code = text.codePointAt(at)!;
    at += code > 0xffff ? 2 : 1;
    const kind = classOf(code);
    if (kind === FORMAT) continue;
    const isFirst = run.length === 0 || gap > 0;
    const mayBegin: boolean = before !== TRACK && (kind === LETTER || (kind < LETTER && isFirst));
    const isUuid: boolean = mayBegin && isUuidAt(text, place);
    let end = 0;
    if (isUuid) end = place + UUID_LENGTH;
    else if (mayBegin && kind < LETTER) end = momentEnd(text, place);
    else if (mayBegin && isFirst && !isBehindLetter) end = ibanEnd(text, place);
    if (end > 0) {
      at = end;
      run.restart();
      before = isUuid ? REFERENCE : NOTHING;
      isBehindLetter = isUuid;
    } else if (kind < LETTER) {
      const isNote = kind >= NOTE;
      const isBeside = !isFirst && isNote !== isBehindNote;
      if (isBeside && run.length >= SHORTEST) any = run.judge(NOTHING, found) || any;
      run.add(isNote ? kind - NOTE : kind, {
        place,
        end: at,
        before: isFirst ? before : isBeside ? NOTHING : undefined,
      });
      gap = 0;
      isBehindLetter = false;
      isBehindNote = isNote;
    } else {
      const isLetter: boolean = kind === LETTER || ((kind === MARK || kind === MODIFIER) && isBehindLetter);
      const touched: Touched = isLetter || kind === UNDERSCORE ? REFERENCE : NOTHING;
      if (!isFirst && run.length >= SHORTEST) {
        const isTrack = code === CARET || ((code | 0x20) === SMALL_D && isChipTrackAt(text, place));
        any = run.judge(isTrack ? TRACK : touched, found) || any;
      }
      if (any && !found) return true;
      gap++;
      isSpacedDash =
        gap === 2
          ? isSpacedDash && (kind === DASH || kind === MODIFIER)
          : kind === SPACE && (gap === 1 || isSpacedDash);
      if (isLetter || (gap > LONGEST_GAP && !(gap === 3 && isSpacedDash))) run.restart();
      before = code === CAPITAL_B && previous === PERCENT ? TRACK : touched;
      isBehindLetter = isLetter;
    }
    previous = code;
  }
  if (gap === 0 && run.length >= SHORTEST) any = run.judge(NOTHING, found) || any;
  return any;
}
