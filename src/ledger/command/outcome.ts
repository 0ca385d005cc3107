/** The rows that a command touches, and the outcome of its decision. */
import type { Book } from '../book/book.ts';
import type { Entry } from '../entry/entry.ts';
import type { KeptEvent } from '../events/event.ts';
import type { JobRow } from '../events/job-row.ts';
import type { Log, Table } from '../rows/table.ts';

/** Rows of a table that a command needs, named before anything is loaded. At most 1,000 rows a command. */
export interface Touch {
  readonly table: Table<unknown>;
  readonly ids: readonly string[];
}

export type { JobRow };

export interface RowChange {
  readonly table: Table<unknown>;
  readonly id: string;
  readonly row: unknown;
}

export interface LogAppend {
  readonly log: Log<unknown>;
  readonly row: unknown;
}

/** Everything a command changes: built by a Draft, applied to the state and written by the committer. */
export interface Outcome<Answer> {
  readonly book: Book;
  readonly entries: readonly Entry[];
  readonly events: readonly KeptEvent[];
  readonly rows: readonly RowChange[];
  readonly appends: readonly LogAppend[];
  readonly jobs: readonly JobRow[];
  readonly answer: Answer;
}
