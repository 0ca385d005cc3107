/** What a bench is given and what it gives back. */
import type { Closing } from './closing.ts';
import type { QueueBackend } from './stage.ts';

export interface BenchContext {
  readonly closing: Closing;
  readonly queue: QueueBackend;
  /** How long to measure, setting up and checking not counted. */
  readonly seconds: number;
  /** For benches that count to a number instead of a time. */
  readonly payouts: number;
  /** How many entries the ledger holds before it is measured (bench growth). */
  readonly entries: number;
  /** How many payouts wait without a worker (bench memory). */
  readonly backlog: number;
  /** Which scenarios to run, where a bench has several; all of them when left out (bench neighbours). */
  readonly only?: readonly string[];
  /** Where profiles are written: one of each process, and the statements of Postgres. Profiling costs a tenth or more. */
  readonly profile?: string;
}

export interface BenchResult {
  readonly fields: Record<string, number | string | readonly object[]>;
  readonly versions: { postgres: string; redis: string | null };
  /** What was verified after the run; a bench whose ledger does not hold throws instead. */
  readonly checked: Record<string, unknown>;
  /** Which bars were missed, for benches that judge themselves: the bench then fails, with its figures. */
  readonly missed?: readonly string[];
}
