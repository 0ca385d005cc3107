/**
 * Bench `growth`: cost must grow with the work, not with the history. Runs the `ledger` bench on top of millions of
 * entries and on an empty database in turns. Also measures a page of an account with a fifth of the entries, the
 * account's balance at moments between and at days of effect, and the cost of a snapshot that stays open.
 */

import { listAccountLines } from '../../src/ledger/account/account-line-store.ts';
import { findBalanceAt } from '../../src/ledger/balances/balance-at-store.ts';
import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { type BenchBook, createCommitter, openBookWithAccounts } from './book.ts';
import { readByEffect } from './effective.ts';
import { inTurns, oneAccountCommands, submitAll, uniformCommands } from './ledger-load.ts';
import { openSnapshot } from './open-snapshot.ts';
import { takeTurns, timed } from './slices.ts';
import { addDatabase, type Stage, setStage } from './stage.ts';
import { percentile, round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const ACCOUNTS = 20_000;
const CALLERS = 2_000;
const SLICE = 10_000;
const REPORT_EVERY = 250_000;
const READS = 500;
const PAGE = 100;

export async function benchGrowth({ closing, seconds, entries, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue: null, profile });
  const emptyPool = await addDatabase(stage, 'empty');
  const empty = await openBookWithAccounts(emptyPool, { name: 'Empty', accounts: ACCOUNTS });
  const grown = await openBookWithAccounts(stage.pool, { name: 'Grown', accounts: ACCOUNTS });
  await fill(stage, grown, entries);

  const slice = (name: string, book: BenchBook, pool: Stage['pool']) => {
    const committer = createCommitter(pool);
    return {
      name,
      run: () => timed(() => submitAll(committer, uniformCommands(book), { count: SLICE, callers: CALLERS })),
    };
  };
  const turns = await takeTurns([slice('empty', empty, emptyPool), slice('grown', grown, stage.pool)], seconds);
  const reads = await readOneAccount(stage, grown);
  const underSnapshot = await openSnapshot(stage, grown);
  const byEffect = await readByEffect(stage, entries);
  const checked = await verifyLedger(stage);
  return {
    versions: stage.versions,
    checked,
    fields: {
      entries,
      entries_per_s: round(turns.rate('grown')),
      empty_per_s: round(turns.rate('empty')),
      ratio_to_empty: round(turns.ratio('grown', 'empty'), 3),
      ...reads,
      ...underSnapshot,
      ...byEffect.fields,
    },
    missed: byEffect.missed,
  };
}

/** Fills the book. Every fifth entry touches the first account. */
async function fill({ pool }: Stage, book: BenchBook, entries: number): Promise<void> {
  const committer = createCommitter(pool);
  const uniform = uniformCommands(book);
  const nextCommand = inTurns([oneAccountCommands(book, book.accounts[0]!), uniform, uniform, uniform, uniform]);
  for (let done = 0; done < entries; done += REPORT_EVERY) {
    await submitAll(committer, nextCommand, { count: Math.min(REPORT_EVERY, entries - done), callers: CALLERS });
    say(`${Math.min(done + REPORT_EVERY, entries)} of ${entries} entries`);
  }
  await committer.close();
}

async function readOneAccount({ pool }: Stage, book: BenchBook): Promise<Record<string, number>> {
  const id = book.accounts[0]!;
  const { rows } = await listAccountLines(pool, book.id, id, { limit: 1 });
  const lines = rows[0]!.line;
  const oldest = (await listAccountLines(pool, book.id, id, { limit: 1, endingBefore: '1' })).rows[0]!.postedAt;
  const newest = rows[0]!.postedAt;
  const within = () => Math.random();
  const page = await latencies(async () => {
    const startingAfter = String(BigInt(Math.floor(within() * Number(lines - 1n))) + 2n);
    await listAccountLines(pool, book.id, id, { limit: PAGE, startingAfter });
  });
  const at = await latencies(() =>
    findBalanceAt(pool, book.id, { id, lines }, Math.floor(oldest + within() * (newest - oldest))),
  );
  return {
    account_lines: Number(lines),
    page_p50_ms: round(percentile(page, 50), 1),
    page_p99_ms: round(percentile(page, 99), 1),
    at_p50_ms: round(percentile(at, 50), 1),
    at_p99_ms: round(percentile(at, 99), 1),
  };
}

/** Reads one after the other. In milliseconds. */
async function latencies(read: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; number < READS; number++) {
    const started = performance.now();
    await read();
    times.push(performance.now() - started);
  }
  return times;
}
