/**
 * Statements whose process died: released and not posted, before the last line of an approval or of an import; or held, though the one before
 * them is posted. The sweeper enqueues them until they are posted.
 */
import type { Sweep, SweepContext } from '../../group/group.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { readProgress } from '../lines/bank-line-store.ts';
import { type Following, findFollowing, findReleased, type StatementKey } from '../statements/bank-statement-store.ts';
import { bankStatements } from '../statements/bank-statement-table.ts';
import { IMPORT_ACTOR, isUnderWay, type PostRuntime, postStatement } from './post-statement.ts';
import { releaseOthers } from './release-others.ts';

/** Every round enqueues these jobs again until they are done: a queue merges repetitions for so long. */
const NAMED_MS = 30_000;
const PAGE = 100;

export function sweepReleased(context: SweepContext): Sweep[] {
  return [
    { name: 'released bank statements', round: () => enqueueReleased(context) },
    { name: 'bank statements that follow', round: () => enqueueFollowing(context) },
  ];
}

async function enqueueFollowing(context: SweepContext): Promise<number> {
  let enqueued = 0;
  let after: Following = { bookId: BEFORE_ALL_IDS, bankAccountId: BEFORE_ALL_IDS, id: BEFORE_ALL_IDS };
  while (!context.isClosing()) {
    const found = await findFollowing(context.pool, { after, limit: PAGE });
    enqueued += await enqueue(context, found);
    if (found.length < PAGE) break;
    const last = found.at(-1)!;
    const place = ({ bookId, bankAccountId }: Following) => `${bookId} ${bankAccountId}`;
    further('bank statements that follow', place(after), place(last));
    after = last;
  }
  return enqueued;
}

async function enqueue(context: SweepContext, found: readonly StatementKey[]): Promise<number> {
  const jobs = found.map(({ bookId, id }) => ({ job: 'bank_statement.post' as const, bookId, ids: [id] }));
  if (jobs.length > 0) await context.enqueue(jobs, { pool: 'ledger', namedMs: NAMED_MS, now: context.clock.now() });
  return jobs.length;
}

async function enqueueReleased(context: SweepContext): Promise<number> {
  let enqueued = 0;
  for (let after: StatementKey = { bookId: BEFORE_ALL_IDS, id: BEFORE_ALL_IDS }; !context.isClosing(); ) {
    const found = await findReleased(context.pool, { after, limit: PAGE });
    enqueued += await enqueue(context, found);
    if (found.length < PAGE) break;
    const last = found.at(-1)!;
    further('released bank statements', `${after.bookId} ${after.id}`, `${last.bookId} ${last.id}`);
    after = last;
  }
  return enqueued;
}

/** One whose lines are not all kept is left to the import of its file: that may still be reading. */
export async function postReleased(runtime: PostRuntime, bookId: BookId, ids: readonly Uuid[]): Promise<void> {
  for (const id of ids) {
    const statement = await bankStatements.find(runtime.pool, bookId, id);
    if (statement === undefined) continue;
    // Itself, or another one of its account.
    if (!statement.released) await releaseOthers(runtime, { bookId, bankAccountId: statement.bankAccountId });
    if (!isUnderWay(statement)) continue;
    const { kept } = await readProgress(runtime.pool, bookId, id);
    if (kept < statement.lines) continue;
    await postStatement(runtime, { bookId, statement, actor: IMPORT_ACTOR });
    await releaseOthers(runtime, { bookId, bankAccountId: statement.bankAccountId });
  }
}
