import { expect, test } from 'vitest';
import { AddressFailures } from '../../../src/http/authentication/address-failures.ts';

test('an address is blocked after a number of failures, for the rest of its minute', () => {
  const clock = { now: 0 };
  const failures = new AddressFailures({ limit: 3, now: () => clock.now });
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(failures.blockedForSeconds('203.0.113.7')).toBe(0);
    failures.count('203.0.113.7');
  }
  clock.now += 20_000;
  expect(failures.blockedForSeconds('203.0.113.7')).toBe(40);
  expect(failures.blockedForSeconds('203.0.113.8')).toBe(0);
  clock.now += 40_000;
  expect(failures.blockedForSeconds('203.0.113.7')).toBe(0);
  failures.count('203.0.113.7');
  expect(failures.blockedForSeconds('203.0.113.7')).toBe(0);
});

test.each`
  failing              | asking                    | closed
  ${'203.0.113.7'}     | ${'::ffff:203.0.113.7'}   | ${true}
  ${'2001:db8:1:2::5'} | ${'2001:db8:1:2:ffff::9'} | ${true}
  ${'2001:db8:1:2::5'} | ${'2001:db8:1:3::5'}      | ${false}
`('failures of $failing block $asking: $closed', ({ failing, asking, closed }) => {
  const failures = new AddressFailures({ limit: 1 });
  failures.count(failing);
  expect(failures.blockedForSeconds(asking) > 0).toBe(closed);
});

test('beyond its room the oldest address is forgotten, and no other', () => {
  const clock = { now: 0 };
  const failures = new AddressFailures({ limit: 1, now: () => clock.now });
  const nth = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  for (let index = 0; index < 10_000; index++) {
    clock.now += 1;
    failures.count(nth(index));
  }
  failures.count(nth(10_000));
  const blocked = (index: number) => failures.blockedForSeconds(nth(index)) > 0;
  expect([0, 1, 2, 9_999, 10_000].map(blocked)).toEqual([false, true, true, true, true]);
  // A window that begins again is the newest.
  clock.now = 60_000 + 5;
  failures.count(nth(3));
  failures.count(nth(10_001));
  expect([3, 4, 5, 9_999, 10_001].map(blocked)).toEqual([true, false, true, true, true]);
});

test('what is no address is never blocked', () => {
  const failures = new AddressFailures({ limit: 1 });
  for (const nobody of ['', 'unknown']) failures.count(nobody);
  expect([failures.blockedForSeconds(''), failures.blockedForSeconds('unknown')]).toEqual([0, 0]);
});
