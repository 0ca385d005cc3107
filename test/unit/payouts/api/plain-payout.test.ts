import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleId } from '../../../../src/api/schemas/fields.ts';
import { InexactNumber, type JsonObject } from '../../../../src/json.ts';
import { createPayout } from '../../../../src/payouts/api/payout-schemas.ts';
import { readPlainPayout } from '../../../../src/payouts/api/plain-payout.ts';

const PLAIN = { amount: 5124, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } };

test.each([
  ['no more than it needs', PLAIN],
  ['an account and a reference', { ...PLAIN, account: exampleId('account'), external_id: 'inv-17' }],
  ['texts that are null', { ...PLAIN, description: null, external_id: null }],
  ['a provider', { ...PLAIN, destination: { ...PLAIN.destination, provider: 'Bank' } }],
  ['a provider that is null', { ...PLAIN, destination: { ...PLAIN.destination, provider: null } }],
])('a body with %s is read as the schema reads it', (_, body) => {
  const plain = readPlainPayout(body);
  expect(plain).toBeDefined();
  expect(plain).toEqual(createPayout.parse(body));
});

// Each value is valid for one member and invalid for another.
const value = fc.constantFrom<unknown>(
  ...[1, 0, -1, 0.5, 5124, Number.MAX_SAFE_INTEGER, 2 ** 53, Number.NaN, '5124', new InexactNumber('1e30')],
  ...[
    'JOD',
    'jod',
    'XTS',
    '',
    'x',
    'x'.repeat(50),
    'x'.repeat(51),
    'x'.repeat(255),
    'x'.repeat(501),
    '\u{1f4b6}'.repeat(80),
  ],
  ...[exampleId('account'), exampleId('payout'), 'acct_0', null, undefined, true, [], {}, ['JOD']],
  ...[{ type: 'cliq', alias: 'A' }, { type: 'account', account: exampleId('account') }, { a: 'b' }],
);
const member = fc.constantFrom(
  'amount',
  'currency',
  'destination',
  'account',
  'description',
  'external_id',
  'metadata',
  'x',
);
const inDestination = fc.constantFrom('type', 'alias', 'provider', 'account', 'x');

test('every body that it reads, the schema reads the same', () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(member, value), { maxLength: 3 }),
      fc.array(fc.tuple(inDestination, value), { maxLength: 2 }),
      (members, ofDestination) => {
        const destination = { ...PLAIN.destination, ...Object.fromEntries(ofDestination) };
        const body: JsonObject = { ...PLAIN, destination, ...Object.fromEntries(members) };
        const plain = readPlainPayout(body);
        if (plain === undefined) return;
        read++;
        const result = createPayout.safeParse(body);
        expect(result.error?.issues).toBeUndefined();
        expect(plain).toEqual(result.data);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(read).toBeGreaterThan(500);
});
