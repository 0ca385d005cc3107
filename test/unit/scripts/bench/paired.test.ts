import { expect, test } from 'vitest';
import { nodeOptionsOf } from '../../../../scripts/bench/paired/checkout.ts';
import { collectionsIn } from '../../../../scripts/bench/paired/gc-trace.ts';
import { missedRates, type Ratio, ratiosOf } from '../../../../scripts/bench/paired/ratios.ts';
import { takeRounds } from '../../../../scripts/bench/paired/rounds.ts';
import { MEMORY } from '../../../../scripts/harness/build.ts';

test('a ratio is the median of what neighbours measured, not the ratio of the medians', () => {
  // The machine slows down to a third; the new build is a tenth faster in every round but one, which is disturbed.
  const rounds = [
    { new: { per_s: 3_300 }, old: { per_s: 3_000 } },
    { new: { per_s: 2_200 }, old: { per_s: 2_000 } },
    { new: { per_s: 400 }, old: { per_s: 1_600 } },
    { new: { per_s: 1_650 }, old: { per_s: 1_500 } },
    { new: { per_s: 1_100 }, old: { per_s: 1_000 } },
  ];
  expect(ratiosOf(rounds)).toEqual([
    { measure: 'per_s', new: 1_650, old: 1_600, ratio: 1.1, quartile_1: 1.1, quartile_3: 1.1 },
  ]);
});

test('each measure has its own ratio and quartiles', () => {
  const rounds = [0.8, 0.9, 1, 1.1, 1.2].map((ratio) => ({
    new: { per_s: 100 * ratio, api_cpu_us: 50 },
    old: { per_s: 100, api_cpu_us: 100 },
  }));
  expect(ratiosOf(rounds)).toMatchObject([
    { measure: 'per_s', ratio: 1, quartile_1: 0.9, quartile_3: 1.1 },
    { measure: 'api_cpu_us', new: 50, old: 100, ratio: 0.5, quartile_1: 0.5, quartile_3: 0.5 },
  ]);
});

test('an even number of rounds has its median in the middle between two', () => {
  const rounds = [1.2, 0.8, 1, 0.9].map((ratio) => ({ new: { per_s: ratio }, old: { per_s: 1 } }));
  expect(ratiosOf(rounds)).toMatchObject([{ ratio: 0.95, quartile_1: 0.875, quartile_3: 1.05 }]);
});

test.each`
  measure         | ratio         | missed
  ${'per_s'}      | ${0.98}       | ${[]}
  ${'per_s'}      | ${1.2}        | ${[]}
  ${'per_s'}      | ${0.979}      | ${["per_s is 0.979 of the old build's, at least 0.98"]}
  ${'hot_per_s'}  | ${0.5}        | ${["hot_per_s is 0.5 of the old build's, at least 0.98"]}
  ${'hot_per_s'}  | ${Number.NaN} | ${["hot_per_s is NaN of the old build's, at least 0.98"]}
  ${'api_cpu_us'} | ${0.5}        | ${[]}
  ${'p99_ms'}     | ${0.5}        | ${[]}
`('at least 0.98: $measure with a ratio of $ratio', ({ measure, ratio, missed }) => {
  const measured: Ratio = { measure, ratio, new: 1, old: 1, quartile_1: 1, quartile_3: 1 };
  expect(missedRates([measured], 0.98)).toEqual(missed);
});

test('a round runs each slice on both builds, the builds begin in turns, and warm-up rounds do not count', async () => {
  const ran: string[] = [];
  const side = (name: string) => async (slice: string) => {
    ran.push(`${slice} ${name}`);
    return { [`${slice}_per_s`]: ran.length };
  };
  const rounds = await takeRounds(
    { new: side('new'), old: side('old') },
    { slices: ['uniform', 'hot'], warmUpRounds: 1, limit: { rounds: 2 } },
  );
  expect(ran).toEqual([
    ...['uniform old', 'uniform new', 'hot old', 'hot new'],
    ...['uniform old', 'uniform new', 'hot old', 'hot new'],
    ...['uniform new', 'uniform old', 'hot new', 'hot old'],
  ]);
  expect(rounds).toEqual([
    { old: { uniform_per_s: 5, hot_per_s: 7 }, new: { uniform_per_s: 6, hot_per_s: 8 } },
    { new: { uniform_per_s: 9, hot_per_s: 11 }, old: { uniform_per_s: 10, hot_per_s: 12 } },
  ]);
});

test('a process of another commit gets the options of Node of its npm script', () => {
  expect(nodeOptionsOf(`node ${MEMORY.join(' ')} --import tsx src/server.ts`)).toEqual(MEMORY);
  expect(nodeOptionsOf('node --import tsx src/server.ts')).toEqual([]);
});

test('collections are read from the lines of V8 between other lines', () => {
  const log = [
    '{"level":30,"msg":"API listens"}',
    '[7:0x1]  100 ms: Scavenge 30.0 (50.0) -> 20.0 (50.0) MB, 1.5 / 0.0 ms  (average mu = 1.000) allocation failure; ',
    '[7:0x1]  200 ms: Scavenge 36.0 (50.0) -> 20.5 (50.0) MB, 2.5 / 0.0 ms  (average mu = 1.000) task; ',
    '[7:0x1]  300 ms: Mark-Compact 40.0 (60.0) -> 25.0 (50.0) MB, 10.25 / 0.00 ms  (+ 3.0 ms in 5 steps) task; ',
    '[7:0x1]  400 ms: Scavenge (interleaved) 41.0 (60.0) -> 26.0 (50.0) MB, pooled: 1.0 MB, 0.75 / 0.00 ms  task; ',
  ].join('\n');
  expect(collectionsIn(log)).toEqual({ ms: 15, promotedMb: 0.5 });
});
