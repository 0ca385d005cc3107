/**
 * A payday of the sandbox acquirer: it makes a report of all that it holds for the book, as a real one sends a file, and the book
 * takes it in, line by line. Each command is one step, and the last one closes the payday.
 */

import { SANDBOX_ACQUIRER } from '../../acquirers/acquirer-names.ts';
import type { Acquirers } from '../../acquirers/acquirers.ts';
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { Appointment } from '../../group/appointment.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import type { CallFor } from '../../outside/calls/call-limits.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { NoProgress } from '../../values/progress.ts';
import { listUnsettledDisputes } from '../disputes/dispute-store.ts';
import { listUnanswered } from '../operations/under-way-store.ts';
import { checkReport } from '../paydays/check-report.ts';
import { newPayday } from '../paydays/payday.ts';
import { writeReport } from '../paydays/report.ts';
import type { Payday, Settlement } from '../paydays/settlement.ts';
import { paydays, settlements } from '../paydays/settlement-table.ts';
import { movedPaydays } from './moved-paydays.ts';
import { nextLines } from './next-lines.ts';
import { keepReport, listParts, type StoredReport } from './report-store.ts';

export const paydayOfSandbox: Appointment = {
  name: 'paydays of the sandbox acquirer',
  rows: movedPaydays,
  status: 'open',
  column: 'pays_at',
  pool: 'ledger',
  job: 'payday.settle',
  // One at a time: those of the same moment that are left are due still.
  command: (pool, bookId, ids, { acquirers, secretBox }) => paydayStep({ pool, acquirers, secretBox }, bookId, ids[0]!),
  place: (pool, bookId, ids) => placeOfPayday(pool, bookId, ids[0]!),
};

export interface PaydayRuntime {
  readonly pool: Pool;
  readonly acquirers: Pick<Acquirers, 'sandbox'>;
  readonly secretBox: SecretBox;
  /** `request` while a request waits for the acquirer's report. Left out: none waits. */
  readonly callFor?: CallFor;
}

/** Lines of one report: more are paid by another one, so that no process holds all that a busy book has. */
const REPORT_LINES_MAX = 50_000;

/**
 * The next step of a payday: makes a report, takes lines of the last one, or closes. Answers with whether the payday is
 * done. A step without progress throws NoProgress, here or in its command, which marks the payday as stuck. Where
 * another process took a step since the reading, the command throws StaleRead, and the payday is read again.
 */
export async function paydayStep(
  runtime: PaydayRuntime,
  bookId: BookId,
  id: Uuid,
  linesMax: number = REPORT_LINES_MAX,
): Promise<Command<boolean>> {
  const { pool } = runtime;
  const payday = await paydays.find(pool, bookId, id);
  if (payday?.status !== 'open') return closePayday(id);
  const reportId = payday.reportIds.at(-1);
  if (reportId !== undefined) {
    const parts = await listParts(pool, { bookId: (await operatorBooks(pool)).test, id: reportId });
    for (const part of parts) {
      const next = await nextLines(pool, part);
      if (next) return takingLines(id, next.command);
    }
    // One that is not full was all that there was.
    if (parts.reduce((lines, part) => lines + part.lines, 0) < linesMax) return closePayday(id);
  }
  const report = await makeReport(runtime, bookId, { payday, linesMax });
  if (report && payday.reportIds.includes(report.id))
    throw new NoProgress(`Payday ${id}: report ${report.id} was made, and taken, before.`);
  return report ? keepingReport(payday, report.id) : closePayday(id);
}

export interface PaydayPlace {
  readonly status: Payday['status'] | null;
  readonly reports: number;
  /** Lines of the last report. */
  readonly taken: number;
}

/** How far a payday has come: every step makes a report, takes lines of one, or closes. That it was written is no step. */
export async function placeOfPayday(pool: Pool, bookId: BookId, id: Uuid): Promise<PaydayPlace> {
  const payday = await paydays.find(pool, bookId, id);
  const reports = payday?.reportIds.length ?? 0;
  const reportId = payday?.reportIds.at(-1);
  if (!payday || reportId === undefined) return { status: payday?.status ?? null, reports, taken: 0 };
  const parts = await listParts(pool, { bookId: (await operatorBooks(pool)).test, id: reportId });
  const ids = parts.map((part) => part.id);
  const taken = [...(await settlements.load(pool, bookId, ids)).values()].reduce((sum, one) => sum + one.taken, 0);
  return { status: payday.status, reports, taken };
}

/** The next report of a payday, the same however often it is asked for. Undefined where the acquirer holds nothing. */
async function makeReport(
  { pool, acquirers, secretBox, callFor }: PaydayRuntime,
  bookId: BookId,
  { payday, linesMax: limit }: { payday: Payday; linesMax: number },
): Promise<StoredReport | undefined> {
  const made = payday.reportIds.length;
  const key = made === 0 ? payday.id : `${payday.id} ${made}`;
  const { references: except, asOf: before } = await listUnanswered(pool, bookId);
  const disputes = await listUnsettledDisputes(pool, bookId);
  const lines = await acquirers.sandbox.pay({ key, originator: bookId, before, except, disputes, limit }, callFor);
  if (lines.length === 0) return undefined;
  const merchant = publicId('book', bookId);
  const bytes = writeReport(lines.map((line) => ({ ...line, merchant })));
  const file = {
    acquirer: SANDBOX_ACQUIRER,
    mode: 'test',
    name: `payday ${key}`,
    ...checkReport(() => [bytes]),
  } as const;
  return keepReport({ pool, secretBox }, file, Date.now());
}

/** Opens one that is due at once, for a simulation. What is there already stays as it is. */
export function openPayday(id: Uuid): Command<void> {
  const origin = { id: newId(), requestId: newId(), actor: 'system' };
  return {
    ...origin,
    name: 'payday.open',
    touches: [{ table: paydays, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      if (draft.get(paydays, id) === undefined) {
        const payday = newPayday(draft, id, moment.book);
        // The request books it by itself; the sweeper, if its process dies.
        draft.put(paydays, id, { ...payday, dueAt: moment.wall + DUE_AFTER_MS });
      }
      return draft.finish(undefined);
    },
  };
}

const DUE_AFTER_MS = 30_000;

const AHEAD = 'Another process has taken this step of the payday.';

/** The payday knows its report from here on. Another process may have made the same. */
function keepingReport({ id, reportIds }: Payday, reportId: Uuid): Command<boolean> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  return {
    ...origin,
    name: 'payday.report',
    touches: [{ table: paydays, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const payday = draft.get(paydays, id);
      if (payday?.status !== 'open' || payday.reportIds.length !== reportIds.length) throw new StaleRead(AHEAD);
      draft.put(paydays, id, {
        ...payday,
        reportIds: [...reportIds, reportId],
        version: payday.version + 1,
        updatedAt: moment.book,
      });
      draft.enqueue({ pool: 'ledger', job: 'payday.settle', id });
      return draft.finish(false);
    },
  };
}

/** The lines, and another job for what is behind them. */
function takingLines(payday: Uuid, command: Command<Settlement>): Command<boolean> {
  return {
    ...command,
    touches: [...command.touches, { table: paydays, ids: [payday] }],
    decide(state, moment) {
      const outcome = command.decide(state, moment);
      if (outcome.rows.length === 0) throw new StaleRead(AHEAD);
      const again = { pool: 'ledger', job: 'payday.settle', id: payday } as const;
      return { ...outcome, jobs: [...outcome.jobs, again], answer: false };
    },
  };
}

function closePayday(id: Uuid): Command<boolean> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  return {
    ...origin,
    name: 'payday.close',
    touches: [{ table: paydays, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const payday = draft.get(paydays, id);
      if (payday?.status === 'open')
        draft.put(paydays, id, {
          ...payday,
          status: 'done',
          version: payday.version + 1,
          dueAt: null,
          updatedAt: moment.book,
        });
      return draft.finish(true);
    },
  };
}
