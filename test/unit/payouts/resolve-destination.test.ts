/** What is answered where several rails are asked: each answer is one that a rail may give. */
import { expect, test } from 'vitest';
import { cliqRequest } from '../../../src/payouts/destinations/api/cliq.ts';
import { openResolution, PINNED_RAILS_MAX } from '../../../src/payouts/destinations/resolution-token.ts';
import { resolveDestination } from '../../../src/payouts/destinations/resolve-destination.ts';
import type { Found } from '../../../src/rails/rail.ts';
import type { Rails } from '../../../src/rails/rails.ts';
import { NO_RAIL_SETTINGS } from '../../../src/rails/settings/rail-settings.ts';
import { newId } from '../../../src/values/ids.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';

const NOW = Date.UTC(2027, 0, 11, 9);
const ALIAS = { type: 'cliq', alias: 'SHOP1' } as const;
const bookId = newId();

function resolve(answers: Readonly<Record<string, Partial<Found>>>) {
  const none = { nameMasked: null, providers: [], account: null, verification: null };
  const all = Object.entries(answers).map(([name, answer]) => ({
    name,
    resolve: async () => ({ status: 'found', ...none, ...answer }),
  }));
  const routes = Object.keys(answers).map((rail) => ({ destination: 'cliq', rail }));
  const runtime = {
    ...{ clock: { now: () => NOW }, secretBox: TEST_SECRET_BOX },
    rails: { all: () => all, carrying: () => undefined } as unknown as Rails,
    railSettings: { ...NO_RAIL_SETTINGS, routes: new Map([['test', routes]]) } as never,
  };
  return resolveDestination(runtime, { bookId, mode: 'test', destination: ALIAS });
}

const opened = (token: string) =>
  openResolution(TEST_SECRET_BOX, token, {
    ...{ bookId, now: NOW },
    destination: { ...ALIAS, provider: null },
  });

test('where one rail finds several providers, there is no resolution though another has an account', async () => {
  const found = await resolve({ first: { account: 'A1' }, second: { providers: ['BANKA', 'BANKB'] } });
  expect(found).toMatchObject({ providers: ['BANKA', 'BANKB'], resolution: null, expiresAt: null });
});

test('a rail that names a provider or none takes nothing from the account of another', async () => {
  const { resolution } = await resolve({ first: { providers: ['BANKA'] }, second: { account: 'A1' } });
  expect(opened(resolution!)!.accounts).toEqual([{ rail: 'second', account: 'A1' }]);
});

test('the longest resolution that is answered is taken, and its rails are those that were asked first', async () => {
  const names = Array.from({ length: PINNED_RAILS_MAX + 1 }, (_, place) => `r${place}`.padEnd(32, '_'));
  // JSON writes each of these as two characters.
  const account = '\\'.repeat(255);
  const { resolution } = await resolve(Object.fromEntries(names.map((name) => [name, { account }])));
  expect(cliqRequest.safeParse({ ...ALIAS, resolution })).toMatchObject({ success: true });
  expect(opened(resolution!)!.accounts).toEqual(names.slice(0, PINNED_RAILS_MAX).map((rail) => ({ rail, account })));
});
