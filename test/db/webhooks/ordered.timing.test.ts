/** A rate of an endpoint, by the clock of its receiver (money-scenarios.md, row K4). */
import { expect, test } from 'vitest';
import { arrivalsUnder } from './drained-under-a-rate.ts';
import { setStage } from './stage.ts';

const stage = setStage();

test('K4: of ten a second holds in any second over two processes, and all arrive', async () => {
  // Half a minute by the rate itself.
  const at = await arrivalsUnder(stage, 10);
  const fastest = Math.min(...at.slice(10).map((time, index) => time - at[index]!));
  expect(fastest).toBeGreaterThanOrEqual(1_000);
});
