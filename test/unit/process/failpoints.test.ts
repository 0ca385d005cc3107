import { expect, test } from 'vitest';
import { FAILPOINTS, failpoint, readFailpoints } from '../../../src/process/failpoints.ts';

test('no failpoint is armed by default', () => {
  for (const point of FAILPOINTS) expect(() => failpoint(point)).not.toThrow();
});

test('several failpoints are armed at once, for the first or a given hit', () => {
  expect([...readFailpoints('rail.submit.before=stop, rail.submit.after=kill@3')]).toEqual([
    ['rail.submit.before', { signal: 'SIGSTOP', left: 1 }],
    ['rail.submit.after', { signal: 'SIGKILL', left: 3 }],
  ]);
});

test('every failpoint can be armed', () => {
  expect([...readFailpoints(FAILPOINTS.map((point) => `${point}=kill`).join(',')).keys()]).toEqual([...FAILPOINTS]);
});

test.each([
  'rail.submit.before',
  'rail.submit=kill',
  'rail.submit.before=pause',
  'rail.submit.before=kill@0',
  'rail.submit.before=kill@x',
])('%s is refused, so that no test runs without its failpoint', (text) => {
  expect(() => readFailpoints(text)).toThrow(`COUNTINGHOUSE_FAILPOINTS: ${text} is not`);
});
