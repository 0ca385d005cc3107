import { afterEach, expect, test, vi } from 'vitest';
import { createUsageCounter, type UsageCounter } from '../../../src/http/limits/rate-limit-counter.ts';
import { leaseOf, RateLimiter, rateLimitHeaders } from '../../../src/http/limits/rate-limiter.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A counter shared by several limiters, as Redis is. Windows of a second on a clock that the test sets. */
function sharedCounter() {
  const windows = new Map<string, { consumed: number; endsAt: number }>();
  const clock = { now: 0 };
  const calls = { count: 0 };
  const counter: UsageCounter = {
    async take(bucket, points) {
      calls.count++;
      const known = windows.get(bucket);
      const window = known && clock.now < known.endsAt ? known : { consumed: 0, endsAt: clock.now + 1000 };
      windows.set(bucket, window);
      window.consumed += points;
      return { consumed: window.consumed, msBeforeNext: window.endsAt - clock.now };
    },
  };
  return { counter, clock, calls, limiter: () => new RateLimiter(counter, () => clock.now) };
}

async function allowedOf(limiter: RateLimiter, requests: number, limit: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: requests }, () => limiter.take('writes:book', limit)));
  return answers.filter(({ allowed }) => allowed).length;
}

test.each([1, 2, 7, 100, 399, 1_000_000])(
  'one process allows exactly %i requests in a window, then refuses',
  async (limit) => {
    const { limiter } = sharedCounter();
    const one = limiter();
    const requests = Math.min(limit, 5_000);
    expect(await allowedOf(one, requests, limit)).toBe(requests);
    if (requests === limit) expect(await allowedOf(one, 50, limit)).toBe(0);
  },
);

test('the next window has the whole limit again', async () => {
  const { limiter, clock } = sharedCounter();
  const one = limiter();
  expect(await allowedOf(one, 150, 100)).toBe(100);
  clock.now += 1000;
  expect(await allowedOf(one, 150, 100)).toBe(100);
});

test('several processes stay within the shared limit, and use it up to one lease each', async () => {
  const { limiter } = sharedCounter();
  const processes = [limiter(), limiter(), limiter()];
  let allowed = 0;
  for (let round = 0; round < 60; round++) {
    for (const one of processes) allowed += await allowedOf(one, 1, 100);
  }
  expect(allowed).toBeLessThanOrEqual(100);
  expect(allowed).toBeGreaterThan(100 - processes.length * leaseOf(100));
});

test('sequential requests call the counter once a lease', async () => {
  const { limiter, calls } = sharedCounter();
  const one = limiter();
  for (let request = 0; request < 100; request++) await one.take('writes:book', 100);
  expect(calls.count).toBe(20);
});

test('a book at its limit does not call the counter again', async () => {
  const { limiter, calls } = sharedCounter();
  const one = limiter();
  await allowedOf(one, 120, 100);
  const before = calls.count;
  expect(await allowedOf(one, 500, 100)).toBe(0);
  expect(calls.count).toBe(before);
});

test('books are counted separately', async () => {
  const { limiter } = sharedCounter();
  const one = limiter();
  await allowedOf(one, 120, 100);
  expect((await one.take('writes:another', 100)).allowed).toBe(true);
});

test('headers give the policy, the rest and the seconds to the next window', async () => {
  const { limiter, clock } = sharedCounter();
  const one = limiter();
  const first = await one.take('writes:book', 100);
  expect(rateLimitHeaders('writes', 100, first)).toEqual({
    rateLimit: '"writes";r=99;t=1',
    policy: '"writes";q=100;w=1',
  });
  clock.now += 400;
  expect(rateLimitHeaders('writes', 100, await one.take('writes:book', 100)).rateLimit).toBe('"writes";r=98;t=1');
});

test('without Redis the process counts alone', async () => {
  vi.useFakeTimers();
  const counter = createUsageCounter();
  expect((await counter.take('a', 3)).consumed).toBe(3);
  const second = await counter.take('a', 2);
  expect(second.consumed).toBe(5);
  expect(second.msBeforeNext).toBeGreaterThan(0);
  expect(second.msBeforeNext).toBeLessThanOrEqual(1000);
});

test('a Redis that does not answer delays one request briefly, and refuses none', async () => {
  vi.useFakeTimers();
  let asked = 0;
  const hangs = () => {
    asked++;
    return new Promise(() => undefined);
  };
  const counter = createUsageCounter({ redis: { status: 'ready', defineCommand() {}, rlflxIncr: hangs } as never });
  let first: number | undefined;
  void counter.take('a', 1).then(({ consumed }) => (first = consumed));
  await vi.advanceTimersByTimeAsync(249);
  expect(first).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(first).toBe(1);
  // Time stands still: nothing delays the next one.
  expect((await counter.take('a', 1)).consumed).toBe(2);
  expect(asked).toBe(1);
});

test('points are taken all together or not at all, and the rest of the window remains', async () => {
  const { limiter, clock } = sharedCounter();
  const one = limiter();
  const allowed = async (points: number) => (await one.take('writes:book', 100, points)).allowed;
  expect(await allowed(1)).toBe(true);
  expect(await allowed(60)).toBe(true);
  expect(await allowed(40)).toBe(false);
  expect(await allowed(39)).toBe(true);
  expect(await allowed(1)).toBe(false);
  clock.now += 1000;
  expect(await allowed(1)).toBe(true);
  expect(await allowed(17)).toBe(true);
  expect((await one.take('writes:book', 100)).remaining).toBe(81);
  clock.now += 1000;
  expect(await allowed(5_000)).toBe(true);
  expect(await allowed(1)).toBe(false);
});

test('several processes that take points never exceed the shared limit', async () => {
  const { limiter } = sharedCounter();
  const processes = [limiter(), limiter(), limiter()];
  let given = 0;
  for (let round = 0; round < 30; round++) {
    for (const [index, one] of processes.entries()) {
      const points = 1 + ((round * 7 + index * 3) % 20);
      if ((await one.take('writes:book', 100, points)).allowed) given += points;
    }
  }
  expect(given).toBeLessThanOrEqual(100);
  expect(given).toBeGreaterThan(80);
});
