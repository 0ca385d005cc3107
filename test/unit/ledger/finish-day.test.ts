/** Days of a book are finished once nothing more can be posted on them. */
import { expect, test } from 'vitest';
import { setOut, stepClock } from '../../../src/ledger/clock/book-clock.ts';
import { endOfDay, finishDay, isFinished } from '../../../src/ledger/clock/finish-day.ts';
import { newId } from '../../../src/values/ids.ts';
import { MemoryBook, START } from '../../support/memory-book.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const requestId = newId();

test.each`
  day             | timeZone              | hours
  ${'2026-03-08'} | ${'America/New_York'} | ${23}
  ${'2026-11-01'} | ${'America/New_York'} | ${25}
  ${'2026-11-02'} | ${'America/New_York'} | ${24}
  ${'2026-02-28'} | ${'Asia/Amman'}       | ${24}
`('$day of $timeZone has $hours hours, and is finished at its end', ({ day, timeZone, hours }) => {
  const before = new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);
  const end = endOfDay(day, { timeZone });
  expect(end - endOfDay(before, { timeZone })).toBe(hours * HOUR_MS);
  expect(isFinished(day, { timeZone, lastPostedAt: end - 1 })).toBe(false);
  expect(isFinished(day, { timeZone, lastPostedAt: end })).toBe(true);
});

test("a quiet book's day is finished by a command that moves nothing else", () => {
  const memory = new MemoryBook({ lastPostedAt: START });
  memory.now = START + DAY_MS + 5;
  const before = memory.book;
  const state = memory.state([]);
  const outcome = finishDay({ day: '2026-03-01', requestId }).decide(state, { book: memory.now, wall: memory.now });
  state.apply(outcome);
  expect(state.isUnchanged).toBe(false);
  expect(memory.answer(finishDay({ day: '2026-03-01', requestId }))).toBe(true);
  expect(memory.book).toEqual({ ...before, batchId: memory.book.batchId, lastPostedAt: memory.now });
  expect(isFinished('2026-03-01', memory.book)).toBe(true);
  expect(isFinished('2026-03-02', memory.book)).toBe(false);
});

test('a day that lasts is not finished, and one that is stays as it is', () => {
  const memory = new MemoryBook({ lastPostedAt: START });
  memory.now = START + DAY_MS - 1;
  expect(memory.answer(finishDay({ day: '2026-03-01', requestId }))).toBe(false);
  expect(memory.book.lastPostedAt).toBe(START);
  memory.now = START + 2 * DAY_MS;
  expect(memory.answer(finishDay({ day: '2026-02-28', requestId }))).toBe(true);
  expect(memory.book.lastPostedAt).toBe(START);
});

test('days that lie behind the target of a clock are finished where it arrives', () => {
  const { book } = new MemoryBook({ lastPostedAt: START });
  const memory = new MemoryBook(setOut(book, { from: START, to: START + 3 * DAY_MS }));
  expect(memory.answer(stepClock({ requestId, from: START, to: START + 3 * DAY_MS }))).toBe(true);
  expect(isFinished('2026-03-03', memory.book)).toBe(true);
  expect(isFinished('2026-03-04', memory.book)).toBe(false);
});
