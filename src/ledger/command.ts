/**
 * What the committer carries out: a command names the rows it touches and decides over them. The decision is a pure
 * function of state, command and moment; whatever it wants done is in the outcome it returns.
 * Next: table.ts (rows a command may touch), draft.ts (how an outcome is built), committer.ts (who calls decide).
 */
import type { Instant } from '../clock.ts';
import type { ErrorCode, Facts } from '../errors.ts';
import type { Uuid } from '../ids.ts';
import type { Book } from './book.ts';
import type { Entry } from './entry.ts';
import type { LedgerEvent } from './event.ts';
import type { BookState } from './state.ts';
import type { Log, Table } from './table.ts';

/** Rows a command needs, named before anything is loaded. At most 1,000 in all. */
export interface Touch {
  readonly table: Table<unknown>;
  readonly ids: readonly string[];
}

/** A doorbell to ring once the commit is certain: which pool, which job, which row. Losing it only costs time. */
export interface JobRow {
  readonly pool: string;
  readonly job: string;
  readonly id: string;
}

export interface RowChange {
  readonly table: Table<unknown>;
  readonly id: string;
  readonly row: unknown;
}

export interface LogAppend {
  readonly log: Log<unknown>;
  readonly row: unknown;
}

/** Everything a command did: made by a Draft, applied to the state and written by the committer. */
export interface Outcome<Answer> {
  readonly book: Book;
  readonly entries: readonly Entry[];
  readonly events: readonly LedgerEvent[];
  readonly rows: readonly RowChange[];
  readonly appends: readonly LogAppend[];
  readonly jobs: readonly JobRow[];
  readonly answer: Answer;
}

export interface Command<Answer> {
  /** A UUIDv7 minted when the command is submitted: it survives retries, and its entries and events get theirs from it. */
  readonly id: Uuid;
  /** For logs and metrics: `payout.accept`. */
  readonly name: string;
  /** The request this began with; written into entries and events. */
  readonly requestId: Uuid;
  /** Who asks: `api_key:key_…`; left out where the product acts on its own. */
  readonly actor?: string;
  readonly touches: readonly Touch[];
  /** Pure. A refusal is an answer; an exception is a bug and fails this command alone. */
  decide(state: BookState, moment: Instant): Outcome<Answer>;
}

/** A business refusal as a decision returns it: a code of the catalogue, the field, and typed facts. */
export interface Refusal {
  readonly refused: ErrorCode;
  readonly param?: string;
  readonly detail?: string;
  readonly facts?: Facts;
}

export function isRefusal(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'refused' in answer;
}
