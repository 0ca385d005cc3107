/** Carries out appointments in the own time of books: the job of the sweeper's rows, and the steps of a clock. */

import { isDeepStrictEqual } from 'node:util';
import type { Pool } from '../db/pool.ts';
import type { Appointment, AppointmentOutside } from '../group/appointment.ts';
import type { RowFailed } from '../group/moved-rows.ts';
import type { BookId } from '../ledger/book.ts';
import type { Committer } from '../ledger/commit/committer.ts';
import { retryStaleReads } from '../ledger/commit/stale-read.ts';
import { passesOutside } from '../outside/passes.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import { NoProgress } from '../values/progress.ts';
import { findStillDue } from './clock-store.ts';

export interface AppointmentRuntime extends AppointmentOutside {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  readonly rowFailed: RowFailed;
}

/**
 * The job of an appointment outside an advance: those that are due by now. Rows that their command leaves due are tried alone, and set
 * aside when they are due still.
 */
export async function keepAppointments(
  runtime: AppointmentRuntime,
  appointment: Appointment,
  { bookId, ids }: { bookId: BookId; ids: readonly Uuid[] },
): Promise<void> {
  const { pool, committer } = runtime;
  const submit = (some: readonly Uuid[]): Promise<void> =>
    retryStaleReads(async () => {
      const before = await appointment.place?.(pool, bookId, some);
      const command = await appointment.command(pool, bookId, some, runtime);
      const decided: { at?: Instant } = {};
      await committer.submit(bookId, {
        ...command,
        decide(state, moment) {
          decided.at = moment.book;
          return command.decide(state, moment);
        },
      });
      // Due at the moment at which the command carried them out, they would be enqueued for ever.
      if (decided.at === undefined) return;
      const due = await findStillDue(pool, appointment, { bookId, ids: some, until: decided.at });
      if (due.length === 0) return;
      if (appointment.place && !isDeepStrictEqual(await appointment.place(pool, bookId, some), before)) return;
      if (due.length === some.length) throw new NoProgress(`${appointment.name}: carried out, and due as before.`);
      await submit(due);
    });
  await isolating(runtime, appointment, { bookId, ids, submit });
}

/**
 * Carries out rows together. Where that fails by a bug, each alone, so that only those that fail are set aside. A
 * transient error, such as a party that gives no answer, is thrown: the rows stay due and come again.
 */
export async function isolating(
  runtime: AppointmentRuntime,
  appointment: Appointment,
  { bookId, ids, submit }: { bookId: BookId; ids: readonly Uuid[]; submit: (ids: readonly Uuid[]) => Promise<void> },
): Promise<void> {
  try {
    await submit(ids);
    appointment.kept?.();
  } catch (error) {
    if (passesOutside(error)) throw error;
    if (ids.length > 1) {
      for (const id of ids) await isolating(runtime, appointment, { bookId, ids: [id], submit });
      return;
    }
    await runtime.rowFailed(appointment.rows, { bookId, id: ids[0]! }, error);
  }
}
