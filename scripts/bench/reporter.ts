/** A process of bench `reports`: folds the totals of a book and writes its trial balance, so that its memory is that of a report. */
import { dayOf } from '../../src/calendar/day.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { loadBook } from '../../src/ledger/book/book-store.ts';
import { createLogger } from '../../src/process/log.ts';
import { trialBalance } from '../../src/reports/figures/trial-balance.ts';
import { type Totals, type Written, writeFigures } from '../../src/reports/figures/write-figures.ts';
import { foldBook } from '../../src/reports/totals/fold-totals.ts';

export interface ReportAsked {
  readonly url: string;
  readonly bookId: string;
  /** Of the entries: up to which one the trial balance goes. */
  readonly part: number;
}

export interface Reported {
  /** Of the fold, if there was one. */
  readonly foldMs: number;
  readonly blocks: number;
  readonly times: readonly number[];
  readonly totals: readonly Totals[];
  readonly peakMb: number;
}

const RUNS = 11;
const SAMPLE_MS = 20;
let pool: Pool | undefined;

process.on('message', async ({ url, bookId, part }: ReportAsked) => {
  pool ??= createPool({ url, name: 'reporter', size: 2, log: createLogger('silent', 'bench') });
  let peakMb = 0;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, process.memoryUsage.rss() / 1_000_000);
  }, SAMPLE_MS);
  const { entrySequence: head } = (await loadBook(pool, bookId))!;
  const started = performance.now();
  const blocks = await foldBook(pool, { id: bookId, head });
  const foldMs = performance.now() - started;
  const written = await writeTimes(pool, bookId, part);
  clearInterval(sampling);
  process.send!({ foldMs, blocks, ...written, peakMb } satisfies Reported);
});
process.once('disconnect', () => process.exit());

/** Milliseconds of each trial balance up to a part of the entries. */
async function writeTimes(from: Pool, bookId: string, part: number) {
  const book = (await loadBook(from, bookId))!;
  const sequence = BigInt(Math.floor(Number(book.entrySequence) * part));
  const to = dayOf(book.lastPostedAt, book.timeZone);
  const asked = { axis: 'effective', from: to, to, sequence } as const;
  const place = { sequence, postedThrough: sequence, day: to };
  const times: number[] = [];
  let last: Written | undefined;
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    const pages = trialBalance.rows({ db: from, book, asked, place });
    last = await writeFigures(trialBalance, pages, { format: 'csv', bom: false, head: {} }, () => undefined);
    if (last.totals.length === 0) throw new Error('The trial balance has no totals');
    times.push(performance.now() - began);
  }
  return { times, totals: last!.totals };
}
