/** The numbers and security codes of the sandbox: none comes twice, and none is anybody's card. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TEST_CARDS } from '../../../src/acquirers/test-cards.ts';
import {
  cardKeys,
  cardNumber,
  codeAttemptAfter,
  expiryOf,
  NUMBERS,
  permuted,
  SANDBOX_BIN,
  securityCode,
} from '../../../src/processors/card-sequence.ts';
import { hasCardNumber, maskCardNumbers, urlHasCardNumber } from '../../../src/values/card-number.ts';
import { isLuhnValid } from '../../../src/values/luhn.ts';
import { counterOf } from '../../support/card-counters.ts';
import { runs } from '../../support/runs.ts';

const keys = cardKeys(Buffer.alloc(32, 7));
const counters = fc.integer({ min: 0, max: NUMBERS - 1 });
const published = [...TEST_CARDS.keys()].filter((number) => number.startsWith(SANDBOX_BIN));

describe('numbers', () => {
  test('of 20,000 counters in a row are 20,000 numbers of 16 digits under the BIN, each with its check digit', () => {
    const numbers = new Set<string>();
    for (let counter = 0; counter < 20_000; counter++) {
      const number = cardNumber(counter, keys)!;
      numbers.add(number);
      if (!/^400000\d{10}$/.test(number) || !isLuhnValid(number)) expect(number).toBe('a number of the BIN');
    }
    expect(numbers.size).toBe(20_000);
  });

  test('are a permutation: two counters never have one number, and none leaves the range', () => {
    fc.assert(
      fc.property(counters, counters, (one, other) => {
        const [first, second] = [permuted(one, keys.numbers), permuted(other, keys.numbers)];
        expect(first).toBeGreaterThanOrEqual(0);
        expect(first).toBeLessThan(NUMBERS);
        expect(first === second).toBe(one === other);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('are refused in every text, however they are written', () => {
    fc.assert(
      fc.property(counters, (counter) => {
        const number = cardNumber(counter, keys);
        if (number === undefined) return;
        const groups = number.match(/\d{4}/g)!;
        const texts = [
          ...[number, groups.join(' '), groups.join('-'), groups.join(' - '), groups.join('\u00a0')],
          ...[
            `Card: ${number}.`,
            `(${number})`,
            JSON.stringify({ card: number }),
            JSON.stringify({ n: Number(number) }),
          ],
          ...[`%B${number}^HADDAD/S^`, `${number}D3412101`, encodeURIComponent(groups.join(' '))],
        ];
        for (const text of texts) {
          expect(hasCardNumber(text), text).toBe(true);
          expect(maskCardNumbers(text)).not.toContain(groups[2]! + groups[3]!);
        }
        expect(urlHasCardNumber(`https://shop.example/?card=${number}`)).toBe(true);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('depend on the key, and counters beside one another tell nothing of their numbers', () => {
    const other = cardKeys(Buffer.alloc(32, 8));
    const first = Array.from({ length: 1_000 }, (_, counter) => permuted(counter, keys.numbers));
    const second = Array.from({ length: 1_000 }, (_, counter) => permuted(counter, other.numbers));
    expect(first.filter((value, at) => value === second[at]).length).toBeLessThan(3);
    // Of a random order about half go up, and the thousand fall into all ten tenths of the range.
    const rises = first.filter((value, at) => at > 0 && value > first[at - 1]!).length;
    expect(rises).toBeGreaterThan(400);
    expect(rises).toBeLessThan(600);
    expect(new Set(first.map((value) => Math.floor((10 * value) / NUMBERS))).size).toBe(10);
  });

  test('that are published belong to no counter', () => {
    expect(published.length).toBeGreaterThan(5);
    for (const number of published) {
      const value = Number(number.slice(SANDBOX_BIN.length, -1));
      const counter = counterOf(value, keys.numbers);
      expect(permuted(counter, keys.numbers)).toBe(value);
      expect(cardNumber(counter, keys)).toBeUndefined();
    }
  });

  test.each([-1, 0.5, NUMBERS, Number.NaN])('there is none of the counter %s', (counter) => {
    expect(() => cardNumber(counter, keys)).toThrow(RangeError);
  });
});

describe('security codes', () => {
  const card = { cardReference: 'SBC1', expMonth: 4, expYear: 2030, codeAttempt: 0 };

  test('are three digits of a card and its expiry', () => {
    expect(securityCode(card, keys)).toMatch(/^\d{3}$/);
    expect(securityCode({ ...card }, keys)).toBe(securityCode(card, keys));
    const codes = Array.from({ length: 500 }, (_, at) => securityCode({ ...card, cardReference: `SBC${at}` }, keys));
    expect(new Set(codes).size).toBeGreaterThan(300);
    const others = [{ expMonth: 5 }, { expYear: 2031 }, { codeAttempt: 1 }].map((change) =>
      securityCode({ ...card, ...change }, keys),
    );
    expect(new Set([securityCode(card, keys), ...others]).size).toBeGreaterThan(2);
  });

  test('of a renewed card always differ from the one before', () => {
    let attempts = 0;
    for (let at = 0; at < 5_000; at++) {
      const after = { cardReference: `SBC-after-${at}`, expMonth: 5, expYear: 2030 };
      const codeAttempt = codeAttemptAfter(card, after, keys);
      attempts += codeAttempt;
      if (securityCode({ ...after, codeAttempt }, keys) === securityCode(card, keys)) expect(at).toBe('another code');
    }
    // About one in a thousand needs another attempt.
    expect(attempts).toBeGreaterThan(0);
  });
});

test.each`
  ordered         | before                             | expiry
  ${'2026-01-15'} | ${undefined}                       | ${[1, 2029]}
  ${'2026-12-31'} | ${undefined}                       | ${[12, 2029]}
  ${'2026-01-15'} | ${{ expMonth: 12, expYear: 2026 }} | ${[1, 2029]}
  ${'2026-01-15'} | ${{ expMonth: 1, expYear: 2029 }}  | ${[2, 2029]}
  ${'2026-12-15'} | ${{ expMonth: 12, expYear: 2029 }} | ${[1, 2030]}
  ${'2026-01-15'} | ${{ expMonth: 11, expYear: 2030 }} | ${[12, 2030]}
`('a card ordered on $ordered behind $before expires in $expiry', ({ ordered, before, expiry }) => {
  const { expMonth, expYear } = expiryOf(Date.parse(ordered), before);
  expect([expMonth, expYear]).toEqual(expiry);
});
