import { expect, test } from 'vitest';
import { parseHttpDate } from '../../../src/values/http-date.ts';

const NOW = Date.UTC(2026, 2, 1, 12);

test.each`
  text                                | instant
  ${'Sun, 06 Nov 1994 08:49:37 GMT'}  | ${'1994-11-06T08:49:37.000Z'}
  ${'Sunday, 06-Nov-94 08:49:37 GMT'} | ${'1994-11-06T08:49:37.000Z'}
  ${'Sun Nov  6 08:49:37 1994'}       | ${'1994-11-06T08:49:37.000Z'}
  ${'Sun Nov 16 08:49:37 1994'}       | ${'1994-11-16T08:49:37.000Z'}
  ${'Monday, 02-Mar-26 08:49:37 GMT'} | ${'2026-03-02T08:49:37.000Z'}
  ${'Monday, 02-Mar-76 08:49:37 GMT'} | ${'2076-03-02T08:49:37.000Z'}
  ${'Monday, 02-Mar-77 08:49:37 GMT'} | ${'1977-03-02T08:49:37.000Z'}
  ${'Sat, 31 Dec 2016 23:59:60 GMT'}  | ${'2017-01-01T00:00:00.000Z'}
  ${'Sat, 01 Jan 0050 00:00:00 GMT'}  | ${'0050-01-01T00:00:00.000Z'}
  ${'Sun, 30 Feb 2026 08:49:37 GMT'}  | ${null}
  ${'Sun, 06 Nov 1994 24:00:00 GMT'}  | ${null}
  ${'Sun, 06 Nov 1994 08:60:00 GMT'}  | ${null}
  ${'Sun, 06 Nov 1994 08:49:37'}      | ${null}
  ${'Sun, 06 Nov 1994 08:49:37 CET'}  | ${null}
  ${'Sun, 6 Nov 1994 08:49:37 GMT'}   | ${null}
  ${'1994-11-06T08:49:37Z'}           | ${null}
  ${'soon 1'}                         | ${null}
  ${'March 7'}                        | ${null}
  ${''}                               | ${null}
`('$text is read as $instant', ({ text, instant }) => {
  const read = parseHttpDate(text, NOW);
  expect(read === undefined ? null : new Date(read).toISOString()).toBe(instant);
});
