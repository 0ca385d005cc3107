import { afterEach, describe, expect, test, vi } from 'vitest';
import { Turns } from '../../../src/fairness/turns.ts';

const turnsOf = (change: Partial<ConstructorParameters<typeof Turns>[0]> = {}) =>
  new Turns({ places: 4, placesOfOne: 2, waitingOfOne: 3, waitMs: 1_000, ...change });

/** The result of a promise so far, or `waits`. */
async function stateOf(taken: Promise<boolean>): Promise<boolean | 'waits'> {
  const turns = Array.from({ length: 5 }, () => Promise.resolve());
  await Promise.all(turns);
  return Promise.race([taken, Promise.resolve('waits' as const)]);
}

afterEach(() => void vi.useRealTimers());

describe('places in turn', () => {
  test('one asker gets half of the places, and another gets one at once', async () => {
    const turns = turnsOf();
    expect(await turns.take('a')).toBe(true);
    expect(await turns.take('a')).toBe(true);
    const third = turns.take('a');
    expect(await stateOf(third)).toBe('waits');
    expect(await turns.take('b')).toBe(true);
    turns.give('a');
    expect(await third).toBe(true);
  });

  test("waiting askers are served in turn, each asker's oldest first", async () => {
    const turns = turnsOf({ places: 1, placesOfOne: 1 });
    await turns.take('a');
    const order: string[] = [];
    const all = ['a1', 'a2', 'b1', 'b2', 'c1'].map(async (name) => {
      await turns.take(name[0]!);
      order.push(name);
      turns.give(name[0]!);
    });
    turns.give('a');
    await Promise.all(all);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
  });

  test('a wait that is too long, or behind too many, is refused', async () => {
    vi.useFakeTimers();
    const turns = turnsOf({ places: 1, placesOfOne: 1 });
    await turns.take('a');
    const waiting = [turns.take('a'), turns.take('a'), turns.take('a')];
    expect(await turns.take('a')).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(await Promise.all(waiting)).toEqual([false, false, false]);
    turns.give('a');
    expect(await turns.take('b')).toBe(true);
  });
});
