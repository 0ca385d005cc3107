/** Books a report in every book that it is about, command by command. Killed anywhere and run again, it goes on where it was. */
import type { Pool } from '../../db/pool.ts';
import type { Committer } from '../../ledger/committer.ts';
import { nextLines } from './next-lines.ts';
import { listParts, type ReportPart, type StoredReport } from './report-store.ts';
import type { Settlement } from './settlement.ts';
import { settlements } from './settlement-table.ts';

export interface BookReportRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

export interface BookedPart {
  readonly part: ReportPart;
  readonly settlement: Settlement;
}

/** `onTaken` is called with how many lines of the report were taken by now, and how many it has. */
export async function bookReport(
  { pool, committer }: BookReportRuntime,
  report: Pick<StoredReport, 'bookId' | 'id' | 'lines'>,
  onTaken: (taken: number, lines: number) => void = () => undefined,
): Promise<BookedPart[]> {
  const booked: BookedPart[] = [];
  let before = 0;
  for (const part of await listParts(pool, report)) {
    for (let next = await nextLines(pool, part); next; next = await nextLines(pool, part)) {
      const { settlement } = (await committer.submit(part.ofBook, next.command)) as { settlement?: Settlement };
      if (settlement) onTaken(before + settlement.taken, report.lines);
    }
    before += part.lines;
    booked.push({ part, settlement: (await settlements.find(pool, part.ofBook, part.id))! });
  }
  return booked;
}
