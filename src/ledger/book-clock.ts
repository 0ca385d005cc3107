/**
 * Moving the own time of a test book. On its way to a target the clock stands at one due moment after the other; a step is a
 * command that is decided at the moment that it goes to. From the target on, the clock runs again, further ahead. Time never
 * runs backwards.
 */
import type { Instant } from '../clock.ts';
import { newId, type Uuid } from '../ids.ts';
import type { Book } from './book.ts';
import type { Command, Outcome } from './command.ts';
import type { BookState } from './state.ts';

export interface ClockStep {
  readonly requestId: Uuid;
  /** Where the clock stood when the step was chosen. Where it stands elsewhere, another process has gone on. */
  readonly from: Instant;
  readonly to: Instant;
  /** Decided at that moment; left out for the last step, which ends the advance. */
  readonly command?: Command<unknown>;
}

/** Answers with whether the step was taken. */
export function stepClock({ requestId, from, to, command }: ClockStep): Command<boolean> {
  return {
    id: command?.id ?? newId(),
    name: command === undefined ? 'clock.arrive' : `clock.${command.name}`,
    requestId,
    touches: command?.touches ?? [],
    decide(state, moment) {
      if (state.book.clockTarget === null || state.book.clockAt !== from) return untouched(state, false);
      const at = Math.max(moment.book, to);
      const outcome = command?.decide(state, { book: at, wall: moment.wall }) ?? untouched(state, null);
      const book = command === undefined ? arrive(outcome.book, at - moment.wall) : { ...outcome.book, clockAt: at };
      return { ...outcome, book, answer: true };
    },
  };
}

/** Sets out from the book's own time. */
export function setOut(book: Book, way: { from: Instant; to: Instant }): Book {
  return { ...book, clockTarget: Math.max(way.to, way.from), clockAt: way.from };
}

function arrive(book: Book, offsetMs: number): Book {
  return { ...book, clockOffsetMs: Math.max(book.clockOffsetMs, offsetMs), clockTarget: null, clockAt: null };
}

export function isAdvancing({ clockTarget }: Pick<Book, 'clockTarget'>): boolean {
  return clockTarget !== null;
}

function untouched<Answer>(state: BookState, answer: Answer): Outcome<Answer> {
  return { book: state.book, entries: [], events: [], rows: [], appends: [], jobs: [], answer };
}
