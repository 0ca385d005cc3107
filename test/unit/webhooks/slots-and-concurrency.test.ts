import { describe, expect, test } from 'vitest';
import { Slots } from '../../../src/fairness/slots.ts';
import { EndpointConcurrency } from '../../../src/webhooks/outbox/endpoint-concurrency.ts';

/** Takes slots until one is refused; returns their number. */
function takeAll(slots: Slots, book: string): number {
  let taken = 0;
  while (slots.take(book)) taken++;
  return taken;
}

describe('slots', () => {
  test('one book alone gets half of them, and every other book gets some', () => {
    const slots = new Slots(64, { guaranteed: 0 });
    expect(takeAll(slots, 'a')).toBe(32);
    expect(takeAll(slots, 'b')).toBe(16);
    expect(takeAll(slots, 'c')).toBe(8);
    expect(slots.take('d')).toBe(true);
  });

  test('books that always want more get equal parts in the end', () => {
    const slots = new Slots(40, { guaranteed: 0 });
    const books = ['a', 'b', 'c'];
    const held = new Map(books.map((book) => [book, takeAll(slots, book)]));
    for (let round = 0; round < 100; round++) {
      const book = books[round % 3]!;
      const leaving = Math.min(held.get(book)!, 2);
      for (let left = 0; left < leaving; left++) slots.giveBack(book);
      held.set(book, held.get(book)! - leaving);
      for (const other of ['c', 'b', 'a']) held.set(other, held.get(other)! + takeAll(slots, other));
    }
    for (const count of held.values()) expect(Math.abs(count - 10)).toBeLessThanOrEqual(1);
  });

  test('each book is guaranteed a few, however many others hold', () => {
    const slots = new Slots(64, { guaranteed: 4 });
    const first = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((book) => takeAll(slots, book));
    expect(first).toEqual([32, 16, 8, 4, 4, 4, 4]);
    expect(slots.taken).toBeGreaterThan(64);
    expect(takeAll(slots, 'h')).toBe(4);
    expect(takeAll(slots, 'a')).toBe(0);
    for (let book = 0; book < 100; book++) takeAll(slots, `silent ${book}`);
    expect(slots.taken).toBe(128);
    let called = 0;
    expect(slots.take('late', () => called++)).toBe(false);
    slots.giveBack('a');
    expect(called).toBe(1);
  });

  test('refused callers are called in turn by book, once each', () => {
    const slots = new Slots(1, { guaranteed: 0 });
    const called: string[] = [];
    const ask = (book: string, name: string) => slots.take(book, () => called.push(name));
    expect(ask('a', 'a0')).toBe(true);
    expect([ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1')]).toEqual([false, false, false]);
    expect(called).toEqual([]);
    slots.giveBack('a');
    expect(called).toEqual(['a1', 'b1']);
    expect(ask('c', 'c0')).toBe(true);
    slots.giveBack('c');
    expect(called).toEqual(['a1', 'b1', 'a2']);
  });
});

test('a caller refused several times is called once, and not for a slot it has got since', () => {
  const slots = new Slots(2, { guaranteed: 0 });
  const called: string[] = [];
  const [one, other] = ['one', 'other'].map((name) => () => void called.push(name));
  expect(slots.take('a')).toBe(true);
  for (let round = 0; round < 3; round++)
    expect([slots.take('a', one), slots.take('a', other)]).toEqual([false, false]);
  slots.giveBack('a');
  expect(called).toEqual(['one']);
  expect([slots.take('a', other), slots.take('a', one)]).toEqual([true, false]);
  slots.giveBack('a');
  expect(called).toEqual(['one', 'one']);
});

describe('the concurrency of an endpoint', () => {
  /** Makes attempts with this answer and duration until the limit is stable. */
  function settled(
    answer: { arrived: boolean; durationMs: number },
    concurrency = new EndpointConcurrency(),
  ): EndpointConcurrency {
    for (let round = 0; round < 200; round++) {
      concurrency.end(concurrency.begin(), answer);
    }
    return concurrency;
  }

  test.each`
    durationMs | arrived  | limit | waiting  | why
    ${10}      | ${true}  | ${64} | ${2_000} | ${'quick'}
    ${1_000}   | ${true}  | ${64} | ${1_280} | ${'just quick enough'}
    ${4_000}   | ${true}  | ${16} | ${80}    | ${'slow'}
    ${14_000}  | ${true}  | ${5}  | ${7}     | ${'nearly too slow'}
    ${10}      | ${false} | ${1}  | ${0}     | ${'it takes nothing'}
    ${15_000}  | ${false} | ${1}  | ${0}     | ${'it does not answer'}
  `('answers after $durationMs ms, 2xx $arrived: $limit at a time, $waiting wait ($why)', (row) => {
    const concurrency = settled({ arrived: row.arrived, durationMs: row.durationMs });
    expect(concurrency.limit).toBe(row.limit);
    expect(concurrency.waitingMax).toBe(row.waiting);
  });

  test('that was slow grows again once it is quick', () => {
    const concurrency = settled({ arrived: true, durationMs: 14_000 });
    expect(settled({ arrived: true, durationMs: 5 }, concurrency).limit).toBe(64);
  });

  test('that fails sometimes stays as it is', () => {
    const concurrency = settled({ arrived: true, durationMs: 5 });
    for (let number = 0; number < 100; number++) {
      concurrency.end(concurrency.begin(), { arrived: number % 3 === 0, durationMs: 5 });
    }
    expect([concurrency.limit, concurrency.isFailing]).toEqual([64, false]);
  });

  test('that is behind gets one attempt, and opens with the first arrival', () => {
    const concurrency = new EndpointConcurrency();
    concurrency.probe();
    const begun = concurrency.begin();
    expect(concurrency.isFull).toBe(true);
    concurrency.end(begun, { arrived: true, durationMs: 5 });
    expect([concurrency.isFailing, concurrency.limit]).toEqual([false, 2]);
  });

  test('that is new starts at one attempt, and grows by one with each arrival', () => {
    const concurrency = new EndpointConcurrency();
    const limits = [0, 1, 2].map(() => {
      concurrency.end(concurrency.begin(), { arrived: true, durationMs: 5 });
      return concurrency.limit;
    });
    expect(limits).toEqual([2, 3, 4]);
  });

  test('is failing when an attempt got no answer and none arrived meanwhile', () => {
    const silent = { arrived: false, durationMs: 15_000 };
    const concurrency = new EndpointConcurrency();
    const [first, second] = [concurrency.begin(), concurrency.begin()];
    concurrency.end(first, { arrived: true, durationMs: 5 });
    concurrency.end(second, silent);
    expect(concurrency.isFailing).toBe(false);
    concurrency.end(concurrency.begin(), silent);
    expect(concurrency.isFailing).toBe(true);
  });
});
