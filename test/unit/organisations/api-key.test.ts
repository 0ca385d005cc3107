import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allowsScope,
  generateApiKey,
  hashApiKey,
  isAddressAllowed,
  isDeciding,
  type KeyScopes,
  looksLikeApiKey,
  MAKES_KEYS,
  parseAllowedIps,
  parseScopes,
  SCOPES,
  standingOf,
} from '../../../src/organisations/api-key.ts';
import { faultOfScopes } from '../../../src/organisations/key-rights.ts';

/** What `*` does not include in live mode. */
const BY_NAME = [
  'payouts:approve',
  'payouts:policy',
  'payments:schedule',
  'cards:details',
  'cards:program',
  'transactions:process',
  'reconciliations:approve',
  'journal:close',
];

describe('a generated key', () => {
  test.each(['test', 'live'] as const)('names its mode: %s', (mode) => {
    expect(generateApiKey(mode)).toMatch(new RegExp(`^sk_${mode}_[0-9A-Za-z]{32}$`));
  });

  test('has at least 160 bits of entropy', () => {
    const secret = generateApiKey('test').slice('sk_test_'.length);
    expect(secret.length * Math.log2(62)).toBeGreaterThanOrEqual(160);
  });

  test('is unique, and uses every character', () => {
    const keys = Array.from({ length: 2_000 }, () => generateApiKey('test'));
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(keys.flatMap((key) => [...key.slice(8)])).size).toBe(62);
  });

  test('is stored as a SHA-256', () => {
    expect(hashApiKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

test.each`
  text                                            | looks
  ${'sk_test_0123456789abcdefghijABCDEFGHIJ01'}   | ${true}
  ${'sk_live_0123456789abcdefghijABCDEFGHIJ01'}   | ${true}
  ${'sk_prod_0123456789abcdefghijABCDEFGHIJ01'}   | ${false}
  ${'sk_test_0123456789abcdefghijABCDEFGHIJ0'}    | ${false}
  ${'sk_test_0123456789abcdefghijABCDEFGHIJ012'}  | ${false}
  ${'sk_test_0123456789abcdefghijABCDEFGHIJ0-'}   | ${false}
  ${'sk_test_0123456789abcdefghijABCDEFGHIJ01\n'} | ${false}
  ${''}                                           | ${false}
`('$text looks like a key: $looks', ({ text, looks }) => {
  expect(looksLikeApiKey(text)).toBe(looks);
});

describe('scopes', () => {
  test.each`
    given                                   | scopes
    ${['payouts:write']}                    | ${['payouts:write']}
    ${[' payouts:write', 'payouts:write']}  | ${['payouts:write']}
    ${['*']}                                | ${['*']}
    ${['accounts:read', '', 'events:read']} | ${['accounts:read', 'events:read']}
  `('$given are $scopes', ({ given, scopes }) => {
    expect(parseScopes(given)).toEqual(scopes);
  });

  test.each`
    given                             | words
    ${['payouts:writ']}               | ${/no scope payouts:writ\. Scopes are: accounts:read/}
    ${['payouts:write', 'cards:all']} | ${/no scope cards:all/}
    ${[]}                             | ${/at least one scope/}
    ${['']}                           | ${/at least one scope/}
  `('$given are refused', ({ given, words }) => {
    expect(() => parseScopes(given)).toThrow(words);
  });

  test.each(['test', 'live'] as const)(
    'each allows only itself, and in %s mode * allows what it stands for',
    (mode) => {
      for (const scope of SCOPES) {
        expect(SCOPES.filter((other) => allowsScope({ scopes: [scope], mode }, other))).toEqual([scope]);
        expect(allowsScope({ scopes: ['*'], mode }, scope)).toBe(
          scope !== MAKES_KEYS && (mode === 'test' || !BY_NAME.includes(scope)),
        );
        expect(allowsScope({ scopes: ['*', scope], mode }, scope)).toBe(true);
      }
    },
  );

  test('of a key that makes keys, or was made by one, * decides nothing', () => {
    const lacks = (key: KeyScopes) => SCOPES.filter((scope) => !allowsScope(key, scope));
    const deciding = SCOPES.filter(isDeciding);
    expect(deciding).toContain('payouts:approve');
    expect(lacks({ scopes: ['*', MAKES_KEYS], mode: 'test' })).toEqual(deciding);
    expect(lacks({ scopes: ['*'], mode: 'test', madeOverApi: true })).toEqual([...deciding, MAKES_KEYS]);
  });

  test('that decide are given to no key that makes keys, by the operator neither', () => {
    expect(faultOfScopes({ scopes: [MAKES_KEYS, 'payouts:approve'], mode: 'test' }, 'operator')?.detail).toBe(
      'No key has api_keys:write beside payouts:approve.',
    );
    expect(faultOfScopes({ scopes: ['*', MAKES_KEYS], mode: 'live' }, 'operator')).toBeUndefined();
  });
});

describe('addresses', () => {
  test.each`
    given                    | kept
    ${'203.0.113.7'}         | ${'203.0.113.7/32'}
    ${' 203.0.113.0/24 '}    | ${'203.0.113.0/24'}
    ${'2001:db8::1'}         | ${'2001:db8::1/128'}
    ${'2001:DB8::/32'}       | ${'2001:db8::/32'}
    ${'::ffff:203.0.113.7'}  | ${'203.0.113.7/32'}
    ${'::ffff:10.0.0.0/104'} | ${'10.0.0.0/8'}
    ${'0.0.0.0/0'}           | ${'0.0.0.0/0'}
  `('$given is stored as $kept', ({ given, kept }) => {
    expect(parseAllowedIps([given])).toEqual([kept]);
  });

  test.each([
    '10.1',
    '10.1/8',
    '203.0.113.0/33',
    '203.0.113.256',
    '0x7f000001',
    'example.com',
    '2001:db8::/129',
    '1.2.3.4/',
  ])('%s is refused', (given) => {
    expect(() => parseAllowedIps([given])).toThrow(/neither an IP address nor a network/);
  });

  test.each`
    ip                      | list                                   | allowed
    ${'198.51.100.1'}       | ${[]}                                  | ${true}
    ${'203.0.113.7'}        | ${['203.0.113.7']}                     | ${true}
    ${'203.0.113.8'}        | ${['203.0.113.7']}                     | ${false}
    ${'203.0.113.255'}      | ${['203.0.113.0/24']}                  | ${true}
    ${'203.0.114.0'}        | ${['203.0.113.0/24']}                  | ${false}
    ${'::ffff:203.0.113.7'} | ${['203.0.113.0/24']}                  | ${true}
    ${'2001:db8::5'}        | ${['203.0.113.0/24', '2001:db8::/64']} | ${true}
    ${'2001:db8:1::5'}      | ${['2001:db8::/64']}                   | ${false}
    ${'203.0.113.7'}        | ${['::/0']}                            | ${false}
    ${'not an address'}     | ${['0.0.0.0/0']}                       | ${false}
    ${''}                   | ${['0.0.0.0/0', '::/0']}               | ${false}
  `('$ip with list $list: $allowed', ({ ip, list, allowed }) => {
    expect(isAddressAllowed(ip, parseAllowedIps(list))).toBe(allowed);
  });

  test('an address is inside exactly the networks that share its leading bits', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const address = fc.tuple(byte, byte, byte, byte);
    fc.assert(
      fc.property(address, address, fc.integer({ min: 0, max: 32 }), (ip, base, bits) => {
        const number = (parts: number[]) => parts.reduce((sum, part) => sum * 256 + part, 0);
        const shift = 2 ** (32 - bits);
        const inside = Math.floor(number(ip) / shift) === Math.floor(number(base) / shift);
        expect(isAddressAllowed(ip.join('.'), parseAllowedIps([`${base.join('.')}/${bits}`]))).toBe(inside);
      }),
    );
  });
});

test.each`
  revokedAt | expiresAt | standing
  ${null}   | ${null}   | ${'good'}
  ${1_001}  | ${1_001}  | ${'good'}
  ${1_000}  | ${null}   | ${'revoked'}
  ${null}   | ${1_000}  | ${'expired'}
  ${999}    | ${999}    | ${'revoked'}
`(
  'at 1000 a key revoked at $revokedAt that expires at $expiresAt is $standing',
  ({ revokedAt, expiresAt, standing }) => {
    expect(standingOf({ revokedAt, expiresAt }, 1_000)).toBe(standing);
  },
);
