import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSecretBox, SecretBoxError } from '../../../src/db/secret-box.ts';

const newKey = () => randomBytes(32).toString('base64');

describe('a secret box', () => {
  test.each(['', 'whsec_abc', 'zwölf € 🏦', 'x'.repeat(100_000)])('opens what it sealed', (text) => {
    const box = createSecretBox(newKey());
    expect(box.open(box.seal(text))).toBe(text);
  });

  test('seals the same text differently every time, and says which key opens it', () => {
    const key = newKey();
    const box = createSecretBox(key);
    const sealed = box.seal('secret');
    expect(sealed.equals(box.seal('secret'))).toBe(false);
    expect(sealed.includes('secret')).toBe(false);
    expect(sealed[0]).toBe(1);
    expect(sealed.subarray(1, 5)).toEqual(
      createHash('sha256').update(Buffer.from(key, 'base64')).digest().subarray(0, 4),
    );
    expect(sealed).toHaveLength(1 + 4 + 12 + 16 + 'secret'.length);
  });

  test('after a key was replaced opens old texts with the old key and seals with the new one', () => {
    const [old, current] = [newKey(), newKey()];
    const sealed = createSecretBox(old).seal('secret');
    const rotated = createSecretBox(current, [old]);
    expect(rotated.open(sealed)).toBe('secret');
    expect(createSecretBox(current).open(rotated.seal('again'))).toBe('again');
    expect(() => createSecretBox(current).open(sealed)).toThrow(/No encryption key with id [0-9a-f]{8}/);
  });

  test('refuses bytes that were changed anywhere', () => {
    const box = createSecretBox(newKey());
    const sealed = box.seal('secret');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => box.open(changed), `byte ${at}`).toThrow(SecretBoxError);
    }
    for (const length of [0, 1, 32]) expect(() => box.open(sealed.subarray(0, length))).toThrow(SecretBoxError);
  });

  test.each(['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')])(
    'takes no key like "%s"',
    (key) => {
      expect(() => createSecretBox(key)).toThrow('32 bytes');
    },
  );
});
