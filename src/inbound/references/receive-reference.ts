/**
 * References of accounts: ISO 11649 creditor references, by which a payer names the account that a transfer is for. Each has RF, two check digits and
 * sixteen characters, so that one is found in a text without blanks. Pure.
 */
import { takeRandom } from '../../values/random.ts';

/** Digits and capitals without I, L, O and U, which are read as others: 80 bits in sixteen. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BODY_LENGTH = 16;

export function newReference(): string {
  const body = Array.from(takeRandom(BODY_LENGTH), (byte) => ALPHABET[byte & 31]).join('');
  return withCheckDigits(body);
}

/** The check digits make the whole, turned by four, 1 modulo 97 (ISO 7064, MOD 97-10). */
export function withCheckDigits(body: string): string {
  const digits = 98n - (numberOf(`${body}RF00`) % 97n);
  return `RF${String(digits).padStart(2, '0')}${body}`;
}

function hasCheckDigits(reference: string): boolean {
  return numberOf(`${reference.slice(4)}${reference.slice(0, 4)}`) % 97n === 1n;
}

/** Letters are 10 to 35. */
function numberOf(text: string): bigint {
  return BigInt([...text].map((character) => Number.parseInt(character, 36)).join(''));
}

/** More in one text than any payer writes: a text may be anything. */
const CANDIDATES_MAX = 20;
const BLANKS = /[\s\p{Cf}]/gu;
const AT_ANY_PLACE = new RegExp(`(?=(RF\\d{2}[0-9A-Z]{${BODY_LENGTH}}))`, 'g');

/** What may be a reference in the texts of a remittance, whatever its case and blanks. Each once. */
export function referencesIn(texts: readonly string[]): string[] {
  // A bank may break one over two lines.
  const whole = texts.join('').replace(BLANKS, '').toUpperCase();
  const found = new Set<string>();
  for (const [, candidate] of whole.matchAll(AT_ANY_PLACE)) {
    if (hasCheckDigits(candidate!)) found.add(candidate!);
    if (found.size >= CANDIDATES_MAX) break;
  }
  return [...found];
}
