/** The clock of a test book: it stands on its way, goes from moment to moment, and never back. */
import { expect, test } from 'vitest';
import { type Book, bookTime } from '../../../src/ledger/book/book.ts';
import { setOut, stepClock } from '../../../src/ledger/clock/book-clock.ts';
import { momentOf } from '../../../src/ledger/commit/batch.ts';
import { newId } from '../../../src/values/ids.ts';
import { MemoryBook, START } from '../../support/memory-book.ts';

const DAY_MS = 86_400_000;
const requestId = newId();

function onItsWay(to: number): MemoryBook {
  const { book } = new MemoryBook();
  return new MemoryBook(setOut({ ...book, lastPostedAt: START }, { from: START, to }));
}

test.each`
  lastPostedAt | offset    | standsAt              | now                   | why
  ${START - 1} | ${0}      | ${null}               | ${START}              | ${'it is that of the world'}
  ${START - 1} | ${DAY_MS} | ${null}               | ${START + DAY_MS}     | ${'it is ahead'}
  ${START + 5} | ${0}      | ${null}               | ${START + 5}          | ${'it does not go back behind what was posted'}
  ${START - 1} | ${DAY_MS} | ${START + 2 * DAY_MS} | ${START + 2 * DAY_MS} | ${'it stands on its way'}
`('a book is at $now: $why', ({ lastPostedAt, offset, standsAt, now }) => {
  const book: Book = { ...new MemoryBook().book, lastPostedAt, clockOffsetMs: offset, clockAt: standsAt };
  expect(bookTime(book, START)).toBe(now);
});

test('the clock stands where a step leaves it, however long the next takes, and runs again from the target', () => {
  const memory = onItsWay(START + 9 * DAY_MS);
  memory.now = START + 500;
  expect(momentOf({ now: () => memory.now }, memory.book)).toEqual({ book: START, wall: START + 500 });
  const command = {
    id: newId(),
    name: 'x',
    requestId,
    touches: [],
    decide: stepClock({ requestId, from: 0, to: 0 }).decide,
  };
  expect(memory.answer(stepClock({ requestId, from: START, to: START + DAY_MS, command }))).toBe(true);
  expect(memory.book).toMatchObject({ clockAt: START + DAY_MS, clockOffsetMs: 0 });
  memory.now = START + 1_000;
  expect(memory.answer(stepClock({ requestId, from: START + DAY_MS, to: START + 9 * DAY_MS }))).toBe(true);
  expect(memory.book).toMatchObject({ clockAt: null, clockTarget: null, clockOffsetMs: 9 * DAY_MS - 1_000 });
  expect(bookTime(memory.book, START + 1_500)).toBe(START + 9 * DAY_MS + 500);
});

test('a step that another process has taken is taken once', () => {
  const memory = onItsWay(START + DAY_MS);
  const step = { requestId, from: START, to: START + DAY_MS };
  expect(memory.run([stepClock(step), stepClock(step)])).toEqual([{ answer: true }, { answer: false }]);
  expect(memory.answer(stepClock({ ...step, to: START + 5 * DAY_MS }))).toBe(false);
});

test('the command behind a step of one batch is decided where the step has gone to', () => {
  const memory = onItsWay(START + DAY_MS);
  const seen: number[] = [];
  const looks = () => ({
    ...stepClock({ requestId, from: -1, to: 0 }),
    decide: (state: Parameters<ReturnType<typeof stepClock>['decide']>[0], moment: { book: number; wall: number }) => {
      seen.push(moment.book);
      return stepClock({ requestId, from: -1, to: 0 }).decide(state, moment);
    },
  });
  memory.run([looks(), stepClock({ requestId, from: START, to: START + DAY_MS, command: looks() }), looks()]);
  expect(seen).toEqual([START, START + DAY_MS, START + DAY_MS]);
});
