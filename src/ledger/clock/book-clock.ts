/**
 * Advances the clock of a test book. On the way to a target the clock is set to each due moment in turn: a step is a command,
 * decided at the moment to which the step sets the clock. At the target the clock runs again, further ahead of the wall clock.
 * A book's time never runs backwards.
 */

import { formatInstant, type Instant } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { NoProgress } from '../../values/progress.ts';
import type { Book } from '../book/book.ts';
import type { Command, Outcome } from '../command/command.ts';
import type { BookState } from '../command/state.ts';

export interface ClockStep {
  readonly requestId: Uuid;
  /** The book's time when the step was chosen. If the clock shows another time, another process has taken a step since. */
  readonly from: Instant;
  readonly to: Instant;
  /** Decided at that moment. Omitted for the last step, which ends the advance. */
  readonly command?: Command<unknown>;
}

/**
 * Answers with whether the step was taken. Throws NoProgress where it moves neither the clock nor a row: the next step
 * would be the same.
 */
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
      if (command !== undefined && at <= from && outcome.rows.length === 0 && outcome.appends.length === 0)
        throw new NoProgress(`${command.name} changes nothing at ${formatInstant(at)}, and is due.`);
      const book = command === undefined ? arrive(outcome.book, at, moment.wall) : { ...outcome.book, clockAt: at };
      return { ...outcome, book, answer: true };
    },
  };
}

/** Begins an advance: the clock stops at the book's own time. */
export function setOut(book: Book, way: { from: Instant; to: Instant }): Book {
  return { ...book, clockTarget: Math.max(way.to, way.from), clockAt: way.from };
}

/** Days that lie behind the target are finished with it. */
function arrive(book: Book, at: Instant, wall: Instant): Book {
  const clockOffsetMs = Math.max(book.clockOffsetMs, at - wall);
  return { ...book, clockOffsetMs, clockTarget: null, clockAt: null, lastPostedAt: at };
}

export function isAdvancing({ clockTarget }: Pick<Book, 'clockTarget'>): boolean {
  return clockTarget !== null;
}

function untouched<Answer>(state: BookState, answer: Answer): Outcome<Answer> {
  return { book: state.book, entries: [], events: [], rows: [], appends: [], jobs: [], answer };
}
