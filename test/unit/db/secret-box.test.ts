import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSecretBox, type SealedPlace, SecretBoxError } from '../../../src/db/secret-box.ts';
import { sealUnbound } from '../../support/unbound-seal.ts';

const newKey = () => randomBytes(32).toString('base64');
const place: SealedPlace = { bookId: 'book-1', table: 'payouts', column: 'destination_sealed', rowId: 'row-1' };

describe('a secret box', () => {
  test.each(['', 'whsec_abc', 'zwölf € 🏦', 'x'.repeat(100_000)])('opens what it sealed', (text) => {
    const box = createSecretBox(newKey());
    expect(box.open(box.seal(text, place), place)).toBe(text);
  });

  test('seals the same text differently each time, and names the key that opens it', () => {
    const key = newKey();
    const box = createSecretBox(key);
    const sealed = box.seal('secret', place);
    expect(sealed.equals(box.seal('secret', place))).toBe(false);
    expect(sealed.includes('secret')).toBe(false);
    expect(sealed[0]).toBe(2);
    expect(sealed.subarray(1, 5)).toEqual(
      createHash('sha256').update(Buffer.from(key, 'base64')).digest().subarray(0, 4),
    );
    expect(sealed).toHaveLength(1 + 4 + 12 + 16 + 'secret'.length);
  });

  test('opens old texts with the old key and seals with the new one', () => {
    const [old, current] = [newKey(), newKey()];
    const sealed = createSecretBox(old).seal('secret', place);
    const rotated = createSecretBox(current, [old]);
    expect(rotated.open(sealed, place)).toBe('secret');
    expect(createSecretBox(current).open(rotated.seal('again', place), place)).toBe('again');
    expect(() => createSecretBox(current).open(sealed, place)).toThrow(/No encryption key with id [0-9a-f]{8}/);
    expect([rotated.isCurrent(sealed), rotated.isCurrent(rotated.seal('again', place))]).toEqual([false, true]);
  });

  test('refuses bytes changed anywhere', () => {
    const box = createSecretBox(newKey());
    const sealed = box.seal('secret', place);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => box.open(changed, place), `byte ${at}`).toThrow(SecretBoxError);
      changed[at]! ^= 1 ^ 3;
      expect(() => box.open(changed, place), `byte ${at}`).toThrow(SecretBoxError);
    }
    for (const length of [0, 1, 32]) expect(() => box.open(sealed.subarray(0, length), place)).toThrow(SecretBoxError);
  });

  test.each(['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')])(
    'refuses the key "%s"',
    (key) => {
      expect(() => createSecretBox(key)).toThrow('32 bytes');
    },
  );
});

describe('a value copied to another place', () => {
  const key = newKey();
  const elsewhere: Partial<SealedPlace>[] = [
    { bookId: 'book-2' },
    { bookId: null },
    { table: 'webhook_endpoints' },
    { column: 'secret_sealed' },
    { rowId: 'row-2' },
    // Joined to one text, the parts are the same; as a place they differ.
    { table: 'payoutsdestination', column: '_sealed' },
  ];

  test.each(elsewhere)('to %o does not open', (change) => {
    const box = createSecretBox(key);
    const sealed = box.seal('secret', place);
    expect(() => box.open(sealed, { ...place, ...change })).toThrow(SecretBoxError);
  });

  test.each(elsewhere)('to %o opens in the first form, which knows no place', (change) => {
    expect(createSecretBox(key).open(sealUnbound(key, 'secret'), { ...place, ...change })).toBe('secret');
  });
});

test('a value in the first form opens, and is not current', () => {
  const key = newKey();
  const [box, sealed] = [createSecretBox(key), sealUnbound(key, 'secret')];
  expect(box.open(sealed, place)).toBe('secret');
  expect(box.isCurrent(sealed)).toBe(false);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(() => box.open(changed, place), `byte ${at}`).toThrow(SecretBoxError);
  }
});

describe('a moved value', () => {
  const key = newKey();
  const [from, to] = [place, { ...place, column: 'previous' }];
  const box = createSecretBox(key);

  test.each([box.seal('secret', from), sealUnbound(key, 'secret')])('opens at its new place alone', (sealed) => {
    const moved = box.mover(from, to)(sealed);
    expect(box.open(moved, to)).toBe('secret');
    expect(() => box.open(moved, from)).toThrow(SecretBoxError);
  });

  test('has the same bytes each time, since a decision may be repeated', () => {
    const move = box.mover(from, to);
    const sealed = box.seal('secret', from);
    expect(move(sealed)).toEqual(move(sealed));
  });

  test('stays unchanged when it does not open', () => {
    const stranger = createSecretBox(newKey()).seal('secret', from);
    expect(box.mover(from, to)(stranger)).toBe(stranger);
  });
});
