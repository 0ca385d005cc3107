/** Reports that are not posted: the sweeper enqueues them from the first bank account of their mode on, and the ledger pool posts them one by one. */
import type { Pool } from '../../db/pool.ts';
import type { Sweep, SweepContext } from '../../group/group.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { readBegunModes } from '../accounts/begun-modes-store.ts';
import { acquirerReports, listReceivedIds, readReport } from './acquirer-report-table.ts';
import { postReport } from './post-report.ts';

/** Every round enqueues these jobs again until they are done: a queue merges repetitions for so long. */
const NAMED_MS = 30_000;
const PAGE = 100;

export function sweepReports(context: SweepContext): Sweep {
  return {
    name: 'reports of acquirers that are not posted',
    async round() {
      let enqueued = 0;
      for (const { bookId } of await readBegunModes(context.pool)) enqueued += await enqueueReceived(context, bookId);
      return enqueued;
    },
  };
}

async function enqueueReceived(context: SweepContext, bookId: BookId): Promise<number> {
  let enqueued = 0;
  for (let after = BEFORE_ALL_IDS; !context.isClosing(); ) {
    const ids = await listReceivedIds(context.pool, bookId, { after, limit: PAGE });
    if (ids.length === 0) break;
    const jobs = [{ job: 'acquirer_report.post' as const, bookId, ids }];
    await context.enqueue(jobs, { pool: 'ledger', namedMs: NAMED_MS, now: context.clock.now() });
    enqueued += ids.length;
    if (ids.length < PAGE) break;
    after = further('reports of acquirers', after, ids.at(-1)!);
  }
  return enqueued;
}

export interface PostReportsRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

/** All of a book of the operator's that are not posted, before its lines are matched. */
export async function postAllReports(runtime: PostReportsRuntime, bookId: BookId): Promise<void> {
  for (let after = BEFORE_ALL_IDS; ; ) {
    const ids = await listReceivedIds(runtime.pool, bookId, { after, limit: PAGE });
    await postReports(runtime, bookId, ids);
    if (ids.length < PAGE) return;
    after = further('reports of acquirers', after, ids.at(-1)!);
  }
}

/** The ledger pool's job. Answers with how many it posted. */
export async function postReports(
  { pool, committer }: PostReportsRuntime,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<number> {
  let posted = 0;
  for (const report of (await acquirerReports.load(pool, bookId, ids)).values()) {
    if (report.status === 'posted') continue;
    const read = (await readReport(pool, bookId, report.id)) ?? { name: '', totals: [] };
    if (await committer.submit(bookId, postReport({ bookId, report, read }))) posted += 1;
  }
  return posted;
}
