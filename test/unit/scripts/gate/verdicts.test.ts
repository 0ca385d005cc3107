import { expect, test } from 'vitest';
import { allAgree, besideOf, type GateRun, readGateLog, tableOf } from '../../../../scripts/gate/verdicts.ts';

const green: GateRun = {
  run: 1,
  beside: 'nothing',
  passed: true,
  seconds: 800,
  verdict: '12 passed, 0 failed',
  failed: [],
};

test('every second run is beside load', () => {
  expect([1, 2, 3, 4].map(besideOf)).toEqual(['nothing', 'load', 'nothing', 'load']);
});

test('the end of a log names what failed, once each', () => {
  const log =
    '== npm test\nFAILED: a.test.ts: one\n  at a.test.ts:1\nFAILED: a.test.ts: one\nFAILED: b\n\n10 passed, 2 failed\n';
  expect(readGateLog(log)).toEqual({ verdict: '10 passed, 2 failed', failed: ['a.test.ts: one', 'b'] });
  expect(readGateLog('killed')).toEqual({ verdict: 'ended without a verdict', failed: [] });
});

test.each`
  what               | runs                                                     | agree
  ${'none'}          | ${[]}                                                    | ${false}
  ${'all green'}     | ${[green, { ...green, run: 2, beside: 'load' }]}         | ${true}
  ${'one red'}       | ${[green, { ...green, passed: false }]}                  | ${false}
  ${'another count'} | ${[green, { ...green, verdict: '11 passed, 0 failed' }]} | ${false}
`('runs that are $what agree: $agree', ({ runs, agree }) => {
  expect(allAgree(runs)).toBe(agree);
});

test('the table has a line a run, and the names that failed below it', () => {
  const red: GateRun = {
    ...green,
    run: 2,
    beside: 'load',
    passed: false,
    verdict: '11 passed, 1 failed',
    failed: ['a: one'],
  };
  expect(tableOf([green, red])).toEqual([
    'run  beside   verdict  seconds  it says',
    '1    nothing  green    800      12 passed, 0 failed',
    '2    load     red      800      11 passed, 1 failed',
    '     a: one',
  ]);
});
