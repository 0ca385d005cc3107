/**
 * Texts in the characters that a bank takes. The EPC's basic Latin set and its conversions (EPC217-08, Best practices for SEPA
 * requirements for an extended character set and conversions): a character without a conversion becomes a full stop. Nothing is ever cut.
 */
import { toUSVString } from 'node:util';

/** The basic Latin set of the EPC's implementation guidelines (EPC132-08, section 1.4). */
const BASIC = /^[A-Za-z0-9/\-?:().,'+ ]$/;

/** German and Nordic letters in the form in which banks write them, and signs with a conversion. */
const CONVERSIONS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  ø: 'o',
  Ø: 'O',
  œ: 'oe',
  Œ: 'OE',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  đ: 'd',
  Đ: 'D',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ŧ: 't',
  Ŧ: 'T',
  '&': '+',
  '"': "'",
  '‘': "'",
  '’': "'",
  '“': "'",
  '”': "'",
  '„': "'",
  '–': '-',
  '—': '-',
  _: '-',
  '~': '-',
  '@': '(at)',
  '[': '(',
  ']': ')',
  '{': '(',
  '}': ')',
  '\\': '/',
  '|': '/',
  ';': ',',
  '€': 'E',
  '\u00a0': ' ',
};

/** Letter by letter, lower case: ELOT 743 for Greek, the law of 2009 for Bulgarian. */
const GREEK = 'α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f χ:ch ψ:ps ω:o';
const BULGARIAN =
  'а:a б:b в:v г:g д:d е:e ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:h ц:ts ч:ch ш:sh щ:sht ъ:a ь:y ю:yu я:ya';
const LETTERS: ReadonlyMap<string, string> = new Map(
  `${GREEK} ${BULGARIAN}`.split(' ').map((pair) => pair.split(':') as [string, string]),
);

export type CharacterSet = 'epc' | 'utf8';

/** What a bank gets for the text. */
export function inCharacters(text: string, set: CharacterSet): string {
  if (set === 'utf8') return withoutControls(text).trim();
  let converted = '';
  for (const character of text.normalize('NFC')) converted += convert(character);
  return converted.replaceAll(/ +/g, ' ').trim();
}

/** Whether a letter or a digit is left. */
export function isLegible(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function convert(character: string): string {
  if (BASIC.test(character)) return character;
  const known = CONVERSIONS[character];
  if (known !== undefined) return known;
  const bare = [...character.normalize('NFD')][0]!;
  if (BASIC.test(bare)) return bare;
  const letter = LETTERS.get(bare.toLowerCase());
  if (letter !== undefined) return bare === bare.toLowerCase() ? letter : letter[0]!.toUpperCase() + letter.slice(1);
  return /\s/u.test(character) ? ' ' : '.';
}

/** XML 1.0 has no place for control characters and lone surrogates, however they are written. */
function withoutControls(text: string): string {
  return toUSVString(text)
    .replaceAll(/[\t\n\r]+/g, ' ')
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF\uFFFD]/gu, '.');
}
