/**
 * The cost to the ledger of a snapshot that stays open (a dump, a long report, a forgotten session). Meanwhile no old
 * version of a row can be removed, and a book and its busiest account get hundreds of new ones a second.
 */

import { say } from '../harness/progress.ts';
import { type BenchBook, createCommitter } from './book.ts';
import { oneAccountCommands, submitAll } from './ledger-load.ts';
import { keepSnapshot } from './open-snapshot-store.ts';
import { timed } from './slices.ts';
import type { Stage } from './stage.ts';
import { median, round } from './statistics.ts';

const SLICE = 12_000;
const CALLERS = 64;
/** Rounds that are compared: those before the snapshot, and the last ones under it. */
const COMPARED = 4;
const ROUNDS_UNDER_SNAPSHOT = 24;

/** 64 callers, one account in every entry. The ratio is the last rounds under the snapshot ÷ the rounds before it. */
export async function openSnapshot(stage: Stage, book: BenchBook): Promise<Record<string, number>> {
  const committer = createCommitter(stage.pool);
  const nextCommand = oneAccountCommands(book, book.accounts[0]!);
  let entries = 0;
  const rounds = async (count: number) => {
    const rates: number[] = [];
    for (let number = 0; number < count; number++) {
      const { count: done, seconds } = await timed(() =>
        submitAll(committer, nextCommand, { count: SLICE, callers: CALLERS }),
      );
      entries += done;
      rates.push(done / seconds);
    }
    return rates;
  };
  await rounds(1);
  const free = median(await rounds(COMPARED));
  const letGo = await keepSnapshot(stage);
  entries = 0;
  const under = median((await rounds(ROUNDS_UNDER_SNAPSHOT)).slice(-COMPARED));
  const entriesUnderSnapshot = entries;
  await letGo();
  await committer.close();
  say(
    `64 callers on one account: ${round(free)}/s, and ${round(under)}/s under a snapshot ${entriesUnderSnapshot} entries old`,
  );
  return { snapshot_entries: entriesUnderSnapshot, snapshot_ratio: round(under / free, 3) };
}
