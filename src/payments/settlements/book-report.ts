/** Books a report in every book that it is about, command by command. Killed anywhere and run again, it goes on where it was. */

import type { Pool } from '../../db/pool.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { publicId } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import type { Settlement } from '../paydays/settlement.ts';
import { settlements } from '../paydays/settlement-table.ts';
import { nextLines } from './next-lines.ts';
import { submitAsRead } from './read-again.ts';
import { listParts, type ReportPart, type StoredReport } from './report-store.ts';

export interface BookReportRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

export interface BookedPart {
  readonly part: ReportPart;
  readonly settlement: Settlement;
}

/** Of the failures of a report, so many are told: a database that is gone fails every book in the same way. */
const FAILURES_KEPT = 10;

/**
 * `onTaken` is called with how many lines of the report were taken by now, and how many it has. A book that fails does not keep
 * the others from their lines: its error is thrown at the end (AggregateError where there are several), and the same report again
 * books what is left.
 */
export async function bookReport(
  runtime: BookReportRuntime,
  report: Pick<StoredReport, 'bookId' | 'id' | 'lines'>,
  onTaken: (taken: number, lines: number) => void = () => undefined,
): Promise<BookedPart[]> {
  const booked: BookedPart[] = [];
  const failures: Error[] = [];
  let before = 0;
  for (const part of await listParts(runtime.pool, report)) {
    const tell = ({ taken }: Settlement) => onTaken(before + taken, report.lines);
    try {
      booked.push({ part, settlement: await bookPart(runtime, part, tell) });
    } catch (error) {
      if (failures.length < FAILURES_KEPT) failures.push(failureOf(part, error));
    }
    before += part.lines;
  }
  if (failures.length > 1) throw new AggregateError(failures, failures.map(({ message }) => message).join(' '));
  if (failures.length === 1) throw failures[0];
  return booked;
}

async function bookPart(
  { pool, committer }: BookReportRuntime,
  part: ReportPart,
  tell: (settlement: Settlement) => void,
): Promise<Settlement> {
  const next = async () => (await nextLines(pool, part))?.command;
  for (let taken: number | undefined; ; ) {
    const settlement = await submitAsRead(committer, part.ofBook, next);
    if (!settlement) break;
    taken = further(`Settlement ${part.id}`, taken, settlement.taken);
    tell(settlement);
  }
  return (await settlements.find(pool, part.ofBook, part.id))!;
}

/** Says whose book it is. */
function failureOf({ ofBook }: ReportPart, cause: unknown): Error {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new Error(`${publicId('book', ofBook)}: ${said}`, { cause });
}
