import { expect, test } from 'vitest';
import { AddressFailures } from '../../../src/http/address-failures.ts';

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
