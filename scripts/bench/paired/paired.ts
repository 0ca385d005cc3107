/**
 * Benches `paired …`: this code in turns with another commit, both up at once, each on servers of its own. The figures
 * are ratios of neighbouring slices. See docs/benchmarks.md.
 */

import { THIS_BUILD } from '../../harness/build.ts';
import { say } from '../../harness/progress.ts';
import type { BenchResult } from '../bench.ts';
import type { Closing } from '../closing.ts';
import type { QueueBackend } from '../stage.ts';
import { openAcceptSide } from './accept.ts';
import { buildCommit } from './checkout.ts';
import { openPaymentsSide, openPayoutsSide } from './end-to-end.ts';
import { LEDGER_SLICES, openLedgerSide } from './ledger.ts';
import { missedRates, ratiosOf } from './ratios.ts';
import { type Limit, takeRounds } from './rounds.ts';
import type { Side, SideOptions } from './side.ts';

interface PairedBench {
  about: string;
  slices: readonly string[];
  /** V8 still compiles during these rounds; they do not count. */
  warmUpRounds: number;
  open(options: SideOptions): Promise<Side>;
}

export const PAIRED_BENCHES: Record<string, PairedBench> = {
  accept: { about: 'POST /v1/payouts, one API process', slices: ['accept'], warmUpRounds: 4, open: openAcceptSide },
  payouts: {
    about: 'payouts from accept to delivered webhook',
    slices: ['payouts'],
    warmUpRounds: 3,
    open: openPayoutsSide,
  },
  payments: {
    about: 'card payments, authorized and captured, from accept to delivered webhook',
    slices: ['payments'],
    warmUpRounds: 3,
    open: openPaymentsSide,
  },
  ledger: {
    about: 'entries a second through the committer',
    slices: LEDGER_SLICES,
    warmUpRounds: 1,
    open: openLedgerSide,
  },
};

export interface PairedContext extends Limit {
  readonly closing: Closing;
  readonly queue: QueueBackend;
  /** The commit that this code is compared with. */
  readonly against: string;
  /** The lowest ratio of a rate with which the bench passes. */
  readonly atLeast?: number;
  /** Also measure the garbage collection of the API (bench accept). */
  readonly gc?: boolean;
}

export async function benchPaired(bench: PairedBench, context: PairedContext): Promise<BenchResult> {
  const { closing, queue, gc, against, atLeast } = context;
  const { revision, build } = await buildCommit(closing, against);
  say(`starting both: new is this code, old is ${revision}`);
  const sides = {
    new: await bench.open({ closing, build: THIS_BUILD, queue, gc }),
    old: await bench.open({ closing, build, queue, gc }),
  };
  const rounds = await takeRounds(
    { new: sides.new.run, old: sides.old.run },
    { slices: bench.slices, warmUpRounds: bench.warmUpRounds, limit: context },
  );
  const checked = { new: await sides.new.check(), old: await sides.old.check() };
  const measures = ratiosOf(rounds);
  return {
    versions: sides.new.versions,
    checked,
    fields: { against: revision, rounds: rounds.length, measures },
    ...(atLeast !== undefined && { missed: missedRates(measures, atLeast) }),
  };
}
