/**
 * Advances the own time of a test book: a request names the target, and the ledger pool goes there from due moment to
 * due moment, in order. Each step is one commit, which leaves the book at the moment of the appointment that it carried
 * out. The target is a column of the book's row, so another worker continues after one that dies.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import { APPOINTMENTS_PER_COMMAND, type Appointment } from '../group/appointment.ts';
import type { Stored } from '../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import type { Book, BookId } from '../ledger/book/book.ts';
import { loadBook } from '../ledger/book/book-store.ts';
import { isAdvancing, setOut, stepClock } from '../ledger/clock/book-clock.ts';
import type { Command, JobRow } from '../ledger/command/command.ts';
import { Draft } from '../ledger/command/draft.ts';
import { momentOf } from '../ledger/commit/batch.ts';
import { retryStaleReads } from '../ledger/commit/stale-read.ts';
import { type JobForms, waitsForContract } from '../queue/job.ts';
import { type Clock, formatInstant, formatInstantOrNull, type Instant } from '../values/clock.ts';
import { newId, type Uuid } from '../values/ids.ts';
import { writeJson } from '../values/json.ts';
import { NoProgress } from '../values/progress.ts';
import { findDueMoments, findNextAppointments } from './clock-store.ts';
import { type Duration, laterBy } from './duration.ts';
import { type AppointmentRuntime, isDueBy, isolating } from './keep-appointments.ts';

/** The clock of a book as the API shows it. */
export function clockView(book: Book, now: Instant) {
  return {
    object: 'clock',
    livemode: book.mode === 'live',
    now: formatInstant(now),
    target: formatInstantOrNull(book.clockTarget),
    status: isAdvancing(book) ? 'advancing' : 'idle',
  };
}

/** Answers with the clock on its way. Never backwards: a target that has passed meanwhile is reached at once. */
export function advanceClock(input: {
  bookId: BookId;
  targetFrom: (now: Instant) => Instant;
  requestId: Uuid;
  actor: string;
}): Command<Stored> {
  const { bookId, requestId, actor } = input;
  const id = newId();
  return {
    id,
    name: 'clock.advance',
    requestId,
    actor,
    touches: [],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId, actor }, moment);
      const book = setOut(state.book, { from: moment.book, to: input.targetFrom(moment.book) });
      draft.enqueue({ pool: 'ledger', job: 'clock.advance', id: bookId });
      const body = writeJson(clockView(book, moment.book));
      return { ...draft.finish<Stored>({ status: 202, body, resource: 'book', resourceId: bookId }), book };
    },
  };
}

export interface AdvanceRuntime extends AppointmentRuntime {
  readonly appointments: readonly Appointment[];
  /** A clock keeps what 0.3.0's workers keep, until the installation is contracted: either may take its steps. */
  readonly forms: Pick<JobForms, 'laterJobs'>;
  readonly enqueuer: { enqueue(bookId: BookId, jobs: readonly JobRow[]): void };
}

/** One job runs for so long and enqueues the next: a process that stops waits for no more than that. */
const STEPS_MS = 1_000;

/** The ledger pool's job: takes the remaining steps, until the book has reached its target. */
export async function runAdvance(runtime: AdvanceRuntime, bookId: BookId): Promise<void> {
  const until = performance.now() + STEPS_MS;
  while (performance.now() < until) {
    const book = await loadBook(runtime.pool, bookId);
    if (!book || book.clockTarget === null || book.clockAt === null) return;
    await takeStep(runtime, book, { from: book.clockAt, target: book.clockTarget });
  }
  runtime.enqueuer.enqueue(bookId, [{ pool: 'ledger', job: 'clock.advance', id: bookId }]);
}

async function takeStep(
  runtime: AdvanceRuntime,
  book: Book,
  { from, target }: { from: Instant; target: Instant },
): Promise<void> {
  const next = await nextOf(runtime, book.id, target);
  const step = { requestId: newId(), from };
  if (!next) {
    await runtime.committer.submit(book.id, stepClock({ ...step, to: target }));
    return;
  }
  const { appointment, at: to } = next;
  const { pool, committer } = runtime;
  const submit = (ids: readonly Uuid[]) =>
    retryStaleReads(async () => {
      const before = await appointment.place?.(pool, book.id, ids);
      let fault: NoProgress | undefined;
      try {
        const command = await appointment.command(pool, book.id, ids, runtime);
        const isTaken = await committer.submit(book.id, stepClock({ ...step, to, command }));
        // Another process has taken the step.
        if (!isTaken) return;
      } catch (error) {
        if (!(error instanceof NoProgress)) throw error;
        fault = error;
      }
      if (await gotFurther(runtime, appointment, { bookId: book.id, ids, at: to, before })) return;
      throw fault ?? new NoProgress(`${appointment.name}: kept at ${formatInstant(to)}, and due as before.`);
    });
  await isolating(runtime, appointment, { bookId: book.id, ids: next.ids, submit });
  await answered(runtime, appointment, { bookId: book.id, ids: next.ids });
}

/** The sandbox answers within some hundredths of a second. What takes longer is booked where the clock stands by then. */
const ANSWERS_MS = 1_000;
const ASKED_EVERY_MS = 10;

async function answered(
  { pool }: AdvanceRuntime,
  appointment: Appointment,
  { bookId, ids }: { bookId: BookId; ids: readonly Uuid[] },
): Promise<void> {
  if (!appointment.isUnderWay) return;
  const until = performance.now() + ANSWERS_MS;
  while (performance.now() < until && (await appointment.isUnderWay(pool, bookId, ids))) await delay(ASKED_EVERY_MS);
}

/**
 * Whether a row is due later or no longer, by this step or because a job carried it out meanwhile; of rows of several steps, whether they
 * are elsewhere. What a command has written shows nothing: one that leaves its rows due is taken for ever.
 */
async function gotFurther(
  { pool }: AdvanceRuntime,
  appointment: Appointment,
  { bookId, ids, at, before }: { bookId: BookId; ids: readonly Uuid[]; at: Instant; before: unknown },
): Promise<boolean> {
  const due = await findDueMoments(pool, appointment, { bookId, ids });
  if (ids.some((id) => !isDueBy(due.get(id), at))) return true;
  return appointment.place !== undefined && !isDeepStrictEqual(await appointment.place(pool, bookId, ids), before);
}

/** Of all appointments the earliest; of one moment, those that are declared first. */
async function nextOf({ pool, appointments, forms }: AdvanceRuntime, bookId: BookId, until: Instant) {
  const limit = APPOINTMENTS_PER_COMMAND;
  const kept = appointments.filter(({ job }) => !waitsForContract(job, forms));
  const found = await Promise.all(
    kept.map(async (appointment) => {
      const due = await findNextAppointments(pool, appointment, { bookId, until, limit });
      return due && { ...due, appointment };
    }),
  );
  return found.reduce((first, one) => (one && (!first || one.at < first.at) ? one : first), undefined);
}

interface ClockAdvance extends Asked {
  /** By so much, or to that moment: one of the two. */
  readonly by?: Duration | undefined;
  readonly to?: Instant | undefined;
}

/** A year that RFC 3339 writes with four digits, with room for what the book does then. */
const LAST_TARGET = Date.UTC(9000, 0, 1);

/** Refuses a target that has passed, or that no clock reaches. */
export const requestClockAdvance: UseCase<OnceRuntime & { pool: Pool; clock: Clock }, ClockAdvance> = {
  // A repeated request is answered, although its target has passed by then.
  keyFirst: true,
  async prepare({ pool, clock }, input) {
    const book = await loadBook(pool, input.bookId);
    if (!book) throw new ApiError('resource_not_found');
    refuseTarget(momentOf(clock, book).book, input);
    return { command: advanceClock({ ...input, targetFrom: (now) => targetOf(now, input) }) };
  },
};

function targetOf(now: Instant, { by, to }: ClockAdvance): Instant {
  return by === undefined ? to! : laterBy(now, by);
}

function refuseTarget(now: Instant, asked: ClockAdvance): void {
  const target = targetOf(now, asked);
  const param = asked.by === undefined ? '/to' : '/by';
  if (target < now) throw new ApiError('parameter_invalid', { param, detail: 'A clock never runs backwards.' });
  if (!(target <= LAST_TARGET))
    throw new ApiError('parameter_invalid', { param, detail: 'Expects a time before the year 9000.' });
}
