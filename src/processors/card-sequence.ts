/**
 * The numbers and security codes of the sandbox's cards. A number is a keyed permutation of a counter, so that none
 * comes twice and none can be guessed from another: a balanced Feistel network over 30 bits, ten rounds of HMAC-SHA256
 * (NIST SP 800-38G has as many in FF1), and cycle walking to stay below 10^9 (Black and Rogaway, "Ciphers with
 * Arbitrary Finite Domains", 2002).
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { TEST_CARDS } from '../acquirers/test-cards.ts';
import { luhnDigit } from '../values/luhn.ts';

/** Of the published test numbers, and of no bank: so nothing that the sandbox makes is anybody's card. */
export const SANDBOX_BIN = '400000';

/** Between the BIN and the check digit. */
const COUNTED_DIGITS = 9;
/** Counters are below. */
export const NUMBERS = 10 ** COUNTED_DIGITS;

/** 2^30 is the least power of four above 10^9: one value in fifteen is walked over. */
const HALF_BITS = 15;
const HALF = (1 << HALF_BITS) - 1;
const ROUNDS = 10;

export interface CardKeys {
  readonly numbers: Buffer;
  readonly codes: Buffer;
}

/** The keys of one secret of 32 bytes. Another secret would give the same numbers again, in another order. */
export function cardKeys(secret: Buffer): CardKeys {
  const keyFor = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  return { numbers: keyFor('sandbox card numbers'), codes: keyFor('sandbox security codes') };
}

/** The number of 16 digits that belongs to a counter from 0 on; undefined for a published one, which is nobody's. */
export function cardNumber(counter: number, { numbers }: Pick<CardKeys, 'numbers'>): string | undefined {
  const counted = String(permuted(counter, numbers)).padStart(COUNTED_DIGITS, '0');
  const digits = `${SANDBOX_BIN}${counted}`;
  const number = `${digits}${luhnDigit(digits)}`;
  // Skipped, not walked over: a walk on from it leads to the number of another counter.
  return TEST_CARDS.has(number) ? undefined : number;
}

/** A permutation of the whole numbers below NUMBERS. */
export function permuted(counter: number, key: Buffer): number {
  if (!Number.isInteger(counter) || counter < 0 || counter >= NUMBERS)
    throw new RangeError(`The sandbox has numbers for counters below ${NUMBERS}`);
  let value = counter;
  do value = throughRounds(value, key);
  while (value >= NUMBERS);
  return value;
}

function throughRounds(value: number, key: Buffer): number {
  let left = value >>> HALF_BITS;
  let right = value & HALF;
  for (let round = 0; round < ROUNDS; round++) [left, right] = [right, left ^ roundOf(key, round, right)];
  return (left << HALF_BITS) | right;
}

function roundOf(key: Buffer, round: number, half: number): number {
  const text = Buffer.of(round, half >>> 8, half & 0xff);
  return createHmac('sha256', key).update(text).digest().readUInt16BE(0) & HALF;
}

export interface CodedCard {
  readonly cardReference: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** 0, or more where an earlier attempt gave the code of the card before it. */
  readonly codeAttempt: number;
}

/** The three digits of a card with this expiry. They are computed whenever they are shown, and stored nowhere. */
export function securityCode(card: CodedCard, { codes }: Pick<CardKeys, 'codes'>): string {
  const { cardReference, expMonth, expYear, codeAttempt } = card;
  const digest = createHmac('sha256', codes)
    .update(JSON.stringify([cardReference, expMonth, expYear, codeAttempt]))
    .digest();
  return String(digest.readUInt32BE(0) % 1_000).padStart(3, '0');
}

/** The first attempt that gives the card another code than the one before it has. */
export function codeAttemptAfter(before: CodedCard, card: Omit<CodedCard, 'codeAttempt'>, keys: CardKeys): number {
  const former = securityCode(before, keys);
  let codeAttempt = 0;
  while (securityCode({ ...card, codeAttempt }, keys) === former) codeAttempt++;
  return codeAttempt;
}

/** As most issuers: three years. */
const VALID_MONTHS = 36;

export interface Expiry {
  readonly expMonth: number;
  readonly expYear: number;
}

/** The expiry of a card ordered now: later than that of the card whose number it keeps. */
export function expiryOf(orderedAt: number, before?: Expiry): Expiry {
  const ordered = new Date(orderedAt);
  const months = ordered.getUTCFullYear() * 12 + ordered.getUTCMonth() + VALID_MONTHS;
  const least = before ? before.expYear * 12 + before.expMonth : 0;
  // Both count months from 0: `expMonth` counts from 1, so `least` is the month after the one before.
  const month = Math.max(months, least);
  return { expMonth: (month % 12) + 1, expYear: Math.floor(month / 12) };
}
