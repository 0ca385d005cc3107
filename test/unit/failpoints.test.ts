import { expect, test } from 'vitest';
import { FAILPOINTS, failpoint, readFailpoints } from '../../src/failpoints.ts';

test('nothing is armed in a process that was not told so', () => {
  for (const point of FAILPOINTS) expect(() => failpoint(point)).not.toThrow();
});

test('several points are armed at once, each for its first hit or for the one that is named', () => {
  expect([...readFailpoints('rail.submit.before=stop, rail.submit.after=kill@3')]).toEqual([
    ['rail.submit.before', { signal: 'SIGSTOP', left: 1 }],
    ['rail.submit.after', { signal: 'SIGKILL', left: 3 }],
  ]);
});

test('every point there is can be armed', () => {
  expect([...readFailpoints(FAILPOINTS.map((point) => `${point}=kill`).join(',')).keys()]).toEqual([...FAILPOINTS]);
});

test.each([
  'rail.submit.before',
  'rail.submit=kill',
  'rail.submit.before=pause',
  'rail.submit.before=kill@0',
  'rail.submit.before=kill@x',
])('%s is refused: a trap that is not set proves nothing', (text) => {
  expect(() => readFailpoints(text)).toThrow(`COUNTINGHOUSE_FAILPOINTS: ${text} is not`);
});
