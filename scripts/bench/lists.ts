/**
 * Bench `lists`: pages of one book's payouts whose filters are all common. Five pairs of metadata, each on half of the
 * payouts: once all on the same half, once so that no payout has all five and a page looks at as many candidates as it
 * may. Read as the API reads lists, on tables that were never analyzed and again on analyzed ones.
 */
import { createListReads } from '../../src/db/list-reads.ts';
import type { Page, PageRequest } from '../../src/db/page.ts';
import { createPool } from '../../src/db/pool.ts';
import type { Payout } from '../../src/payouts/payout/payout.ts';
import { listPayouts, type PayoutFilter } from '../../src/payouts/payout/payout-store.ts';
import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { openBook } from './book.ts';
import { analyzeLists, insertManyPayouts } from './many-payouts-store.ts';
import { setStage } from './stage.ts';
import { percentile, round } from './statistics.ts';

const PAYOUTS = 200_000;
const NAMES = ['region', 'channel', 'kind', 'shop', 'plan'];

const CASES: { name: string; filter: PayoutFilter }[] = [
  { name: 'no filter', filter: {} },
  { name: 'one pair', filter: { metadata: { region: 'a' } } },
  { name: 'five pairs that meet', filter: { metadata: pairs('a', 'a') } },
  { name: 'five pairs that never meet', filter: { metadata: pairs('a', 'b') } },
  { name: 'five pairs, status, time', filter: { metadata: pairs('a', 'b'), statuses: ['paid'], createdGte: 0 } },
  { name: 'a status that none has', filter: { statuses: ['canceled'] } },
];

/** The first four pairs with one value, the last with another. */
function pairs(value: string, last: string): Record<string, string> {
  return Object.fromEntries(NAMES.map((name, at) => [name, at === NAMES.length - 1 ? last : value]));
}

export async function benchLists({ closing, seconds, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue: null, profile });
  const bookId = await openBook(stage.pool, 'Listed');
  const metadata = NAMES.map((key) => ({ key, value: 'a', every: 2 }));
  await insertManyPayouts(stage.pool, bookId, {
    count: PAYOUTS,
    metadata: [...metadata, { key: NAMES.at(-1)!, value: 'b', every: 2, from: 1 }],
  });
  say(`${PAYOUTS} payouts, each pair on half of them`);
  const lists = createListReads(stage.pool);
  const read = (filter: PayoutFilter, page: PageRequest) =>
    lists.read(bookId, (db) => listPayouts(db, bookId, filter, page));

  const owner = createPool({ url: stage.postgres.ownerUrl, name: 'bench', size: 1, log: stage.log });
  closing.add('the owner', () => owner.end());
  const measured: object[] = [];
  for (const statistics of ['none', 'analyzed']) {
    if (statistics === 'analyzed') await analyzeLists(owner);
    for (const { name, filter } of CASES) {
      const times = await timePages((page) => read(filter, page), seconds / CASES.length / 2);
      measured.push({ case: name, statistics, pages: times.length, ...milliseconds(times) });
    }
  }
  return { versions: stage.versions, checked: {}, fields: { payouts: PAYOUTS, lists: measured } };
}

/** Times pages one after the other, through the list and from its beginning again. */
async function timePages(read: (page: PageRequest) => Promise<Page<Payout>>, seconds: number): Promise<number[]> {
  const times: number[] = [];
  let startingAfter: string | undefined;
  for (const until = performance.now() + seconds * 1_000; performance.now() < until || times.length < 20; ) {
    const begun = performance.now();
    const { rows, hasMore, reached } = await read({ limit: 20, startingAfter });
    times.push(performance.now() - begun);
    startingAfter = hasMore ? (reached ?? rows.at(-1)?.id) : undefined;
  }
  return times;
}

function milliseconds(times: readonly number[]) {
  return { p50_ms: round(percentile(times, 50), 1), p99_ms: round(percentile(times, 99), 1) };
}
