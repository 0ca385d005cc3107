/**
 * Bench `audit`: the rate of posting with the audit beside it, and without. One book with entries to check, 64 callers
 * that post to it, and a sweeper with its audit in a process of its own, which is stopped in every other slice.
 */

import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { createCommitter, openBookWithAccounts } from './book.ts';
import { startWorkerProcess } from './children.ts';
import { familyCpuSeconds } from './cpu-time.ts';
import { submitAll, uniformCommands } from './ledger-load.ts';
import { takeTurns, timed } from './slices.ts';
import { setStage } from './stage.ts';
import { round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const ACCOUNTS = 20_000;
const CALLERS = 64;
/** Entries to check before the first slice: many pages. */
const ENTRIES_BEFORE = 200_000;
/** Entries in a slice: a few seconds, while the audit turns a page every second or so. */
const SLICE = 36_000;

export async function benchAudit({ closing, queue, seconds, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue, profile });
  const book = await openBookWithAccounts(stage.pool, { name: 'Audited', accounts: ACCOUNTS });
  const committer = createCommitter(stage.pool);
  const nextCommand = uniformCommands(book);
  await submitAll(committer, nextCommand, { count: ENTRIES_BEFORE, callers: 1_000 });
  const sweeper = await startWorkerProcess(stage, ['sweeper']);
  say(`${ENTRIES_BEFORE} entries to check, ${CALLERS} callers post more`);

  const used = { alone: { postgres: 0, entries: 0 }, audited: { postgres: 0, entries: 0 } };
  let sweeperSeconds = 0;
  let auditedSeconds = 0;
  const slice = (name: 'alone' | 'audited') => ({
    name,
    async run() {
      if (name === 'alone') sweeper.pause();
      else sweeper.resume();
      const before = { postgres: familyCpuSeconds(stage.postgres.pid!), sweeper: sweeper.cpuSeconds() };
      const measured = await timed(() => submitAll(committer, nextCommand, { count: SLICE, callers: CALLERS }));
      used[name].postgres += familyCpuSeconds(stage.postgres.pid!) - before.postgres;
      used[name].entries += measured.count;
      if (name === 'audited') {
        sweeperSeconds += sweeper.cpuSeconds() - before.sweeper;
        auditedSeconds += measured.seconds;
      }
      return measured;
    },
  });
  const { rate, ratio } = await takeTurns([slice('alone'), slice('audited')], seconds);
  sweeper.resume();
  await sweeper.stop();
  await committer.close();
  const checked = await verifyLedger(stage);
  const postgresMicroseconds = ({ postgres, entries }: { postgres: number; entries: number }) =>
    round((postgres / entries) * 1e6, 1);
  return {
    versions: stage.versions,
    checked,
    fields: {
      alone_per_s: round(rate('alone')),
      audited_per_s: round(rate('audited')),
      ratio: round(ratio('audited', 'alone'), 3),
      /** Fraction of one core, in the sweeper's own process. */
      sweeper_cpu_share: round(sweeperSeconds / auditedSeconds, 3),
      postgres_cpu_us_alone: postgresMicroseconds(used.alone),
      postgres_cpu_us_audited: postgresMicroseconds(used.audited),
    },
  };
}
