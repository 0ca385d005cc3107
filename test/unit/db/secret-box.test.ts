import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSecretBox, type SealedPlace, SecretBoxError } from '../../../src/db/secret-box.ts';

const newKey = () => randomBytes(32).toString('base64');
const place: SealedPlace = { bookId: 'book-1', table: 'payouts', column: 'destination_sealed', rowId: 'row-1' };
const EARLIER = { version: 1, forms: { contracted: false } };
const CONTRACTED = { version: 2, forms: { contracted: true } };

describe.each([EARLIER, CONTRACTED])('a secret box of version $version', ({ version, forms }) => {
  const boxOf = (key: string, old: string[] = []) => createSecretBox(key, old, forms);

  test.each(['', 'whsec_abc', 'zwölf € 🏦', 'x'.repeat(100_000)])('opens what it sealed', (text) => {
    const box = boxOf(newKey());
    expect(box.open(box.seal(text, place), place)).toBe(text);
  });

  test('seals the same text differently each time, and names the key that opens it', () => {
    const key = newKey();
    const box = boxOf(key);
    const sealed = box.seal('secret', place);
    expect(sealed.equals(box.seal('secret', place))).toBe(false);
    expect(sealed.includes('secret')).toBe(false);
    expect(sealed[0]).toBe(version);
    expect(sealed.subarray(1, 5)).toEqual(
      createHash('sha256').update(Buffer.from(key, 'base64')).digest().subarray(0, 4),
    );
    expect(sealed).toHaveLength(1 + 4 + 12 + 16 + 'secret'.length);
  });

  test('opens old texts with the old key and seals with the new one', () => {
    const [old, current] = [newKey(), newKey()];
    const sealed = boxOf(old).seal('secret', place);
    const rotated = boxOf(current, [old]);
    expect(rotated.open(sealed, place)).toBe('secret');
    expect(boxOf(current).open(rotated.seal('again', place), place)).toBe('again');
    expect(() => boxOf(current).open(sealed, place)).toThrow(/No encryption key with id [0-9a-f]{8}/);
    expect([rotated.isCurrent(sealed), rotated.isCurrent(rotated.seal('again', place))]).toEqual([false, true]);
  });

  test('refuses bytes changed anywhere', () => {
    const box = boxOf(newKey());
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
      expect(() => boxOf(key)).toThrow('32 bytes');
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
    const box = createSecretBox(key, [], CONTRACTED.forms);
    const sealed = box.seal('secret', place);
    expect(() => box.open(sealed, { ...place, ...change })).toThrow(SecretBoxError);
  });

  test.each(elsewhere)('to %o opens in the form of release 0.1.0, as in that release', (change) => {
    const sealed = createSecretBox(key).seal('secret', place);
    expect(createSecretBox(key, [], CONTRACTED.forms).open(sealed, { ...place, ...change })).toBe('secret');
  });
});

test('both forms open before and after the contract, and a running box follows the contract', () => {
  const key = newKey();
  const forms = { contracted: false };
  const box = createSecretBox(key, [], forms);
  const before = box.seal('before', place);
  forms.contracted = true;
  const after = box.seal('after', place);
  expect([before[0], after[0]]).toEqual([1, 2]);
  for (const reader of [box, createSecretBox(key)])
    expect([reader.open(before, place), reader.open(after, place)]).toEqual(['before', 'after']);
});

describe('a moved value', () => {
  const key = newKey();
  const [from, to] = [place, { ...place, column: 'previous' }];
  const [earlier, contracted] = [createSecretBox(key), createSecretBox(key, [], CONTRACTED.forms)];

  test.each`
    mover         | sealedBy      | version
    ${earlier}    | ${earlier}    | ${1}
    ${contracted} | ${earlier}    | ${2}
    ${earlier}    | ${contracted} | ${2}
    ${contracted} | ${contracted} | ${2}
  `('opens at its new place: version $version', ({ mover, sealedBy, version }) => {
    const moved = mover.mover(from, to)(sealedBy.seal('secret', from));
    expect(moved[0]).toBe(version);
    expect(contracted.open(moved, to)).toBe('secret');
  });

  test('has the same bytes each time, since a decision may be repeated', () => {
    const move = contracted.mover(from, to);
    const sealed = contracted.seal('secret', from);
    expect(move(sealed)).toEqual(move(sealed));
  });

  test('stays unchanged when it does not open', () => {
    const stranger = createSecretBox(newKey(), [], CONTRACTED.forms).seal('secret', from);
    expect(contracted.mover(from, to)(stranger)).toBe(stranger);
  });
});
