/** How long an authorization lasts, and from when on. */
import { describe, expect, test } from 'vitest';
import { defaultProgram } from '../../../src/cards/program/program.ts';
import type { Message } from '../../../src/transactions/message/message.ts';
import { expiryDays, restartsExpiry } from '../../../src/transactions/purchase/expiry-start.ts';
import { advice, authorization, clearing, increment, reversal, type Said } from './messages.ts';

const decided = (said: ReturnType<typeof authorization>, authorized: bigint | null): Said =>
  ({
    ...said,
    decision:
      authorized === null
        ? { isApproved: false, declineCode: 'insufficient_funds' }
        : { isApproved: true, amount: said.amount, authorized, merchant: null },
  }) as Said;

const messages = (...said: Said[]) => said.map((one, index) => ({ ...one, reference: `m${index}` }) as Message);

test('a status check at a pump lasts two days, a real amount there as long as others', () => {
  expect(expiryDays(messages(decided(authorization(100n), 10_000n)), '5542', defaultProgram('UTC'))).toBe(2);
  expect(expiryDays(messages(decided(authorization(100n), 100n)), '5542', defaultProgram('UTC'))).toBe(7);
});

describe('the days run', () => {
  const verified = decided(authorization(0n, { kind: 'account_verification' }), 0n);
  test.each<[string, Said[], Said, boolean]>([
    ['from the first message', [], reversal(300n), true],
    ['from a forced post', [], clearing(300n), true],
    [
      'from the authorization that comes after its reversal',
      [reversal(300n)],
      decided(authorization(800n), 800n),
      true,
    ],
    ['from the authorization that follows a verification', [verified], decided(authorization(800n), 800n), true],
    ['from an advice where nothing was authorized', [clearing(1n)], advice('stand_in', 800n), true],
    ['anew from an increment', [decided(authorization(8n), 8n)], decided(increment(8n), 8n), true],
    [
      'anew from an increment by advice',
      [decided(authorization(8n), 8n)],
      advice('stand_in', 8n, { of: 'increment' }),
      true,
    ],
    ['on after a declined increment', [decided(authorization(8n), 8n)], decided(increment(8n), null), false],
    ['on after a completion', [decided(authorization(8n), 8n)], advice('completion', 8n), false],
    ['on after a second authorization', [decided(authorization(8n), 8n)], decided(authorization(8n), 8n), false],
    ['on after a clearing', [decided(authorization(8n), 8n)], clearing(3n, { isFinal: false }), false],
    ['on after a declined advice', [reversal(1n)], advice('stand_in', 0n, { isApproved: false }), false],
  ])('%s', (_name, before, message, is) => {
    const [last] = messages(message).map((one) => ({ ...one, reference: 'last' }) as Message);
    expect(restartsExpiry(messages(...before), last!)).toBe(is);
  });
});
