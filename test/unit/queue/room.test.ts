import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Room } from '../../../src/queue/room.ts';

/** Enters, and says when it is in. */
function visit(room: Room, rows: number) {
  const visitor = { rows, inside: false };
  void room.enter(rows).then(() => {
    visitor.inside = true;
  });
  return visitor;
}

const settled = () => new Promise(setImmediate);

describe('a room for rows', () => {
  test('lets in what there is room for, and the next when there is room again', async () => {
    const room = new Room(100);
    const [first, second, third] = [visit(room, 60), visit(room, 60), visit(room, 30)];
    await settled();
    expect([first.inside, second.inside, third.inside]).toEqual([true, false, false]);
    room.leave(60);
    await settled();
    expect([second.inside, third.inside]).toEqual([true, true]);
  });

  test('keeps the order in which they came: nobody small overtakes somebody large', async () => {
    const room = new Room(100);
    const [first, large, small] = [visit(room, 50), visit(room, 80), visit(room, 1)];
    await settled();
    expect([first.inside, large.inside, small.inside]).toEqual([true, false, false]);
  });

  test('has room for what is larger than itself, alone', async () => {
    const room = new Room(10);
    const large = visit(room, 100);
    const next = visit(room, 1);
    await settled();
    expect([large.inside, next.inside]).toEqual([true, false]);
    room.leave(100);
    await settled();
    expect(next.inside).toBe(true);
  });

  test('never holds more than its size, and everybody comes in at last', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.nat(80), { maxLength: 40 }),
        async (size, sizes) => {
          const room = new Room(size);
          const visitors = sizes.map((rows) => visit(room, rows));
          const gone = new Set<(typeof visitors)[number]>();
          while (gone.size < visitors.length) {
            await settled();
            const inside = visitors.filter((visitor) => visitor.inside && !gone.has(visitor));
            expect(inside.length).toBeGreaterThan(0);
            expect(inside.reduce((sum, { rows }) => sum + Math.min(rows, size), 0)).toBeLessThanOrEqual(size);
            gone.add(inside[0]!);
            room.leave(inside[0]!.rows);
          }
        },
      ),
    );
  });
});
