/**
 * Sweeps the notices of parties. A party with notices gets a job that copies them, and a book whose inbox has due notices gets
 * a job that books them. One job for each book, however many notices: those that a job does not reach are enqueued again.
 */

import type { Sweep, SweepContext, SweptJob } from '../../group/group.ts';
import type { JobName, QueuePool } from '../../queue/job.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import type { NoticeSender } from '../party/party.ts';
import { partiesOfAgedNotices } from './foreign-notice-store.ts';
import { findBooksWithNotices } from './inbox-store.ts';
import { UNCLAIMED_KEPT_MS } from './take-notices.ts';

/** Jobs for notices are enqueued in every round. */
const NAMED_MS = 30_000;
/** Books in one page of inboxes. */
const PAGE = 1_000;
/** Bounds a round, however many inboxes there are. */
const PAGES = 100;

/** The parties of one kind, and the pool that calls them: the job copies notices without a book, and books those of a book. */
export interface SweptParties {
  parties(): readonly Pick<NoticeSender, 'name' | 'notices'>[];
  readonly pool: QueuePool;
  readonly job: JobName;
}

/** A sweep for each party, so that a party that does not answer delays only its own notices. */
export function sweepNotices(context: SweepContext, swept: SweptParties): Sweep[] {
  const ofParties = swept.parties().map((party) => ({
    name: `notices of ${party.name}`,
    async round() {
      const waiting = await party.notices(1);
      if (waiting.length === 0) return 0;
      await enqueue(context, swept, [{ bookId: '', ids: [party.name] }]);
      return 1;
    },
  }));
  return [
    ...ofParties,
    { name: `unclaimed notices of ${swept.job}`, round: () => sweepUnclaimed(context, swept) },
    { name: `inboxes of ${swept.job}`, round: () => sweepInboxes(context, swept) },
  ];
}

/** The job of a party also opens exceptions for what nobody has claimed: of its kind, and of parties that the settings no longer have. */
async function sweepUnclaimed(context: SweepContext, swept: SweptParties): Promise<number> {
  const own = new Set(swept.parties().map(({ name }) => name));
  if (own.size === 0) return 0;
  const kinds = [context.rails, context.acquirers, context.processors];
  const configured = new Set(kinds.flatMap((kind) => kind.all().map(({ name }) => name)));
  const before = context.clock.now() - UNCLAIMED_KEPT_MS;
  const aged = await partiesOfAgedNotices(context.pool, before);
  const named = aged.filter((name) => own.has(name) || !configured.has(name));
  if (named.length > 0) await enqueue(context, swept, [{ bookId: '', ids: named }]);
  return named.length;
}

async function sweepInboxes(context: SweepContext, swept: SweptParties): Promise<number> {
  const { pool, clock } = context;
  const parties = swept.parties().map(({ name }) => name);
  if (parties.length === 0) return 0;
  let enqueued = 0;
  let after: Uuid = BEFORE_ALL_IDS;
  for (let page = 0; page < PAGES && !context.isClosing(); page++) {
    const books = await findBooksWithNotices(pool, { now: clock.now(), after, limit: PAGE });
    const due = books.filter((book) => book.due);
    await enqueue(
      context,
      swept,
      due.map(({ bookId }) => ({ bookId, ids: parties })),
    );
    enqueued += due.length;
    if (books.length < PAGE) break;
    after = further('books', after, books.at(-1)!.bookId);
  }
  return enqueued;
}

function enqueue(
  { clock, ...context }: SweepContext,
  { pool, job }: SweptParties,
  rows: readonly Omit<SweptJob, 'job'>[],
): Promise<void> {
  const jobs = rows.map(({ bookId, ids }) => ({ job, bookId, ids }));
  return context.enqueue(jobs, { pool, namedMs: NAMED_MS, now: clock.now() });
}
