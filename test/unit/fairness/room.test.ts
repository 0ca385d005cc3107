import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Room } from '../../../src/fairness/room.ts';

/** Enters the room, and records when it is inside. */
function visit(room: Room, rows: number, bookId = 'book') {
  const visitor = { rows, bookId, inside: false };
  void room.enter(bookId, rows).then(() => {
    visitor.inside = true;
  });
  return visitor;
}

const settled = () => new Promise(setImmediate);

describe('a room for rows', () => {
  test('admits rows up to its size, and the next once there is room again', async () => {
    const room = new Room(100);
    const [first, second, third] = [visit(room, 60, 'a'), visit(room, 60, 'b'), visit(room, 30, 'c')];
    await settled();
    expect([first.inside, second.inside, third.inside]).toEqual([true, false, false]);
    room.leave('a', 60);
    await settled();
    expect([second.inside, third.inside]).toEqual([true, true]);
  });

  test('a small job does not overtake a large one whose turn it is', async () => {
    const room = new Room(100);
    const [first, large, small] = [visit(room, 50, 'a'), visit(room, 80, 'b'), visit(room, 1, 'c')];
    await settled();
    expect([first.inside, large.inside, small.inside]).toEqual([true, false, false]);
  });

  test('admits a job larger than itself, alone', async () => {
    const room = new Room(10);
    const large = visit(room, 100);
    const next = visit(room, 1);
    await settled();
    expect([large.inside, next.inside]).toEqual([true, false]);
    room.leave('book', 100);
    await settled();
    expect(next.inside).toBe(true);
  });

  test('one book gets half of the room, and the next book is admitted at once', async () => {
    const room = new Room(100);
    const busy = Array.from({ length: 60 }, () => visit(room, 1, 'busy'));
    const quiet = visit(room, 1, 'quiet');
    await settled();
    expect([busy.filter(({ inside }) => inside).length, quiet.inside]).toEqual([50, true]);
  });

  test('who waits within a limit leaves without a trace, and who is admitted stays', async () => {
    const room = new Room(2);
    await room.enter('a', 2);
    expect(await room.enterWithin('b', 0)).toBe(false);
    const waits = room.enterWithin('b', 60_000);
    const large = visit(room, 2, 'c');
    room.leave('a', 2);
    expect(await waits).toBe(true);
    expect(large.inside).toBe(false);
    room.leave('b', 1);
    await settled();
    expect(large.inside).toBe(true);
    room.leave('c', 2);
    expect(room.isEmpty).toBe(true);
  });

  test('waiting jobs are admitted in turn by book', async () => {
    const room = new Room(100);
    const busy = [visit(room, 100, 'busy'), visit(room, 100, 'busy'), visit(room, 100, 'busy')];
    const quiet = visit(room, 1, 'quiet');
    await settled();
    expect([busy[0]!.inside, quiet.inside]).toEqual([true, false]);
    room.leave('busy', 100);
    await settled();
    expect([busy[1]!.inside, quiet.inside]).toEqual([true, false]);
    room.leave('busy', 100);
    await settled();
    expect([busy[2]!.inside, quiet.inside]).toEqual([false, true]);
  });

  test('never holds more than its size, and admits every job in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.tuple(fc.nat(80), fc.constantFrom('a', 'b', 'c')), { maxLength: 40 }),
        async (size, jobs) => {
          const room = new Room(size);
          const visitors = jobs.map(([rows, bookId]) => visit(room, rows, bookId));
          const gone = new Set<(typeof visitors)[number]>();
          while (gone.size < visitors.length) {
            await settled();
            const inside = visitors.filter((visitor) => visitor.inside && !gone.has(visitor));
            expect(inside.length).toBeGreaterThan(0);
            expect(inside.reduce((sum, { rows }) => sum + Math.min(rows, size), 0)).toBeLessThanOrEqual(size);
            gone.add(inside[0]!);
            room.leave(inside[0]!.bookId, inside[0]!.rows);
          }
        },
      ),
    );
  });
});
