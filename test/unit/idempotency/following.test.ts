import { expect, test } from 'vitest';
import { FOLLOWING_MAX, Following } from '../../../src/idempotency/following.ts';
import { gate } from '../../support/gate.ts';

const failures: unknown[] = [];
const following = () => new Following((error) => failures.push(error));

test('a stopping process waits for what is under way, also for what begins meanwhile', async () => {
  const parts = following();
  const [one, two] = [gate(), gate()];
  void parts.run(() => one.promise);
  let left: number | undefined;
  const finishing = parts.finish(10_000).then((number) => {
    left = number;
  });
  void parts.run(() => two.promise);
  one.open();
  await one.promise;
  expect(left).toBeUndefined();
  two.open();
  await finishing;
  expect(left).toBe(0);
});

test('and no longer than its limit: it learns how many are left', async () => {
  const parts = following();
  for (let count = 0; count < 3; count++) void parts.run(() => new Promise(() => undefined));
  expect(await parts.finish(20)).toBe(3);
  expect(await parts.finish(-1)).toBe(3);
});

test('what fails is told, and rejects nobody', async () => {
  const parts = following();
  await parts.run(() => Promise.reject(new Error('away')));
  expect(failures).toEqual([new Error('away')]);
  expect(await parts.finish(0)).toBe(0);
});

test('beyond the limit it is left to the workers', async () => {
  const parts = following();
  const busy = gate();
  let begun = 0;
  const follow = () => {
    begun++;
    return busy.promise;
  };
  for (let count = 0; count < FOLLOWING_MAX; count++) void parts.run(follow);
  await parts.run(follow);
  expect(begun).toBe(FOLLOWING_MAX);
  busy.open();
  await parts.finish(1_000);
  await parts.run(follow);
  expect(begun).toBe(FOLLOWING_MAX + 1);
});
