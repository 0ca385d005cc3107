/**
 * Finds card numbers in texts, so that none is stored, logged or sent on (PCI DSS: what is not kept needs no protection).
 *
 * A *run* is groups of digits with one or two characters between them that are neither letter nor digit; format characters do not
 * count. A *window* is consecutive whole groups of a run. It is a card number if it begins like the cards of its length and its
 * check digit is right (Luhn). Digits of every script count.
 *
 * A window whose first or last digit touches a letter or an underscore is somebody's own reference (`inv_4242424242424242`), and so
 * is what stands in a UUID. The exception is the first track of a magnetic stripe: `%B`, the number, `^` (ISO/IEC 7813).
 * Reasons and figures: docs/decisions/card-numbers.md.
 */
import { classOf, FORMAT, LETTER, MARK, UNDERSCORE } from './character-class.ts';
import { type Found, LONGEST_GAP, NOTHING, REFERENCE, Run, SHORTEST, type Touched, TRACK } from './digit-run.ts';

/** Names no digit: the answer may be logged. */
export const CARD_NUMBER_REFUSED =
  'Contains a card number. A reference of your own that looks like one is taken with a letter or an underscore directly before it.';

/** Most texts are ASCII without enough digits in a run, and are not looked at one character at a time. */
const MAY_HAVE_ONE = /[\u0080-\uffff]|[0-9](?:[^0-9A-Za-z]{0,2}[0-9]){13}/;

/** As the text is written, and percent-decoded, as URLs are read. */
export function hasCardNumber(text: string): boolean {
  if (text.length < SHORTEST) return false;
  // Most texts of a row are ids.
  if (text.length === UUID_LENGTH && isUuidAt(text, 0)) return false;
  return (MAY_HAVE_ONE.test(text) && search(text)) || (text.includes('%') && search(percentDecoded(text)));
}

/** The same of a URL, where the digits of percent-encoding are no digits: `%2290000000007919%22` has fourteen. */
export function urlHasCardNumber(url: string): boolean {
  if (!url.includes('%')) return hasCardNumber(url);
  if (url.length < SHORTEST) return false;
  return search(withoutEncoded(url)) || search(percentDecoded(url));
}

/** The text with its card numbers taken out. One that hides a number behind percent-encoding stays decoded. */
export function maskCardNumbers(text: string): string {
  if (text.length < SHORTEST) return text;
  let masked = maskedAsWritten(text);
  // What was encoded twice is encoded once now. Each round shortens the text, so the loop ends.
  while (masked.includes('%')) {
    const decoded = percentDecoded(masked);
    if (!search(decoded)) break;
    masked = maskedAsWritten(decoded);
  }
  return masked;
}

/** The first `maximum` code units, or one more, of those that a search looks at; undefined where hardly any of a long text are. */
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

function maskedAsWritten(text: string): string {
  const found: Found[] = [];
  if (!search(text, found)) return text;
  let masked = '';
  let at = 0;
  for (const { from, to } of found) {
    masked += `${text.slice(at, from)}[card number]`;
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

/** A separator for each encoded byte, which touches like what it stands for. The beginning of a track is no encoded byte. */
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
  return kind === LETTER || kind === MARK || kind === UNDERSCORE ? '_' : ' ';
}

function lastCodePoint(text: string): number {
  return [...text.slice(-2)].at(-1)!.codePointAt(0)!;
}

/** Of any version and variant: what looks like one is somebody's reference. So it is with something attached, as in `<uuid>_refund`. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/iy;
const UUID_LENGTH = 36;
const HYPHEN = 0x2d;

function isUuidAt(text: string, at: number): boolean {
  if (text.charCodeAt(at + 8) !== HYPHEN || text.charCodeAt(at + 13) !== HYPHEN) return false;
  UUID.lastIndex = at;
  return UUID.test(text);
}

const run = new Run();
const [PERCENT, CARET, CAPITAL_B] = [0x25, 0x5e, 0x42];

/** One pass. Collects all that the text has where a list is given, and else stops at the first. */
function search(text: string, found?: Found[]): boolean {
  /** Characters since the last digit of the run; it has none behind a letter. */
  let gap = 0;
  let before: Touched = NOTHING;
  let previous = 0;
  let isBehindLetter = false;
  let any = false;
  run.restart();
  for (let at = 0; at < text.length; ) {
    const place = at;
    const code = text.codePointAt(at)!;
    at += code > 0xffff ? 2 : 1;
    const kind = classOf(code);
    if (kind === FORMAT) continue;
    const isFirst = run.length === 0 || gap > 0;
    const mayBegin = kind === LETTER || (kind < LETTER && isFirst);
    if (mayBegin && before !== TRACK && isUuidAt(text, place)) {
      at = place + UUID_LENGTH;
      run.restart();
      before = REFERENCE;
      isBehindLetter = true;
    } else if (kind < LETTER) {
      run.add(kind, { place, end: at, before: isFirst ? before : undefined });
      gap = 0;
      isBehindLetter = false;
    } else {
      const isLetter: boolean = kind === LETTER || (kind === MARK && isBehindLetter);
      if (!isFirst && run.length >= SHORTEST) {
        const touches = isLetter || kind === UNDERSCORE;
        any = run.judge(touches ? REFERENCE : code === CARET ? TRACK : NOTHING, found) || any;
        if (any && !found) return true;
      }
      gap++;
      if (isLetter || gap > LONGEST_GAP) run.restart();
      before = isLetter || kind === UNDERSCORE ? REFERENCE : NOTHING;
      if (code === CAPITAL_B && previous === PERCENT) before = TRACK;
      isBehindLetter = isLetter;
    }
    previous = code;
  }
  if (gap === 0 && run.length >= SHORTEST) any = run.judge(NOTHING, found) || any;
  return any;
}
