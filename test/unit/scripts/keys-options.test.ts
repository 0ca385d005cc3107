/** When a key ends, as `npm run keys` takes it. */
import { expect, test } from 'vitest';
import { parseExpiry } from '../../../scripts/keys-options.ts';

test.each`
  text                         | time
  ${'2027-01-31'}              | ${'2027-01-31T00:00:00.000Z'}
  ${'2027-01-31T09:30Z'}       | ${'2027-01-31T09:30:00.000Z'}
  ${'2027-01-31T09:30+03:00'}  | ${'2027-01-31T06:30:00.000Z'}
  ${'2027-01-31T09:30:05.25Z'} | ${'2027-01-31T09:30:05.250Z'}
`('a key that expires at $text ends at $time', ({ text, time }) => {
  expect(new Date(parseExpiry(text)).toISOString()).toBe(time);
});

test.each(['2027-02-30', '2027-02-30T00:00:00Z', '2027-01-31T09:30', '31.01.2027', 'soon', ''])(
  'no key expires at %s',
  (text) => {
    expect(() => parseExpiry(text)).toThrow('It is a time such as');
  },
);
