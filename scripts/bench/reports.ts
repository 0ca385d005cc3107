/**
 * Bench `reports`: a report must not cost what the history costs. A trial balance at the end of a book of millions of entries, at places in the
 * middle of it, and of a book with a tenth of the entries and as many accounts.
 */
import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { type BenchBook, createCommitter, openBookWithAccounts } from './book.ts';
import { startHelper } from './children.ts';
import { submitAll, uniformCommands } from './ledger-load.ts';
import type { Reported } from './reporter.ts';
import { type Stage, setStage } from './stage.ts';
import { percentile, round } from './statistics.ts';

const ACCOUNTS = 2_000;
const CALLERS = 2_000;
const NOTED_EVERY = 250_000;
const BARS = { trialBalanceMs: 2_000, growth: 3, foldPerSecond: 50_000, peakMb: 250 };

export async function benchReports({ closing, entries, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue: null, profile });
  const small = await openBookWithAccounts(stage.pool, { name: 'Small', accounts: ACCOUNTS });
  const large = await openBookWithAccounts(stage.pool, { name: 'Large', accounts: ACCOUNTS });
  await fill(stage, small, entries / 10);
  await fill(stage, large, entries);
  const reporter = startHelper(closing, 'reporter');
  const of = (bookId: string, part: number) =>
    reporter.ask<Reported>({ url: stage.environment.DATABASE_URL!, bookId, part });
  const ofSmall = await of(small.id, 1);
  const ofLarge = await of(large.id, 1);
  const ofMiddle = await of(large.id, 0.5);
  const median = ({ times }: Reported) => round(percentile(times, 50), 1);
  const foldPerSecond = round(entries / (ofLarge.foldMs / 1_000));
  const growth = round(median(ofLarge) / median(ofSmall), 2);
  const peakMb = round(Math.max(ofSmall.peakMb, ofLarge.peakMb, ofMiddle.peakMb));
  const missed = [
    median(ofLarge) > BARS.trialBalanceMs && `a trial balance took ${median(ofLarge)} ms, of ${BARS.trialBalanceMs}`,
    growth > BARS.growth && `it took ${growth} times that of a tenth of the entries, of ${BARS.growth}`,
    foldPerSecond < BARS.foldPerSecond && `${foldPerSecond} entries a second were folded, of ${BARS.foldPerSecond}`,
    peakMb > BARS.peakMb && `${peakMb} MB, of ${BARS.peakMb}`,
  ].filter((bar) => bar !== false);
  return {
    versions: stage.versions,
    // A report whose debits are not its credits, or whose lines are not what the totals come to, is refused.
    checked: {
      totals: ofLarge.totals.map(({ debits, credits }) => `${debits} = ${credits}`),
      blocks: ofLarge.blocks,
    },
    fields: {
      ...{ entries, accounts: ACCOUNTS, trial_balance_ms: median(ofLarge), middle_ms: median(ofMiddle) },
      ...{ small_ms: median(ofSmall), growth, fold_per_s: foldPerSecond, peak_mb: peakMb },
    },
    missed,
  };
}

async function fill({ pool }: Stage, book: BenchBook, entries: number): Promise<void> {
  const committer = createCommitter(pool);
  const uniform = uniformCommands(book);
  for (let done = 0; done < entries; done += NOTED_EVERY) {
    const count = Math.min(NOTED_EVERY, entries - done);
    await submitAll(committer, uniform, { count, callers: CALLERS });
    say(`${done + count} of ${entries} entries`);
  }
  await committer.close();
}
