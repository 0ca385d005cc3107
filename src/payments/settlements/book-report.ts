/** Books a report in every book that it names, command by command. */

import type { Pool } from '../../db/pool.ts';
import { bookParts } from '../../intake/book-parts.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
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

/** `onTaken` as that of bookParts, which this throws as. */
export async function bookReport(
  runtime: BookReportRuntime,
  { lines, ...report }: Pick<StoredReport, 'bookId' | 'id' | 'lines'>,
  onTaken: (taken: number, lines: number) => void = () => undefined,
): Promise<BookedPart[]> {
  const parts = await listParts(runtime.pool, report);
  return bookParts(parts, { lines, onTaken }, async (part, onProgress) => ({
    part,
    settlement: await bookPart(runtime, part, onProgress),
  }));
}

async function bookPart(
  { pool, committer }: BookReportRuntime,
  part: ReportPart,
  onProgress: (settlement: Settlement) => void,
): Promise<Settlement> {
  const next = async () => (await nextLines(pool, part))?.command;
  for (let taken: number | undefined; ; ) {
    const settlement = await submitAsRead(committer, part.ofBook, next);
    if (!settlement) break;
    taken = further(`Settlement ${part.id}`, taken, settlement.taken);
    onProgress(settlement);
  }
  return (await settlements.find(pool, part.ofBook, part.id))!;
}
