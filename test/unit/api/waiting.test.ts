import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Waiters } from '../../../src/api/waiting.ts';

interface Thing {
  id: string;
  status: string;
}

const open: Waiters<Thing>[] = [];
/** Time passes where a test says so. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  for (const waiters of open.splice(0)) waiters.close();
  vi.useRealTimers();
});

/** What a wait resolves to, and after how many milliseconds. Throws where it does not end within the limit. */
async function ended<Value>(wait: Promise<Value>, limitMs: number): Promise<{ value: Value; afterMs: number }> {
  const began = performance.now();
  let end: { value: Value; afterMs: number } | undefined;
  void wait.then((value) => {
    end = { value, afterMs: performance.now() - began };
  });
  for (let passedMs = 0; end === undefined && passedMs <= limitMs; passedMs++) await vi.advanceTimersByTimeAsync(1);
  if (end === undefined) throw new Error(`The wait did not end within ${limitMs} ms`);
  return end;
}

function setUp(fail: () => boolean = () => false) {
  const things = new Map<string, Thing>();
  const loads: { bookId: string; ids: string[] }[] = [];
  const waiters = new Waiters<Thing>(async (bookId, ids) => {
    loads.push({ bookId, ids });
    if (fail()) throw new Error('the database is away');
    return new Map(ids.filter((id) => things.has(id)).map((id) => [id, things.get(id)!]));
  });
  open.push(waiters);
  const waitFor = (id: string, more: { bookId?: string; seconds?: number; signal?: AbortSignal } = {}) =>
    waiters.waitFor({ bookId: 'book', id, isDone: ({ status }) => status !== 'pending', seconds: 5, ...more });
  return { things, loads, waiters, waitFor };
}

test('a wait ends when the object changes', async () => {
  const { things, waitFor } = setUp();
  things.set('a', { id: 'a', status: 'pending' });
  setTimeout(() => things.set('a', { id: 'a', status: 'paid' }), 60);
  const { value, afterMs } = await ended(waitFor('a'), 5_000);
  expect(value).toEqual({ id: 'a', status: 'paid' });
  expect(afterMs).toBeGreaterThan(60);
  expect(afterMs).toBeLessThan(160);
});

test('a wait that times out gives the last object seen', async () => {
  const { things, waitFor } = setUp();
  things.set('a', { id: 'a', status: 'pending' });
  const { value, afterMs } = await ended(waitFor('a', { seconds: 0.1 }), 5_000);
  expect(value).toEqual({ id: 'a', status: 'pending' });
  expect(afterMs).toBeGreaterThanOrEqual(100);
  expect(afterMs).toBeLessThan(200);
  expect((await ended(waitFor('nothing', { seconds: 0 }), 1_000)).value).toBeUndefined();
});

test('all waits of a book share one query a tick', async () => {
  const { things, loads, waitFor } = setUp();
  const waits = Array.from({ length: 1_200 }, (_, index) => waitFor(`p${index}`));
  const twice = waitFor('p0');
  const other = waitFor('x', { bookId: 'other' });
  for (let index = 0; index < 1_200; index++) things.set(`p${index}`, { id: `p${index}`, status: 'paid' });
  things.set('x', { id: 'x', status: 'paid' });
  await ended(Promise.all([...waits, twice, other]), 5_000);
  const ticks = loads.filter(({ bookId }) => bookId === 'other').length;
  expect(ticks).toBeLessThanOrEqual(2);
  expect(loads.length).toBeLessThanOrEqual(2 * 4);
  expect(Math.max(...loads.map(({ ids }) => ids.length))).toBe(500);
});

test('a wait ends when its client disconnects', async () => {
  const { waitFor } = setUp();
  const client = new AbortController();
  setTimeout(() => client.abort(), 30);
  expect((await ended(waitFor('a', { signal: client.signal }), 5_000)).afterMs).toBe(30);
  await waitFor('a', { signal: client.signal });
});

test('a draining process ends every wait at once', async () => {
  const { things, waiters, waitFor } = setUp();
  things.set('a', { id: 'a', status: 'pending' });
  const waiting = waitFor('a');
  setTimeout(() => waiters.close(), 60);
  expect(await ended(waiting, 5_000)).toEqual({ value: { id: 'a', status: 'pending' }, afterMs: 60 });
  expect(await waitFor('a')).toBeUndefined();
});

test('a failed query is repeated', async () => {
  let failures = 2;
  const { things, waitFor } = setUp(() => failures-- > 0);
  things.set('a', { id: 'a', status: 'paid' });
  expect((await ended(waitFor('a'), 5_000)).value).toEqual({ id: 'a', status: 'paid' });
});

test('a book whose load does not end delays no other, and its answers end soon after their time', async () => {
  const things = new Map([['b', { id: 'b', status: 'paid' }]]);
  const waiters = new Waiters<Thing>((bookId) =>
    bookId === 'slow' ? new Promise(() => undefined) : Promise.resolve(things),
  );
  open.push(waiters);
  const isDone = ({ status }: Thing) => status === 'paid';
  const slow = waiters.waitFor({ bookId: 'slow', id: 'a', isDone, seconds: 0.05 });
  const quick = waiters.waitFor({ bookId: 'quick', id: 'b', isDone, seconds: 5 });
  expect((await ended(quick, 50)).value).toEqual({ id: 'b', status: 'paid' });
  expect((await ended(slow, 2_000)).value).toBeUndefined();
});

test('what has waited for long is looked at less often', async () => {
  const { things, loads, waitFor } = setUp();
  things.set('a', { id: 'a', status: 'pending' });
  await ended(waitFor('a', { seconds: 2 }), 5_000);
  // Fifty ticks; a look each tick until an eighth of the time waited is longer than one.
  expect(loads.length).toBeLessThan(28);
  expect(loads.length).toBeGreaterThan(8);
});
