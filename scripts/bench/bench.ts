/** The input and the result of a bench. */
import type { Closing } from './closing.ts';
import type { QueueBackend } from './stage.ts';

export interface BenchContext {
  readonly closing: Closing;
  readonly queue: QueueBackend;
  /** How long to measure, without setup and checks. */
  readonly seconds: number;
  /** Payouts or payments to carry, for benches that measure a number instead of a time. */
  readonly payouts: number;
  /** Entries in the ledger before the measurement (bench growth). */
  readonly entries: number;
  /** Payouts that wait without a worker (bench memory). */
  readonly backlog: number;
  /** Purchases that a card has had before the measurement (bench authorize). */
  readonly purchases: number;
  /** How long the load goes on (bench soak). */
  readonly minutes: number;
  /** Scenarios, runs or parts, for a bench with several; all of them when left out (benches neighbours, tenants, clearing, reconcile). */
  readonly only?: readonly string[];
  /** Folder for profiles: one of each process, and the statements of Postgres. Profiling costs a tenth or more. */
  readonly profile?: string;
}

/** The parts that were asked for. Throws for one that the bench does not have. */
export function partsOf({ only }: Pick<BenchContext, 'only'>, parts: readonly string[]): readonly string[] {
  const strange = only?.find((part) => !parts.includes(part));
  if (strange !== undefined) throw new Error(`There is no part ${strange}: it is ${parts.join(' or ')}.`);
  return only ?? parts;
}

export interface BenchResult {
  readonly fields: Record<string, number | string | object>;
  readonly versions: { postgres: string; redis: string | null };
  /** Results of the checks after the run. A bench whose ledger does not verify throws instead. */
  readonly checked: Record<string, unknown>;
  /** Missed bars, for a bench that judges itself. Such a bench then fails, with its figures. */
  readonly missed?: readonly string[];
}
