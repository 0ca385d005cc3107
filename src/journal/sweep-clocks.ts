/** Sweeps of clocks: books that are being advanced, and appointments of books whose own time is ahead of the world's. */

import type { Appointment } from '../group/appointment.ts';
import type { Sweep, SweepContext, SweptJob } from '../group/group.ts';
import { IDS_PER_JOB } from '../queue/job.ts';
import { BEFORE_ALL_IDS } from '../values/ids.ts';
import { further } from '../values/progress.ts';
import { findAdvancingBooks, findAppointmentsAhead } from './clock-store.ts';

/** Every round enqueues these jobs again until they are done: a queue merges repetitions for so long. */
const NAMED_MS = 30_000;
const PAGE = 100;

export function sweepClocks(context: SweepContext): Sweep[] {
  return [{ name: 'clocks', round: () => sweepAdvances(context) }];
}

async function sweepAdvances(context: SweepContext): Promise<number> {
  let enqueued = 0;
  for (let after = BEFORE_ALL_IDS; !context.isClosing(); ) {
    const books = await findAdvancingBooks(context.pool, { after, limit: PAGE });
    await enqueue(
      context,
      books.map((bookId) => ({ job: 'clock.advance', bookId, ids: [bookId] })),
    );
    enqueued += books.length;
    if (books.length < PAGE) break;
    after = further('books', after, books.at(-1)!);
  }
  return enqueued;
}

export function sweepAppointment(context: SweepContext, appointment: Appointment): Sweep {
  return {
    name: `${appointment.name}, ahead`,
    async round() {
      let enqueued = 0;
      for (let after = BEFORE_ALL_IDS; !context.isClosing(); ) {
        const page = { now: context.clock.now(), after, limit: PAGE, rowsPerBook: IDS_PER_JOB };
        const books = await findAppointmentsAhead(context.pool, appointment, page);
        const due = books.filter(({ ids }) => ids.length > 0);
        await enqueue(
          context,
          due.map(({ bookId, ids }) => ({ job: appointment.job, bookId, ids })),
          appointment.pool,
        );
        for (const { ids } of due) enqueued += ids.length;
        if (books.length < PAGE) break;
        after = further('books', after, books.at(-1)!.bookId);
      }
      return enqueued;
    },
  };
}

async function enqueue(
  context: SweepContext,
  jobs: readonly SweptJob[],
  pool: Appointment['pool'] = 'ledger',
): Promise<void> {
  if (jobs.length > 0) await context.enqueue(jobs, { pool, namedMs: NAMED_MS, now: context.clock.now() });
}
