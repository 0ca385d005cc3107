/**
 * Rows that workers move. While a row is open, somebody must still act on it: it is due at `due_at`, or it is stuck and
 * waits for a person. The sweeper, `npm run ops`, the metrics and the checks of overdue rows read these declarations.
 * The table has `status`, `due_at`, `stuck_at`, `stuck_error`, and three indexes: NAME_due (due_at) and NAME_due_by_book
 * (status, book_id, due_at) where it is due and not stuck, NAME_stuck (stuck_at) where it is stuck. Without `due` rules,
 * NAME_due_by_book begins with book_id.
 */

import type { KeyedTable } from '../db/keyed-table.ts';
import type { Pool } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { JobName, QueuePool } from '../queue/job.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

/** A row that is due, with the id that a job carries. */
export interface DueRow {
  readonly bookId: Uuid;
  readonly id: string;
  readonly dueAt: Instant;
}

/** Who moves the due rows of one status. */
export interface DueRule {
  /** As the sweeper's log names them: `pending payouts`. */
  readonly name: string;
  readonly status: string;
  readonly pool: QueuePool;
  readonly job: JobName;
  /** When a row that did not move is enqueued again: beyond the longest that its job takes. */
  readonly againMs: number;
  /** Where a due row is more than a row whose time is put off. Answers with the ids that are to be enqueued. */
  readonly postpone?: (pool: Pool, rows: { bookId: Uuid; due: readonly DueRow[]; until: Instant }) => Promise<string[]>;
}

/** Rows that wait for a pool, and since when. */
export interface WaitingRows {
  /** As metrics name them. */
  readonly kind: string;
  readonly table: KeyedTable;
  /** Who moves them: by their status, by SQL over `open`, or always the same pool. */
  readonly pools:
    | readonly Pick<DueRule, 'status' | 'pool'>[]
    | { readonly sql: string; readonly of: readonly QueuePool[] }
    | QueuePool;
  readonly waiting: string;
  readonly waitsSince: string;
  readonly unless?: string | undefined;
}

/** Rows that are overdue: no worker moved them in time. */
export interface OverdueRows {
  readonly table: KeyedTable;
  /** As metrics name them. */
  readonly kind: string;
  readonly pools: WaitingRows['pools'];
  /** SQL over `due_at`: where a row still waits for a worker or a person. A partial index has these rows. */
  readonly waiting: string;
  /**
   * SQL: since when a row waits. Its due time does not show that: the sweeper postpones it, whether or not it is moved.
   */
  readonly waitsSince: string;
  /** SQL over `open`: rows that wait for another row, which is looked at itself. */
  readonly unless?: string;
  readonly finding: {
    readonly check: `${string}.overdue`;
    /** The participle of the step that is outstanding: `moved`. */
    readonly expected: string;
    /** What the row waits for: `to be attempted`. Left out: its status. */
    readonly actual?: string;
    readonly detail: string;
    readonly ids: (key: readonly string[]) => Readonly<Record<string, string>>;
  };
}

export interface MovedRows {
  /** As metrics, logs and `npm run ops` name them. */
  readonly kind: string;
  readonly table: KeyedTable;
  readonly open: readonly string[];
  /** Empty where a sweep of the group enqueues them. */
  readonly due: readonly DueRule[];
  readonly overdue: Omit<OverdueRows, 'table' | 'waiting' | 'kind' | 'pools'>;
  /** Who moves them, where no rule names it. */
  readonly pools?: WaitingRows['pools'];
  /** Columns beside `due_at` that a retry makes now. */
  readonly retriedAt?: readonly string[];
  /** An id of jobs as people see it. */
  readonly shownId: (id: string) => string;
}

/**
 * Called with the error that moving a row threw. An outage (the database away, a deadline passed, a party without an
 * answer) leaves the row due; anything else is a bug, and the row is marked as stuck for operators. Resolves to true
 * once the row is due no longer; to false also where it could not be marked. Does not throw.
 */
export type RowFailed = (
  rows: MovedRows,
  row: { readonly bookId: BookId; readonly id: string },
  error: unknown,
) => Promise<boolean>;

/** SQL of the id that jobs carry: the key, its columns separated by colons. */
export function idSql({ key }: KeyedTable): string {
  return key.map(({ name }) => name).join(` || ':' || `);
}

/** The key of an id. Only its first column may contain colons. Throws TypeError for any other text. */
export function keyOf({ name, key }: KeyedTable, id: string): string[] {
  const parts = id.split(':');
  const first = parts.slice(0, parts.length - key.length + 1).join(':');
  if (parts.length < key.length) throw new TypeError(`Not the id of a row of ${name}: ${id}`);
  return [first, ...parts.slice(parts.length - key.length + 1)];
}

/** SQL: where a row is due and not stuck. Every partial index of due rows has these. */
export const DUE_AND_NOT_STUCK = 'due_at IS NOT NULL AND stuck_at IS NULL';

function overdueOf({ kind, table, due, pools = due, overdue }: MovedRows): OverdueRows {
  return { ...overdue, kind, table, pools, waiting: DUE_AND_NOT_STUCK };
}

/** Every kind of rows of a group that wait for a worker or a person. */
export function waitingOf({
  moved,
  overdue = [],
}: {
  readonly moved: readonly MovedRows[];
  readonly overdue?: readonly OverdueRows[];
}): OverdueRows[] {
  return [...moved.map(overdueOf), ...overdue];
}

export function poolsOf({ pools }: Pick<WaitingRows, 'pools'>): readonly QueuePool[] {
  if (typeof pools === 'string') return [pools];
  return 'sql' in pools ? pools.of : [...new Set(pools.map(({ pool }) => pool))];
}

/** SQL over `open`: the pool that moves the row. */
export function poolSql({ pools }: Pick<WaitingRows, 'pools'>): string {
  if (typeof pools === 'string') return `'${pools}'`;
  if ('sql' in pools) return pools.sql;
  return `CASE status ${pools.map(({ status, pool }) => `WHEN '${status}' THEN '${pool}'`).join(' ')} END`;
}

/** The columns that `open` has for `poolSql` and for `unless`. */
export function waitingColumns({ table, pools }: Pick<WaitingRows, 'table' | 'pools'>): string[] {
  return ['book_id', ...table.key.map(({ name }) => name), ...(Array.isArray(pools) ? ['status'] : [])];
}
