import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deriveId, ID_PREFIXES, type IdKind, newId, parsePublicId, publicId } from '../../../src/values/ids.ts';

const KINDS = Object.keys(ID_PREFIXES) as IdKind[];
const kind = fc.constantFrom(...KINDS);
const ZEROS = '00000000-0000-0000-0000-000000000000';
const ONES = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

describe('a public id', () => {
  test.each`
    uuid                                      | text
    ${ZEROS}                                  | ${'po_00000000000000000000000000'}
    ${ONES}                                   | ${'po_7zzzzzzzzzzzzzzzzzzzzzzzzz'}
    ${'00000000-0000-0000-0000-000000000001'} | ${'po_00000000000000000000000001'}
    ${'0110c853-1d09-52d8-d73e-1194e95b5f19'} | ${'po_0123456789abcdefghjkmnpqrs'}
  `('of $uuid is $text', ({ uuid, text }) => {
    expect(publicId('payout', uuid)).toBe(text);
    expect(parsePublicId('payout', text)).toBe(uuid);
  });

  test('converts back to the same UUID', () => {
    fc.assert(
      fc.property(kind, fc.uuid(), (of, uuid) => {
        expect(parsePublicId(of, publicId(of, uuid))).toBe(uuid);
      }),
    );
  });

  test('sorts like its UUID', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(publicId('event', a) < publicId('event', b)).toBe(a < b);
      }),
    );
  });

  const good = publicId('payout', newId());
  test.each`
    text                                      | why
    ${good.slice(0, -1)}                      | ${'too short'}
    ${`${good}0`}                             | ${'too long'}
    ${good.replace('po_', 'por_')}            | ${'of another kind'}
    ${good.slice(3)}                          | ${'without a prefix'}
    ${good.toUpperCase()}                     | ${'in capitals'}
    ${`po_8${'0'.repeat(25)}`}                | ${'more than 128 bits'}
    ${`po_z${'z'.repeat(25)}`}                | ${'far more than 128 bits'}
    ${`po_${'0'.repeat(25)}i`}                | ${'a letter outside the alphabet'}
    ${`po_${'0'.repeat(25)}\u0000`}           | ${'a NUL'}
    ${`po_${'0'.repeat(24)}\u{1f600}`}        | ${'no letter at all'}
    ${'018f4d3e-7b2a-7000-8000-000000000000'} | ${'a plain UUID'}
    ${''}                                     | ${'nothing'}
  `('is not read when $why', ({ text }) => {
    expect(parsePublicId('payout', text)).toBeUndefined();
  });

  test('only the canonical text is read: converting back gives the same text', () => {
    fc.assert(
      fc.property(kind, fc.string({ unit: 'grapheme', maxLength: 40 }), (of, text) => {
        const uuid = parsePublicId(of, `${ID_PREFIXES[of]}_${text}`);
        if (uuid !== undefined) expect(publicId(of, uuid)).toBe(`${ID_PREFIXES[of]}_${text}`);
      }),
    );
  });

  test('every kind has its own prefix; accounts of the chart have that of accounts', () => {
    const { chartAccount, ...others } = ID_PREFIXES;
    expect(chartAccount).toBe(ID_PREFIXES.account);
    expect(new Set(Object.values(others)).size).toBe(KINDS.length - 1);
  });
});

test('new ids are UUIDs of version 7, each greater than the one before', () => {
  const ids = Array.from({ length: 1_000 }, newId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('a derived id', () => {
  test('is the same for the same parts, and is a UUID of version 8', () => {
    const id = deriveId('account', 'book', 'pool', 'EUR');
    expect(deriveId('account', 'book', 'pool', 'EUR')).toBe(id);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('differs for other parts, and for other borders between them', () => {
    const ids = [['ab', 'c'], ['a', 'bc'], ['abc'], ['ab', 'c', '']].map((parts) => deriveId(...parts));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
