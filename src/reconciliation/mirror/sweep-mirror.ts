/**
 * Books whose pools have moved further than the operator's book mirrors. The sweeper enqueues them; no book does, so that none waits for it.
 */
import type { Sweep, SweepContext } from '../../group/group.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import { BEFORE_ALL_IDS } from '../../values/ids.ts';
import { hasBegun, readBooksBehind } from './mirrored-pool-store.ts';

/** Every round enqueues these jobs again until they are done: a queue merges repetitions for so long. */
const NAMED_MS = 30_000;
const PAGE = 500;
/** The next round goes on behind them, so that a round stays short whatever the number of books. */
const PAGES_PER_ROUND = 4;
const MODES: readonly Mode[] = ['test', 'live'];

export function sweepMirror(context: SweepContext): Sweep {
  const places = new Map<Mode, BookId>();
  return {
    name: 'books to mirror',
    async round() {
      const operators = await operatorBooks(context.pool);
      let enqueued = 0;
      for (const mode of MODES) {
        if (!(await hasBegun(context.pool, operators[mode]))) continue;
        const walked = await enqueueBehind(context, operators[mode], places.get(mode) ?? BEFORE_ALL_IDS);
        places.set(mode, walked.place);
        enqueued += walked.enqueued;
      }
      return enqueued;
    },
  };
}

async function enqueueBehind(
  context: SweepContext,
  operatorBookId: BookId,
  after: BookId,
): Promise<{ place: BookId; enqueued: number }> {
  let [place, enqueued] = [after, 0];
  for (let page = 0; page < PAGES_PER_ROUND && !context.isClosing(); page++) {
    const books = await readBooksBehind(context.pool, { operatorBookId, after: place, limit: PAGE });
    const ids = books.filter(({ isBehind }) => isBehind).map(({ id }) => id);
    const job = { job: 'book.mirror' as const, bookId: operatorBookId, ids };
    if (ids.length > 0) await context.enqueue([job], { pool: 'ledger', namedMs: NAMED_MS, now: context.clock.now() });
    enqueued += ids.length;
    if (books.length < PAGE) return { place: BEFORE_ALL_IDS, enqueued };
    place = books.at(-1)!.id;
  }
  return { place, enqueued };
}
