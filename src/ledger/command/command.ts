/**
 * A command is the committer's unit of work: it names the rows it touches and decides over them. The decision is a pure
 * function of state, command and moment. The outcome that it returns holds every change.
 * Next: rows/table.ts (rows a command may touch), draft.ts (how an outcome is built), commit/committer.ts (which calls decide).
 */

import type { DecidedCode, Facts } from '../../errors/errors.ts';
import type { Moment } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { JobRow, LogAppend, Outcome, RowChange, Touch } from './outcome.ts';
import type { BookState } from './state.ts';

export type { JobRow, LogAppend, Outcome, RowChange, Touch };

export interface Command<Answer> {
  /** A UUIDv7 generated at submission and kept by retries. The ids of entries and events are derived from it. */
  readonly id: Uuid;
  /** For logs and metrics: `payout.accept`. */
  readonly name: string;
  /** The request that the command serves; written into entries and events. */
  readonly requestId: Uuid;
  /** The actor as text (src/values/actor.ts). Omitted when the product acts by itself. */
  readonly actor?: string;
  readonly touches: readonly Touch[];
  /**
   * Set for bulk work, which nobody waits for: how many objects the command moves. Other commands of the book go ahead of it, in the committer and
   * with their jobs (docs/decisions/singles-ahead.md).
   */
  readonly behind?: number;
  /** Pure. A refusal is an answer; an exception is a bug and fails only this command. */
  decide(state: BookState, moment: Moment): Outcome<Answer>;
}

/**
 * A business refusal, as returned by a decision: an error code, the field and typed facts. `refused` distinguishes it
 * from every other answer: `if (answer.refused) …`.
 */
export interface Refusal {
  readonly refused: DecidedCode;
  readonly param?: string;
  readonly detail?: string;
  readonly facts?: Facts;
}

/** Extended by every answer that may be a refusal instead. */
export interface Answered {
  readonly refused?: undefined;
}
