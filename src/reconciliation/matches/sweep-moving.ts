/**
 * Matches of many items that were left half moved: a run, or the request that undid one, whose process died between its commands. The sweeper
 * enqueues them until they are confirmed or undone, so none waits for a next file. A process that is still moving one loses nothing: each command names
 * how many items are taken before it.
 */
import type { Sweep, SweepContext } from '../../group/group.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { encodeActor } from '../../values/actor.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { findMovingMatches, type MatchKey } from './candidate-store.ts';
import { type MoveRuntime, moveLargeMatch } from './move-large-match.ts';

/** Every round enqueues these jobs again until they are done: a queue merges repetitions for so long. */
const NAMED_MS = 30_000;
const PAGE = 100;

export function sweepMovingMatches(context: SweepContext): Sweep {
  return { name: 'matches that are half moved', round: () => enqueueMoving(context) };
}

async function enqueueMoving(context: SweepContext): Promise<number> {
  let enqueued = 0;
  for (let after: MatchKey = { bookId: BEFORE_ALL_IDS, id: BEFORE_ALL_IDS }; !context.isClosing(); ) {
    const found = await findMovingMatches(context.pool, { after, limit: PAGE });
    const jobs = found.map(({ bookId, id }) => ({ job: 'bank_match.move' as const, bookId, ids: [id] }));
    if (jobs.length > 0) await context.enqueue(jobs, { pool: 'ledger', namedMs: NAMED_MS, now: context.clock.now() });
    enqueued += jobs.length;
    if (found.length < PAGE) break;
    const last = found.at(-1)!;
    further('matches that are half moved', `${after.bookId} ${after.id}`, `${last.bookId} ${last.id}`);
    after = last;
  }
  return enqueued;
}

const ACTOR = encodeActor({ type: 'system', part: 'reconciliation' });

/** The ledger pool's job. One that has ended meanwhile is left as it is. */
export async function moveMatches(runtime: MoveRuntime, bookId: BookId, ids: readonly Uuid[]): Promise<void> {
  for (const id of ids) await moveLargeMatch(runtime, { bookId, requestId: newId(), actor: ACTOR }, id);
}
