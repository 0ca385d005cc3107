/**
 * Sweeps of rails' notices: a rail that has some is asked for them, and a book whose inbox has some that are due books
 * them. One job for each book, however many notices: what a job leaves is enqueued again.
 */
import type { Sweep, SweepContext, SweptJob } from '../group.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../ids.ts';
import { findBooksWithNotices } from './inbox-store.ts';

/** Jobs for notices are enqueued in every round. */
const NAMED_MS = 30_000;
/** Books in one page of inboxes. */
const PAGE = 1_000;
/** A round ends some time, however many inboxes there are. */
const PAGES = 100;

/** A sweep for each rail, so that one that does not answer delays its own alone. */
export function sweepNotices(context: SweepContext): Sweep[] {
  const ofRails = context.rails.all().map((rail) => ({
    name: `notices of ${rail.name}`,
    async round() {
      const waiting = await rail.notices(1);
      if (waiting.length === 0) return 0;
      await enqueue(context, [{ job: 'rail.notices', bookId: '', ids: [rail.name] }]);
      return 1;
    },
  }));
  return [...ofRails, { name: 'inboxes', round: () => sweepInboxes(context) }];
}

async function sweepInboxes(context: SweepContext): Promise<number> {
  const { pool, clock } = context;
  const rails = context.rails.all().map(({ name }) => name);
  let enqueued = 0;
  let after: Uuid = BEFORE_ALL_IDS;
  for (let page = 0; page < PAGES && !context.isClosing(); page++) {
    const books = await findBooksWithNotices(pool, { now: clock.now(), after, limit: PAGE });
    const due = books.filter((book) => book.due);
    await enqueue(
      context,
      due.map(({ bookId }) => ({ job: 'rail.notices', bookId, ids: rails })),
    );
    enqueued += due.length;
    if (books.length < PAGE) break;
    after = books.at(-1)!.bookId;
  }
  return enqueued;
}

function enqueue({ clock, ...context }: SweepContext, jobs: readonly SweptJob[]): Promise<void> {
  return context.enqueue(jobs, { pool: 'rails', namedMs: NAMED_MS, now: clock.now() });
}
