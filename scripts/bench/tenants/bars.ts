/** The bars of the bench `tenants` (BARS.md), and its figures as ratios to one book's. */
import { round } from '../statistics.ts';
import type { TenantsRun } from './run-tenants.ts';

export interface Flood {
  readonly books: number;
  readonly per_s: number;
  readonly sent: number;
  /** Different webhooks of these payouts that were received. */
  readonly delivered: number;
  readonly p99_ms: number;
}

/** Payouts a second ÷ those of one book. Absent where one of the two was not measured. */
export type Ratios = Partial<Record<'ratio_10' | 'ratio_100' | 'ratio_1000' | 'ratio_zipf', number>>;

type Runs = ReadonlyMap<string, TenantsRun>;

const RATIO_BARS: Ratios = { ratio_100: 0.7, ratio_1000: 0.6, ratio_zipf: 0.7 };
const BYTES_BAR = 8_192;
/** With fewer payouts the empty pages of new tables count for too much. */
const BYTES_PAYOUTS = 60_000;
const VOID_ABOVE = 0.15;

/** Whether the machine changed so much during the bench that its ratios mean nothing. */
export function isVoid(runs: Runs): boolean {
  const rates = ofOneBook(runs).map(({ per_s }) => per_s);
  return rates.length > 1 && Math.max(...rates) / Math.min(...rates) - 1 > VOID_ABOVE;
}

export function ratiosOf(runs: Runs): Ratios {
  const one = ofOneBook(runs);
  if (one.length === 0) return {};
  const mean = one.reduce((sum, { per_s }) => sum + per_s, 0) / one.length;
  const ratios: Ratios = {};
  for (const name of ['10', '100', '1000', 'zipf'] as const) {
    const run = runs.get(name);
    if (run) ratios[`ratio_${name}`] = round(run.per_s / mean, 3);
  }
  return ratios;
}

/** The bars that were missed. */
export function judge(
  runs: Runs,
  { ratios, flood, payouts }: { ratios: Ratios; flood: Flood | undefined; payouts: number },
): string[] {
  const missed: string[] = [];
  for (const [name, bar] of Object.entries(RATIO_BARS)) {
    const ratio = ratios[name as keyof Ratios];
    if (ratio !== undefined && ratio < bar) missed.push(`${name} is ${ratio}, the bar ${bar}`);
  }
  const one = ofOneBook(runs);
  const most = Math.max(250, ...one.map(({ p99_ms }) => 1.5 * p99_ms));
  for (const [name, { p99_ms }] of runs)
    if (p99_ms > most) missed.push(`p99 of run ${name} is ${p99_ms} ms, the bar ${round(most)}`);
  if (flood && flood.p99_ms > most) missed.push(`p99 of flood is ${flood.p99_ms} ms, the bar ${round(most)}`);
  for (const { bytes } of payouts < BYTES_PAYOUTS ? [] : one)
    if (bytes > BYTES_BAR) missed.push(`a payout of one book takes ${bytes} bytes, the bar ${BYTES_BAR}`);
  return missed;
}

function ofOneBook(runs: Runs): TenantsRun[] {
  return ['1', '1b'].flatMap((name) => runs.get(name) ?? []);
}
