/** Lines of text in the order in which they are drawn. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asLine, REPLACEMENT, runsOf } from '../../../src/pdf/text-runs.ts';

/** A font of Latin and one of Arabic, as the embedded ones divide them. */
const faceOf = (codePoint: number) => {
  if (codePoint === 0xfffd || (codePoint >= 0x20 && codePoint < 0x250)) return 'latin';
  return codePoint >= 0x600 && codePoint < 0x700 ? 'arabic' : undefined;
};
const drawn = (text: string) => runsOf(asLine(text), faceOf).runs.map((run) => run.text);

test.each([
  ['Latin alone', 'Rent 2026', ['Rent 2026'], false],
  ['Arabic alone', 'مرحبا', ['مرحبا'], true],
  ['Arabic of two words, the second one to the left', 'مكتب عمان', ['عمان', ' ', 'مكتب'], true],
  ['Latin and digits in Arabic', 'رقم 12 INV', ['INV', ' ', '12', ' ', 'رقم'], true],
  ['Arabic in Latin', 'for مارس 26', ['for ', '26', ' ', 'مارس'], false],
  ['brackets, mirrored', 'أ (ب)', ['(', 'ب', ') ', 'أ'], true],
  // Shaping turns them once more.
  ['digits of Arabic, from left to right', 'في ١٢٣', ['٣٢١', ' ', 'في'], true],
  ['what no font has', 'a漢🙂', [`a${REPLACEMENT}${REPLACEMENT}`], false],
  ['marks of direction', 'a\u200Fb\u202Ecd', ['ab', 'cd'], false],
])('%s', (_, text, runs, isRightToLeft) => {
  const line = runsOf(asLine(text), faceOf);
  expect(
    line.runs
      .map((run) => run.text)
      .join('|')
      .replaceAll('|', ''),
  ).toBe(runs.join(''));
  expect(line.isRightToLeft).toBe(isRightToLeft);
});

test('a text is one line, whatever ends lines in it', () => {
  expect(asLine('a\r\nb\tc\u2028d\u0000\uD800')).toBe(`a b c d ${REPLACEMENT}`);
  expect(asLine('e\u0301')).toBe('é');
});

test('no character is lost or made up, and each is of a font that has it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const line = asLine(text);
      const { runs } = runsOf(line, faceOf);
      const shown = runs.flatMap((run) => [...run.text]);
      for (const run of runs) for (const one of run.text) expect(faceOf(one.codePointAt(0)!)).toBe(run.face);
      expect(shown.length).toBeLessThanOrEqual([...line].length);
      const visible = [...line].filter((one) => !/\p{Default_Ignorable_Code_Point}|\p{Cf}/u.test(one));
      expect(shown.length).toBeGreaterThanOrEqual(visible.length);
    }),
  );
});

test('drawn runs', () => {
  expect(drawn('for مارس 26')).toEqual(['for ', '26', ' ', 'مارس']);
});
