/**
 * Masks a receiver's response before it is stored. Many receivers echo what they were sent, so the personal text of the event
 * is removed from the response. `npm run ops -- erase` still deletes the responses to an object's events, because a search
 * does not find every wording.
 */
import { RESPONSE_KEPT_BYTES } from '../../outside/connections/post-event.ts';

const MASK = '[personal]';
/** Shorter texts are removed only inside quotes: `1` or `ops` also occur in other words. */
const ANYWHERE_FROM = 4;

/** `texts`: the JSON texts that were filled into the event. */
export function withoutTexts(answer: string, texts: readonly string[]): string {
  if (texts.length === 0) return answer;
  const pieces = [...new Set(texts.flatMap((text) => [text, ...wordings(JSON.parse(text))]))];
  pieces.sort((one, other) => other.length - one.length);
  let masked = answer;
  for (const piece of pieces) masked = masked.replaceAll(piece, MASK);
  // The stored part of a long response may end in the middle of a text.
  if (Buffer.byteLength(answer) < RESPONSE_KEPT_BYTES) return masked;
  const begun = Math.max(0, ...pieces.map((piece) => lengthBegun(masked, piece)));
  return begun === 0 ? masked : masked.slice(0, -begun) + MASK;
}

/** The ways in which receivers write a value: as it is, and as JSON, with and without non-ASCII characters. */
function wordings(value: unknown): string[] {
  if (typeof value === 'object' && value !== null)
    return [...Object.keys(value), ...Object.values(value)].flatMap(wordings);
  const text = String(value);
  const quoted = JSON.stringify(text);
  const forms = [quoted, inAscii(quoted)];
  return text.length < ANYWHERE_FROM ? forms : [text, ...forms.map((form) => form.slice(1, -1))];
}

function inAscii(json: string): string {
  return json.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** How many characters at the end of a text are the beginning of a piece. */
function lengthBegun(text: string, piece: string): number {
  for (let length = Math.min(piece.length - 1, text.length); length > 0; length--)
    if (text.endsWith(piece.slice(0, length))) return length;
  return 0;
}
