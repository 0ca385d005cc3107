/**
 * A group of the API: what the rest of the product has to know of it, as plain data and functions. It is declared in the
 * group's index.ts and listed in groups.ts. Nothing below imports that list: who needs all groups is handed it.
 * Next: ledger/resources/declared-resource.ts, moved-rows.ts, row-check.ts, appointment.ts, table-rights.ts.
 */
import type { Acquirer } from '../acquirers/acquirer.ts';
import type { Config } from '../config.ts';
import type { RightsOfTables } from '../db/grants.ts';
import type { Pool } from '../db/pool.ts';
import { rightsOf, type TableRights } from '../db/table-rights.ts';
import type { ClosingBlocker } from '../ledger/command/closing-blocker.ts';
import type { EventName } from '../ledger/events/event-names.ts';
import type { DeclaredResource } from '../ledger/resources/declared-resource.ts';
import type { DeclaredLog, DeclaredTable } from '../ledger/rows/table-of.ts';
import type { Processor } from '../processors/processor.ts';
import type { JobName, QueuePool } from '../queue/job.ts';
import type { Rail } from '../rails/rail.ts';
import type { Clock, Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { Appointment } from './appointment.ts';
import type { ApprovalFollow } from './approval-follow.ts';
import type { AtBank, LineNames } from './at-bank.ts';
import type { Equation } from './equation.ts';
import type { MovedRows, OverdueRows } from './moved-rows.ts';
import type { OperatorReport } from './operator-report.ts';
import type { EventCheck, RowCheck } from './row-check.ts';

type AnyTable = DeclaredTable<unknown> | DeclaredLog<unknown>;

export interface Group {
  readonly name: string;
  /** Of its folders; the order in which those may see each other is `NOUNS`, beside the declaration. */
  readonly resources: readonly DeclaredResource[];
  /** The tables and logs that its commands write beside those of its resources. */
  readonly tables: readonly AnyTable[];
  /** The rights on tables that no declaration makes, and on those whose rows are also changed in other ways. */
  readonly rights?: Readonly<Record<string, TableRights>>;
  /** Names of events about objects of several kinds. Those about a resource stand with it. */
  readonly events?: readonly EventName[];
  /** What falls due in a book's own time. Of one moment, those that stand first are kept first. */
  readonly appointments?: readonly Appointment[];
  readonly moved: readonly MovedRows[];
  readonly checks: readonly RowCheck[];
  /** The balances that its rows state. Every code of the chart that its entries move is in one of them. */
  readonly equations?: readonly Equation[];
  /** What is under way keeps its account open. */
  readonly blocksClosing: readonly ClosingBlocker[];
  /** What banks show of its entries that move the pool. */
  readonly atBank?: readonly AtBank[];
  /** By what files name lines of its entries that no bank has a word for. */
  readonly lineNames?: readonly LineNames[];
  /** What begins with the approval of an exception. */
  readonly followsApproval?: readonly ApprovalFollow[];
  readonly gauges: readonly Gauge[];
  readonly eventChecks?: readonly EventCheck[];
  /** Rows that wait for a worker or a person, and are not moved one by one. */
  readonly overdue?: readonly OverdueRows[];
  readonly sweeps?: (context: SweepContext) => readonly Sweep[];
  /**
   * Rows that may be open when days of a book are closed: they are listed with the days, and do not prevent closing.
   */
  readonly leftOpen?: readonly LeftOpen[];
  /** Reports of the operator's books, made from rows of this group. */
  readonly operatorReports?: readonly OperatorReport[];
  /** What days of a book must have before they are closed. */
  readonly blocksPeriods?: readonly PeriodBlocker[];
}

export interface PeriodBlocker {
  /** As `blocked_by` of the refusal names it: api/schemas/closing-block-schema.ts. */
  readonly type: string;
  /** Undefined where nothing keeps the days from being closed. `detail` names the remedy; the rest stands in `blocked_by`. */
  find(
    pool: Pool,
    bookId: Uuid,
    through: string,
  ): Promise<{ readonly detail: string; readonly [fact: string]: unknown } | undefined>;
}

export interface LeftOpen {
  /** As the period lists it: `exceptions_open`. */
  readonly type: string;
  /** Of one book, up to COUNT_LIMIT. */
  count(pool: Pool, bookId: Uuid): Promise<number>;
}

/** What a worker sets of a row that a bug stops, beside what its table declares. */
const STOPPED = ['stuck_at', 'stuck_error'];

/** Every table and log that the commands of a group write, each once. */
export function tablesOf({ resources, tables }: Pick<Group, 'resources' | 'tables'>): AnyTable[] {
  return [...new Set([...resources.map(({ table }) => table), ...tables])];
}

/** The rights of the application's role on each table of a group: what commands and workers change by its declaration. */
export function rightsOfGroup(group: Pick<Group, 'resources' | 'tables' | 'moved' | 'rights'>): RightsOfTables {
  const moved = new Set(group.moved.map(({ table }) => table.name));
  const declared = tablesOf(group).map((table): [string, TableRights] => [
    table.name,
    rightsOf(table, moved.has(table.name) ? STOPPED : []),
  ]);
  return { ...Object.fromEntries(declared), ...group.rights };
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
  readonly rails: { all(): readonly Pick<Rail, 'name' | 'notices'>[]; files(): readonly Pick<Rail, 'name'>[] };
  readonly acquirers: { all(): readonly Pick<Acquirer, 'name' | 'notices'>[] };
  readonly processors: { all(): readonly Pick<Processor, 'name' | 'notices'>[] };
  readonly config: Pick<Config, 'IDEMPOTENCY_BODY_RETENTION_DAYS' | 'NOTICE_RETENTION_DAYS'>;
  /** The sweeper stops: a round ends after its page. */
  isClosing(): boolean;
  /**
   * Enqueues jobs that every round enqueues again while a party does not answer: a queue has each once for `namedMs`.
   */
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
