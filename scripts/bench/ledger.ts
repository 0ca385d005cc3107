/**
 * Bench `ledger`: entries a second through the committer, beside the ceiling that these tables set. One process, as a
 * ledger worker is one. docs/benchmarks.md explains each field.
 */

import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { type BenchBook, CURRENCY, createCommitter, openBookWithAccounts } from './book.ts';
import { CeilingRows, insertCeilingBatch } from './ceiling-store.ts';
import { hotCommands, inTurns, submitAll, uniform, uniformCommands } from './ledger-load.ts';
import { type Slice, takeTurns, timed } from './slices.ts';
import { addDatabase, type Stage, setStage } from './stage.ts';
import { round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const ACCOUNTS = 20_000;
/** The committer's largest batch; batches of the ceiling are as large. */
const BATCH = 1_000;
/** One batch under way and one waiting: every batch is full, and no command waits for long. */
const CALLERS_FULL = 2 * BATCH;
const CALLERS_CONCURRENT = 64;
const BOOKS = 4;
/** Entries in a slice: about a second's work, so that the first and last batches, which are not full, hardly count. */
const SLICE_FULL = 20_000;
const SLICE_CONCURRENT = 12_000;
const SLICE_ONE_BY_ONE = 1_000;

export async function benchLedger({ closing, seconds, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue: null, profile });
  const book = await openBookWithAccounts(stage.pool, { name: 'One book', accounts: ACCOUNTS });
  const four: BenchBook[] = [];
  for (let number = 1; number <= BOOKS; number++) {
    four.push(await openBookWithAccounts(stage.pool, { name: `Book ${number}`, accounts: ACCOUNTS / BOOKS }));
  }
  say(`${ACCOUNTS} accounts in one book, as many in ${BOOKS} books, as many for the ceiling`);
  const turns = await takeTurns([await ceilingSlice(stage), ...productSlices(stage, book, four)], seconds);
  const checked = await verifyLedger(stage);
  const { rate, ratio } = turns;
  return {
    versions: stage.versions,
    checked,
    fields: {
      entries_per_s: round(rate('uniform')),
      ceiling_per_s: round(rate('ceiling')),
      ratio: round(ratio('uniform', 'ceiling'), 3),
      hot_per_s: round(rate('hot')),
      hot_ratio: round(ratio('hot', 'uniform'), 3),
      concurrent_per_s: round(rate('concurrent')),
      one_by_one_per_s: round(rate('one by one')),
      concurrent_ratio: round(ratio('concurrent', 'one by one'), 1),
      books4_per_s: round(rate('4 books')),
      books4_ratio: round(ratio('4 books', 'uniform'), 2),
    },
  };
}

function productSlices({ pool }: Stage, book: BenchBook, four: readonly BenchBook[]): Slice[] {
  const committer = createCommitter(pool);
  const slice = (
    name: string,
    nextCommand: () => ReturnType<ReturnType<typeof uniformCommands>>,
    load: { count: number; callers: number },
  ) => ({
    name,
    run: () => timed(() => submitAll(committer, nextCommand, load)),
  });
  const full = { count: SLICE_FULL, callers: CALLERS_FULL };
  return [
    slice('uniform', uniformCommands(book), full),
    slice('hot', hotCommands(book), full),
    slice('4 books', inTurns(four.map(uniformCommands)), { count: SLICE_FULL * 2, callers: CALLERS_FULL * BOOKS }),
    slice('concurrent', uniformCommands(book), { count: SLICE_CONCURRENT, callers: CALLERS_CONCURRENT }),
    slice('one by one', uniformCommands(book), { count: SLICE_ONE_BY_ONE, callers: 1 }),
  ];
}

/** The ceiling has a database of its own on the same server, so that the ledger's database can be verified whole. */
async function ceilingSlice(stage: Stage): Promise<Slice> {
  const pool = await addDatabase(stage, 'ceiling');
  const book = await openBookWithAccounts(pool, { name: 'Ceiling', accounts: ACCOUNTS });
  const rows = new CeilingRows();
  return {
    name: 'ceiling',
    run() {
      const batches = Array.from({ length: SLICE_FULL / BATCH }, () =>
        rows.batch(
          Array.from({ length: BATCH }, () => uniform(book)),
          CURRENCY,
        ),
      );
      return timed(async () => {
        for (const batch of batches) await insertCeilingBatch(pool, book.id, batch);
        return SLICE_FULL;
      });
    },
  };
}
