/**
 * A group of the API: what the rest of the product has to know of it, as plain data and functions. It is declared in the
 * group's index.ts and listed in groups.ts. Nothing below imports that list: who needs all groups is handed it.
 * Next: group-resource.ts, moved-rows.ts, group/row-check.ts, db/table-rights.ts.
 */
import type { Acquirer } from '../acquirers/acquirer.ts';
import type { Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import type { TableRights } from '../db/table-rights.ts';
import type { ClosingBlocker } from '../ledger/closing-blocker.ts';
import type { DeclaredLog, DeclaredTable } from '../ledger/rows/table-of.ts';
import type { JobName, QueuePool } from '../queue/job.ts';
import type { Rail } from '../rails/rail.ts';
import type { Clock, Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { Equation } from './equation.ts';
import type { GroupResource } from './group-resource.ts';
import type { MovedRows, OverdueRows } from './moved-rows.ts';
import type { EventCheck, RowCheck } from './row-check.ts';

export interface Group {
  readonly name: string;
  readonly resources: readonly GroupResource[];
  /** Every table and log that its commands write. */
  readonly tables: readonly (DeclaredTable<unknown> | DeclaredLog<unknown>)[];
  /** The rights of the application's role on each of its tables. */
  readonly rights: Readonly<Record<string, TableRights>>;
  /** Names of events about objects of several kinds. Those about a resource stand with it. */
  readonly events?: readonly string[];
  readonly moved: readonly MovedRows[];
  readonly checks: readonly RowCheck[];
  /** What its rows say of accounts. Every code of the chart that its entries move is in one of them. */
  readonly equations?: readonly Equation[];
  /** What is under way keeps its account open. */
  readonly blocksClosing: readonly ClosingBlocker[];
  readonly gauges: readonly Gauge[];
  readonly eventChecks?: readonly EventCheck[];
  /** Rows that wait for somebody and are not moved one by one. */
  readonly overdue?: readonly OverdueRows[];
  readonly sweeps?: (context: SweepContext) => readonly Sweep[];
}

/** What the sweeper does for a group beside enqueueing its due rows. */
export interface Sweep {
  readonly name: string;
  /** One round; resolves to how many were enqueued or dropped. Rejects when nothing can be read or enqueued. */
  round(): Promise<number>;
}

export interface SweepContext {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly rails: { all(): readonly Pick<Rail, 'name' | 'notices'>[] };
  readonly acquirers: { all(): readonly Pick<Acquirer, 'name' | 'notices'>[] };
  readonly config: Pick<Config, 'IDEMPOTENCY_BODY_RETENTION_DAYS' | 'NOTICE_RETENTION_DAYS'>;
  /** The sweeper stops: a round ends after its page. */
  isClosing(): boolean;
  /** Enqueues jobs that every round enqueues again while nobody answers: a queue holds each once for `namedMs`. */
  enqueue(jobs: readonly SweptJob[], options: { pool: QueuePool; namedMs: number; now: Instant }): Promise<void>;
}

export interface SweptJob {
  readonly job: JobName;
  /** Empty where the ids belong to no book. */
  readonly bookId: Uuid | '';
  readonly ids: readonly string[];
}

/** A gauge about the whole, read from Postgres for a scrape. A label without rows has no value. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  /** One label, or several: then each value has as many. */
  readonly label?: string | readonly string[];
  read(pool: Pool, now: Instant): Promise<readonly { label?: string | readonly string[]; value: number }[]>;
}
