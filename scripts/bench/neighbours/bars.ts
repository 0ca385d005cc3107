/** The figures of a scenario in the bench `neighbours`, and the bars that they are compared with (BARS.md). Pure. */
import { percentile, round } from '../statistics.ts';

/** Measurements of the well-behaved book over a while. Times in milliseconds. */
export interface Seen {
  /** From the time at which a request was due to be sent, to its answer or its failure. */
  readonly accept: readonly number[];
  /** From the answer to the webhook `payout.paid`, or to the end of the wait for it. */
  readonly webhook: readonly number[];
  /** From the answer to the webhook `payout.returned`, for payouts that come back. */
  readonly returned: readonly number[];
  /** Answers other than 2xx, and broken connections. */
  readonly errors: number;
  /** Texts of the errors. */
  readonly failures: readonly string[];
  /** Webhooks that never came. */
  readonly undelivered: number;
}

/** A line of the result. Times in milliseconds. */
export interface Figures {
  readonly scenario: string;
  readonly accept_p99_ms: number;
  readonly accept_alone_ms: number;
  readonly webhook_p99_ms: number;
  readonly webhook_alone_ms: number;
  readonly returned_p99_ms: number;
  readonly returned_alone_ms: number;
  readonly errors: number;
  readonly undelivered: number;
  /** Resident size of the largest of the product's processes. */
  readonly peak_mb: number;
  /** Failures that must not happen: findings of verify, processes that ended by themselves. */
  readonly faults: readonly string[];
  readonly [UPDATES_FIELD]?: number;
}

const PEAK_MB_MAX = 250;
/** In the scenario with waiting deliveries: updates of their rows a second. */
export const UPDATES_FIELD = 'delivery_updates_per_s';
const UPDATES_MAX = 5;

/** The largest p99 allowed beside a neighbour, by the p99 alone. */
export function limitOf(aloneMs: number): number {
  return Math.max(2 * aloneMs, aloneMs + 100);
}

/** `alone`: the turns before and after, taken together. */
export function figuresOf(facts: {
  scenario: string;
  beside: Seen;
  alone: readonly Seen[];
  peakMb: number;
  faults: readonly string[];
}): Figures {
  const { scenario, beside, alone, peakMb, faults } = facts;
  const aloneP99 = (times: (seen: Seen) => readonly number[]) => p99(alone.flatMap(times));
  return {
    scenario,
    accept_p99_ms: p99(beside.accept),
    accept_alone_ms: aloneP99((seen) => seen.accept),
    webhook_p99_ms: p99(beside.webhook),
    webhook_alone_ms: aloneP99((seen) => seen.webhook),
    returned_p99_ms: p99(beside.returned),
    returned_alone_ms: aloneP99((seen) => seen.returned),
    errors: beside.errors,
    undelivered: beside.undelivered,
    peak_mb: round(peakMb),
    faults,
  };
}

/** Returns the bars that a scenario missed, each as a sentence. Empty when the scenario is green. */
export function missedBars(figures: Figures): string[] {
  const { scenario } = figures;
  const missed: string[] = [];
  const atMost = (field: string, value: number, limit: number) => {
    // Written this way round, so that NaN misses every bar.
    if (!(value <= limit)) missed.push(`${scenario}: ${field} is ${value}, at most ${round(limit, 1)}`);
  };
  atMost('accept_p99_ms', figures.accept_p99_ms, limitOf(figures.accept_alone_ms));
  atMost('webhook_p99_ms', figures.webhook_p99_ms, limitOf(figures.webhook_alone_ms));
  atMost('returned_p99_ms', figures.returned_p99_ms, limitOf(figures.returned_alone_ms));
  atMost('errors', figures.errors, 0);
  atMost('undelivered', figures.undelivered, 0);
  atMost('peak_mb', figures.peak_mb, PEAK_MB_MAX);
  atMost(UPDATES_FIELD, figures[UPDATES_FIELD] ?? 0, UPDATES_MAX);
  for (const fault of figures.faults) missed.push(`${scenario}: ${fault}`);
  return missed;
}

/** NaN without times: no payout was accepted, so none was delivered. */
function p99(times: readonly number[]): number {
  return times.length === 0 ? Number.NaN : round(percentile(times, 99), 1);
}
