import { describe, expect, test } from 'vitest';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { maskAlias } from '../../../src/outside/masks/mask-alias.ts';
import { destinationPlace, ofPayout } from '../../../src/payouts/destinations/destination.ts';
import {
  destinationView,
  instructedDestination,
  payeeOf,
  sealDestination,
} from '../../../src/payouts/destinations/destinations.ts';
import { newId } from '../../../src/values/ids.ts';

const of = ofPayout(newId(), newId());
const box = createSecretBox(Buffer.alloc(32, 7).toString('base64'));

describe('an alias', () => {
  const stored = sealDestination(box, { type: 'cliq', alias: 'SALARY', provider: 'BANK' }, of);

  test('is sealed for its payout, masked, and shown masked alone', () => {
    expect(stored).toEqual({
      type: 'cliq',
      sealed: expect.any(Buffer),
      masked: 'S***RY',
      provider: 'BANK',
      details: null,
      accountSealed: null,
    });
    expect(box.open((stored as { sealed: Buffer }).sealed, destinationPlace(of))).toBe('SALARY');
    expect(destinationView(stored)).toEqual({ type: 'cliq', alias_masked: 'S***RY', provider: 'BANK' });
  });

  test('is told to the rail in clear, and is whom the rail confirms', () => {
    expect(instructedDestination(box, stored, of)).toEqual({ type: 'cliq', alias: 'SALARY', provider: 'BANK' });
    expect(payeeOf(box, stored, of)).toBe('SALARY');
  });

  test('opens for no other payout', () => {
    expect(() => instructedDestination(box, stored, { ...of, rowId: newId() })).toThrow();
  });
});

test('an account of the book is kept as it is, and no rail is told of it', () => {
  const account = newId();
  const stored = sealDestination(box, { type: 'account', account }, of);
  expect(stored).toEqual({ type: 'account', accountId: account });
  expect(destinationView(stored)).toEqual({ type: 'account', account: expect.stringMatching(/^acct_/) });
  expect(() => instructedDestination(box, stored, of)).toThrow('is carried by no rail');
});

test.each`
  alias              | masked
  ${'SALARY'}        | ${'S***RY'}
  ${'+962791234567'} | ${'+**********67'}
  ${'ABCD'}          | ${'A*CD'}
  ${'ABC'}           | ${'A**'}
  ${'A'}             | ${'A'}
  ${''}              | ${''}
  ${'😀😀😀😀😀'}    | ${'😀**😀😀'}
`('$alias is shown as $masked', ({ alias, masked }) => {
  expect(maskAlias(alias)).toBe(masked);
});
