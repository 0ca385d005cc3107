/**
 * A line of text as it is drawn: runs from left to right, each of one direction (UAX #9) and one font. Pure; fonts are known by what they
 * have a glyph for.
 */
import { createRequire } from 'node:module';
import { toUSVString } from 'node:util';

/** The Unicode bidirectional algorithm. The package has no types of its own. */
interface Bidi {
  /** The level of each UTF-16 unit: odd from right to left. */
  getEmbeddingLevels(
    text: string,
    direction: 'auto',
  ): { readonly levels: Uint8Array; readonly paragraphs: readonly { readonly level: number }[] };
  getMirroredCharacter(character: string): string | null;
}
const createBidi = createRequire(import.meta.url)('bidi-js') as () => Bidi;
const bidi = createBidi();

/** Stands for a character that no font has. */
export const REPLACEMENT = '\uFFFD';

export interface Run {
  /** In the order of its direction, as a font's shaping takes it. */
  readonly text: string;
  readonly face: string;
  /** Read from right to left: it is shaped whole, and not word by word. */
  readonly isTurned: boolean;
}

export interface Line {
  readonly runs: readonly Run[];
  /** Whether the paragraph is read from right to left. */
  readonly isRightToLeft: boolean;
}

/** The font that has a glyph for a code point. Undefined: no font has. */
export type FaceOf = (codePoint: number) => string | undefined;

/** Marks that direct the algorithm and are never drawn. */
const DIRECTING = /[\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069\uFEFF]/;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;
/** Scripts that shaping lays out from right to left by itself. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFE]/;

/** A text as one line: composed, with no character that ends it, and none that turns the order of all that follows (LRO, RLO). */
export function asLine(text: string): string {
  return toUSVString(text)
    .normalize('NFC')
    .replaceAll(/[\u202D\u202E]/g, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** `text` is one line (asLine). */
export function runsOf(text: string, faceOf: FaceOf): Line {
  // Most texts are dates, amounts and names that need no algorithm.
  if (PLAIN.test(text)) return { runs: facesOf({ text, level: 0 }, faceOf), isRightToLeft: false };
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text, 'auto');
  const runs = inVisualOrder(levelRuns(text, levels)).flatMap((run) => facesOf(run, faceOf));
  return { runs, isRightToLeft: ((paragraphs[0]?.level ?? 0) & 1) === 1 };
}

const PLAIN = /^[ -~]*$/;

interface LevelRun {
  readonly level: number;
  readonly text: string;
}

function levelRuns(text: string, levels: Uint8Array): LevelRun[] {
  const runs: { level: number; text: string }[] = [];
  let at = 0;
  for (const character of text) {
    const level = levels[at]!;
    at += character.length;
    if (DIRECTING.test(character)) continue;
    const shown = (level & 1) === 1 ? (bidi.getMirroredCharacter(character) ?? character) : character;
    const last = runs.at(-1);
    if (last?.level === level) last.text += shown;
    else runs.push({ level, text: shown });
  }
  return runs;
}

/** Rule L2: from the highest level down to the lowest odd one, runs of that level or higher are reversed. */
function inVisualOrder(runs: readonly LevelRun[]): LevelRun[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level >= 1; level--)
    for (let start = 0; start < ordered.length; start++) {
      if (ordered[start]!.level < level) continue;
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end++;
      ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = end;
    }
  return ordered;
}

/** The parts of a run that one font has, in visual order. A mark stays with the letter before it where its font has both. */
function facesOf({ text, level }: LevelRun, faceOf: FaceOf): Run[] {
  const isTurned = (level & 1) === 1;
  const parts: { text: string; face: string; isTurned: boolean }[] = [];
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    const face = faceOf(codePoint);
    if (face === undefined && IGNORABLE.test(character)) continue;
    const shown = face === undefined ? REPLACEMENT : character;
    const used = face ?? faceOf(REPLACEMENT.codePointAt(0)!)!;
    const last = parts.at(-1);
    if (last?.face === used) last.text += shown;
    else parts.push({ text: shown, face: used, isTurned });
  }
  const inOrder = isTurned ? parts.reverse() : parts;
  return inOrder.map((part) => ({ ...part, text: shaped(part.text, isTurned) }));
}

/**
 * Shaping turns what is of a script that is read from right to left, whatever the level: letters rightly, and digits of Arabic wrongly. What it
 * would lay out in the other direction is turned here.
 */
function shaped(part: string, isTurned: boolean): string {
  return RIGHT_TO_LEFT.test(part) === isTurned ? part : [...part].reverse().join('');
}
