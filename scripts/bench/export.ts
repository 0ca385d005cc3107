/**
 * Bench `export`: the general ledger of a book as CSV, every line of it, beside COPY of the same rows. An export goes on beside payments: it must
 * not keep a snapshot open, nor its file in memory.
 */
import { createPool } from '../../src/db/pool.ts';
import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { createCommitter, openBookWithAccounts } from './book.ts';
import { startHelper } from './children.ts';
import { copyLines, longestTransactionMs } from './copy-store.ts';
import type { Exported } from './exporter.ts';
import { submitAll, uniformCommands } from './ledger-load.ts';
import { setStage } from './stage.ts';
import { percentile, round } from './statistics.ts';

const ACCOUNTS = 2_000;
const CALLERS = 2_000;
/** A million lines: each entry has two. */
const ENTRIES_MAX = 500_000;
const RUNS = 3;
const SAMPLE_MS = 100;
const BARS = { ratio: 0.3, peakMb: 250, snapshotMs: 5_000 };

export async function benchExport({ closing, entries, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue: null, profile });
  const { id } = await openBookWithAccounts(stage.pool, { name: 'Export', accounts: ACCOUNTS }).then(async (book) => {
    const committer = createCommitter(stage.pool);
    await submitAll(committer, uniformCommands(book), { count: Math.min(entries, ENTRIES_MAX), callers: CALLERS });
    await committer.close();
    return book;
  });
  // In the database of the product.
  const url = new URL(stage.postgres.superuserUrl);
  url.pathname = new URL(stage.postgres.ownerUrl).pathname;
  const superuser = createPool({ url: url.href, name: 'copy', size: 2, log: stage.log });
  closing.add('COPY', () => superuser.end());
  const watched = watch(() => longestTransactionMs(superuser));
  const exportMs: number[] = [];
  const copyMs: number[] = [];
  let lines = 0;
  let openings = 0;
  let peakMb = 0;
  const exporter = startHelper(closing, 'exporter');
  // In turns: what else the machine does is shared by both.
  for (let run = 1; run <= RUNS; run++) {
    const exported = await exporter.ask<Exported>({ url: stage.environment.DATABASE_URL!, bookId: id });
    exportMs.push(exported.ms);
    ({ lines, openings } = exported);
    peakMb = Math.max(peakMb, round(exported.peakMb));
    const copied = await timed(() => copyLines(superuser, id));
    copyMs.push(copied.ms);
    if (copied.result !== lines) throw new Error(`COPY has ${copied.result} lines, and the export ${lines}`);
    say(`run ${run}: export ${round(exported.ms)} ms, COPY ${round(copied.ms)} ms`);
  }
  const longestMs = await watched.end();
  const ratio = round(percentile(copyMs, 50) / percentile(exportMs, 50), 3);
  const missed = [
    ratio < BARS.ratio && `the export has ${ratio} of the rate of COPY, of ${BARS.ratio}`,
    peakMb > BARS.peakMb && `${peakMb} MB, of ${BARS.peakMb}`,
    longestMs > BARS.snapshotMs && `a snapshot of ${longestMs} ms, of ${BARS.snapshotMs}`,
  ].filter((bar) => bar !== false);
  return {
    versions: stage.versions,
    checked: { lines, openings },
    fields: {
      ...{ lines, export_ms: round(percentile(exportMs, 50)), copy_ms: round(percentile(copyMs, 50)), ratio },
      ...{ peak_mb: peakMb, longest_snapshot_ms: longestMs },
    },
    missed,
  };
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ ms: number; result: Result }> {
  const started = performance.now();
  const result = await work();
  return { ms: performance.now() - started, result };
}

/** Samples until it is ended. Resolves to the longest, in milliseconds. */
function watch(longest: () => Promise<number>) {
  let longestMs = 0;
  let failure: unknown;
  const timer = setInterval(() => {
    longest().then(
      (ms) => {
        longestMs = Math.max(longestMs, ms);
      },
      (error: unknown) => {
        failure = error;
      },
    );
  }, SAMPLE_MS);
  timer.unref();
  return {
    end() {
      clearInterval(timer);
      if (failure !== undefined) return Promise.reject(failure);
      return Promise.resolve(round(longestMs));
    },
  };
}
