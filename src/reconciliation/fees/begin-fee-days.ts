/**
 * Days of fees begin with the first bank account of a mode, or with the first fee of a book after it. The sweeper looks for accounts of fees without
 * one, and the ledger pool makes the rows.
 */
import { addDays, dayOf, startOfDay } from '../../calendar/day.ts';
import type { Sweep, SweepContext } from '../../group/group.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { failpoint } from '../../process/failpoints.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { readBegunModes } from '../accounts/begun-modes-store.ts';
import { feeDays } from './fee-collection-table.ts';
import { findWithoutDay, listBookIds } from './fee-day-store.ts';

/** A day of fees begins at its end at the latest: the round reads every account of fees. */
const EVERY_MS = 60_000;
/** Books. */
const PAGE = 1_000;

export function sweepFeeDays(context: SweepContext): Sweep {
  let nextAt = 0;
  return {
    name: 'books whose fees are not collected yet',
    async round() {
      const now = context.clock.now();
      if (now < nextAt) return 0;
      const begun = await readBegunModes(context.pool);
      nextAt = begun.length === 0 ? 0 : now + EVERY_MS;
      let enqueued = 0;
      for (const { mode } of begun) enqueued += await enqueueMode(context, mode);
      return enqueued;
    },
  };
}

async function enqueueMode(context: SweepContext, mode: Mode): Promise<number> {
  let enqueued = 0;
  for (let after: BookId = BEFORE_ALL_IDS; !context.isClosing(); ) {
    const books = await listBookIds(context.pool, mode, { after, limit: PAGE });
    const jobs = await findWithoutDay(context.pool, books);
    if (jobs.length > 0)
      await context.enqueue(jobs, { pool: 'ledger', namedMs: EVERY_MS / 2, now: context.clock.now() });
    enqueued += jobs.length;
    if (books.length < PAGE) break;
    after = further('books with fees', after, books.at(-1)!);
  }
  return enqueued;
}

export interface BeginRuntime {
  readonly committer: Pick<Committer, 'submit'>;
}

/** The ledger pool's job. */
export async function beginFeeDays({ committer }: BeginRuntime, bookId: BookId, ids: readonly Uuid[]): Promise<void> {
  await committer.submit(bookId, beginDays(ids));
  failpoint('fee.days.begun');
}

/** `ids`: of accounts of fees. The first collection is at the end of the day that lasts. */
export function beginDays(ids: readonly Uuid[]): Command<void> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  return {
    ...origin,
    name: 'fee.begin',
    touches: [
      { table: feeDays, ids },
      { table: accounts, ids },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const { timeZone } = draft.book;
      const { book: now } = moment;
      const collectsAt = startOfDay(addDays(dayOf(now, timeZone), 1), timeZone);
      for (const id of draft.each(ids)) {
        const account = draft.get(accounts, id);
        if (account?.code !== 'due_operator' || draft.get(feeDays, id) !== undefined) continue;
        draft.put(feeDays, id, {
          ...{ id, currency: account.currency, status: 'open' as const, collectsAt, collectedOn: null },
          ...{ version: 1, dueAt: collectsAt, createdAt: now, updatedAt: now },
        });
      }
      return draft.finish(undefined);
    },
  };
}
