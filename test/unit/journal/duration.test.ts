import { expect, test } from 'vitest';
import { laterBy, parseDuration } from '../../../src/journal/duration.ts';

test.each`
  from                          | by              | to
  ${'2026-11-23T06:00:00.000Z'} | ${'P2D'}        | ${'2026-11-25T06:00:00.000Z'}
  ${'2026-11-23T06:00:00.000Z'} | ${'P1W'}        | ${'2026-11-30T06:00:00.000Z'}
  ${'2026-11-23T06:00:00.000Z'} | ${'PT36H'}      | ${'2026-11-24T18:00:00.000Z'}
  ${'2026-11-23T06:00:00.000Z'} | ${'PT1M1S'}     | ${'2026-11-23T06:01:01.000Z'}
  ${'2026-11-23T06:00:00.000Z'} | ${'P1Y2M3DT4H'} | ${'2028-01-26T10:00:00.000Z'}
  ${'2027-01-31T00:00:00.000Z'} | ${'P1M'}        | ${'2027-02-28T00:00:00.000Z'}
  ${'2028-02-29T00:00:00.000Z'} | ${'P1Y'}        | ${'2029-02-28T00:00:00.000Z'}
  ${'2026-11-23T06:00:00.000Z'} | ${'PT0S'}       | ${'2026-11-23T06:00:00.000Z'}
`('$by after $from is $to', ({ from, by, to }) => {
  expect(new Date(laterBy(Date.parse(from), parseDuration(by)!)).toISOString()).toBe(to);
});

test.each(['', 'P', 'PT', 'P1DT', '1D', 'P-1D', 'P1.5D', 'P1D1W', 'PT1D', 'P1S', 'p1d', 'P1D ', 'P1234567890D'])(
  '%j is no duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
