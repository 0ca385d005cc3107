/** Carries out appointments in the own time of books: the job of the sweeper's rows, and the steps of a clock. */

import { isDeepStrictEqual } from 'node:util';
import type { Pool } from '../db/pool.ts';
import type { Appointment, AppointmentOutside } from '../group/appointment.ts';
import type { RowFailed } from '../group/moved-rows.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Committer } from '../ledger/commit/committer.ts';
import { retryStaleReads } from '../ledger/commit/stale-read.ts';
import { passesOutside } from '../outside/party/passes.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import { NoProgress } from '../values/progress.ts';
import { findDueMoments } from './clock-store.ts';

export interface AppointmentRuntime extends AppointmentOutside {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  readonly rowFailed: RowFailed;
}

/**
 * The job of an appointment outside an advance: those that are due by now. Rows that their command leaves due at the moment at which they
 * were are tried alone, and set aside when they are due still. Those that fall due later, if before now, have got further: the sweeper finds
 * them again, as a daily statement of days that no worker saw.
 */
export async function keepAppointments(
  runtime: AppointmentRuntime,
  appointment: Appointment,
  { bookId, ids }: { bookId: BookId; ids: readonly Uuid[] },
): Promise<void> {
  const { pool, committer } = runtime;
  const placeOf = (some: readonly Uuid[]) => appointment.place?.(pool, bookId, some);
  const submit = (some: readonly Uuid[]): Promise<void> =>
    retryStaleReads(async () => {
      const [due, place] = [await findDueMoments(pool, appointment, { bookId, ids: some }), await placeOf(some)];
      const command = await appointment.command(pool, bookId, some, runtime);
      const decided: { at?: Instant } = {};
      await committer.submit(bookId, {
        ...command,
        decide(state, moment) {
          decided.at = moment.book;
          return command.decide(state, moment);
        },
      });
      const { at } = decided;
      if (at === undefined) return;
      const dueStill = await findDueMoments(pool, appointment, { bookId, ids: some });
      // Due at the moment at which the command carried them out, they would be enqueued for ever.
      const stay = some.filter((id) => isDueBy(dueStill.get(id), at) && dueStill.get(id) === due.get(id));
      if (stay.length === 0 || (appointment.place && !isDeepStrictEqual(await placeOf(some), place))) return;
      if (stay.length === some.length) throw new NoProgress(`${appointment.name}: carried out, and due as before.`);
      await submit(stay);
    });
  await isolating(runtime, appointment, { bookId, ids, submit });
}

/** Whether what falls due at a moment, undefined where it never does, is due by another. */
export function isDueBy(due: Instant | undefined, at: Instant): boolean {
  return due !== undefined && due <= at;
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
