import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/errors/errors.ts';
import { newId, parsePublicId, publicId } from '../../../src/values/ids.ts';
import { listEndpoints } from '../../../src/webhooks/endpoints/endpoint-store.ts';
import { getEvent, listEvents } from '../../../src/webhooks/events/event-store.ts';
import { createWorld, START, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());
beforeEach(() => world.clock.set(START));

describe('lists', () => {
  test('of endpoints are newest first, and pages go in both directions', async () => {
    const bookId = await world.newBook();
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) ids.unshift((await world.endpoint(bookId)).id);
    const list = async (page: Parameters<typeof listEndpoints>[2]) => {
      const { rows, hasMore } = await listEndpoints(world.pool, bookId, page);
      return [rows.map(({ id }) => ids.indexOf(id)), hasMore];
    };
    expect(await list({ limit: 2 })).toEqual([[0, 1], true]);
    expect(await list({ limit: 2, startingAfter: ids[1]! })).toEqual([[2, 3], true]);
    expect(await list({ limit: 2, startingAfter: ids[3]! })).toEqual([[4], false]);
    expect(await list({ limit: 2, endingBefore: ids[3]! })).toEqual([[1, 2], true]);
    expect(await list({ limit: 2, endingBefore: ids[1]! })).toEqual([[0], false]);
  });

  describe('of events', () => {
    let bookId: string;
    const SECOND = 1_000;
    const ofType = { 'payout.created': [1, 4, 7, 10], 'payout.paid': [2, 5, 8], 'account.created': [3, 6, 9] } as const;

    /** Events 1 to 10, a second apart. The number is the sequence. */
    beforeAll(async () => {
      bookId = await world.newBook();
      for (let number = 1; number <= 10; number++) {
        world.clock.set(START + number * SECOND);
        const [type] = Object.entries(ofType).find(([, numbers]) => (numbers as readonly number[]).includes(number))!;
        await world.emit(bookId, type);
      }
    });

    const idOf = async (sequence: number) =>
      (
        await world.pool.query<{ id: string }>('SELECT id FROM events WHERE book_id = $1 AND sequence = $2', [
          bookId,
          sequence,
        ])
      ).rows[0]!.id;

    test.each`
      filter                                                                          | page                              | numbers                            | more
      ${{}}                                                                           | ${{ limit: 100 }}                 | ${[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]} | ${false}
      ${{}}                                                                           | ${{ limit: 3 }}                   | ${[10, 9, 8]}                      | ${true}
      ${{}}                                                                           | ${{ limit: 3, startingAfter: 8 }} | ${[7, 6, 5]}                       | ${true}
      ${{}}                                                                           | ${{ limit: 3, startingAfter: 3 }} | ${[2, 1]}                          | ${false}
      ${{}}                                                                           | ${{ limit: 3, endingBefore: 5 }}  | ${[8, 7, 6]}                       | ${true}
      ${{}}                                                                           | ${{ limit: 3, endingBefore: 8 }}  | ${[10, 9]}                         | ${false}
      ${{ types: ['payout.paid'] }}                                                   | ${{ limit: 2 }}                   | ${[8, 5]}                          | ${true}
      ${{ types: ['payout.paid'] }}                                                   | ${{ limit: 2, endingBefore: 2 }}  | ${[8, 5]}                          | ${false}
      ${{ types: ['payout.*'] }}                                                      | ${{ limit: 4, startingAfter: 9 }} | ${[8, 7, 5, 4]}                    | ${true}
      ${{ types: ['account.*', 'payout.paid'] }}                                      | ${{ limit: 100 }}                 | ${[9, 8, 6, 5, 3, 2]}              | ${false}
      ${{ types: ['*'] }}                                                             | ${{ limit: 1 }}                   | ${[10]}                            | ${true}
      ${{ types: ['hold.*'] }}                                                        | ${{ limit: 1 }}                   | ${[]}                              | ${false}
      ${{ createdGte: START + 8_000 }}                                                | ${{ limit: 100 }}                 | ${[10, 9, 8]}                      | ${false}
      ${{ createdGte: START + 7_001 }}                                                | ${{ limit: 100 }}                 | ${[10, 9, 8]}                      | ${false}
      ${{ createdLt: START + 3_000 }}                                                 | ${{ limit: 100 }}                 | ${[2, 1]}                          | ${false}
      ${{ createdGte: START + 3_000, createdLt: START + 6_000 }}                      | ${{ limit: 100 }}                 | ${[5, 4, 3]}                       | ${false}
      ${{ createdGte: START + 3_000, createdLt: START + 6_000, types: ['payout.*'] }} | ${{ limit: 100 }}                 | ${[5, 4]}                          | ${false}
      ${{ createdLt: START + 6_000 }}                                                 | ${{ limit: 2, startingAfter: 4 }} | ${[3, 2]}                          | ${true}
      ${{ createdGte: START + 60_000 }}                                               | ${{ limit: 100 }}                 | ${[]}                              | ${false}
      ${{ createdLt: START }}                                                         | ${{ limit: 100 }}                 | ${[]}                              | ${false}
      ${{ createdGte: 0, createdLt: START + 60_000 }}                                 | ${{ limit: 1 }}                   | ${[10]}                            | ${true}
    `('with $filter give $numbers on the page $page', async ({ filter, page, numbers, more }) => {
      const cursors: Record<string, string> = {};
      for (const name of ['startingAfter', 'endingBefore'])
        if (page[name] !== undefined) cursors[name] = await idOf(page[name]);
      const { rows, hasMore } = await listEvents(world.pool, { bookId, ...filter }, { limit: page.limit, ...cursors });
      expect(rows.map(({ sequence }) => Number(sequence))).toEqual(numbers);
      expect(hasMore).toBe(more);
    });

    test('of one object, and of one object and type', async () => {
      const { rows } = await world.pool.query<{ object_id: string }>(
        'SELECT object_id FROM events WHERE book_id = $1 AND sequence = 5',
        [bookId],
      );
      const objectId = rows[0]!.object_id;
      const list = async (types?: string[]) =>
        (await listEvents(world.pool, { bookId, objectId, types }, { limit: 10 })).rows.map(({ sequence }) =>
          Number(sequence),
        );
      expect(await list()).toEqual([5]);
      expect(await list(['payout.*'])).toEqual([5]);
      expect(await list(['account.*'])).toEqual([]);
    });

    test('show the stored bytes, as does the event by its id', async () => {
      const { rows } = await listEvents(world.pool, { bookId }, { limit: 1 });
      const event = rows[0]!;
      expect(JSON.parse(event.payload)).toMatchObject({
        id: publicId('event', event.id),
        type: 'payout.created',
        sequence: 10,
      });
      expect(await getEvent(world.pool, bookId, event.id)).toEqual(event);
      expect(await getEvent(world.pool, world.testBook, event.id)).toBeUndefined();
      expect(parsePublicId('event', publicId('event', event.id))).toBe(event.id);
    });

    test.each(['startingAfter', 'endingBefore'])(
      'refuse a cursor that is no event of the book in %s',
      async (cursor) => {
        const listing = listEvents(world.pool, { bookId }, { limit: 1, [cursor]: newId() });
        await expect(listing).rejects.toThrow(ApiError);
        await expect(listing).rejects.toMatchObject({ code: 'cursor_invalid' });
      },
    );

    test('of an empty book are empty', async () => {
      const empty = await world.newBook();
      expect(
        await listEvents(world.pool, { bookId: empty, createdGte: START, createdLt: START + 1 }, { limit: 1 }),
      ).toEqual({ rows: [], hasMore: false });
    });
  });
});
