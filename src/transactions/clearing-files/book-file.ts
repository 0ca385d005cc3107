/** Books a clearing file in every book that it is about, command by command. */

import type { Pool } from '../../db/pool.ts';
import { bookParts } from '../../intake/book-parts.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { retryStaleReads } from '../../ledger/commit/stale-read.ts';
import { newId } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { type ClearingPart, listClearingParts, listPartLines, type StoredClearingFile } from './clearing-file-store.ts';
import { type ClearingIntake, clearingIntakes } from './clearing-intake-table.ts';
import { readLines } from './read-lines.ts';
import { actorOf, LINES_PER_COMMAND, takeLines, withinCommand } from './take-lines.ts';

export interface BookFileRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

export interface BookedPart {
  readonly part: ClearingPart;
  readonly intake: ClearingIntake;
}

/** `onTaken` as that of bookParts, which this throws as. */
export async function bookClearingFile(
  runtime: BookFileRuntime,
  { lines, ...file }: Pick<StoredClearingFile, 'bookId' | 'id' | 'lines'>,
  onTaken: (taken: number, lines: number) => void = () => undefined,
): Promise<BookedPart[]> {
  const parts = await listClearingParts(runtime.pool, file);
  return bookParts(parts, { lines, onTaken }, async (part, report) => ({
    part,
    intake: await bookPart(runtime, part, report),
  }));
}

async function bookPart(
  runtime: BookFileRuntime,
  part: ClearingPart,
  report: (intake: ClearingIntake) => void,
): Promise<ClearingIntake> {
  let intake = await clearingIntakes.find(runtime.pool, part.ofBook, part.id);
  while (intake === undefined || intake.taken < part.lines) {
    const next: ClearingIntake = await takeNext(runtime, part, intake?.taken ?? 0);
    further(`Clearing part ${part.id}`, intake?.taken, next.taken);
    intake = next;
    report(intake);
  }
  return intake;
}

/**
 * What was read is read anew where somebody changed it meanwhile. Two lines of one purchase may change it for each other in one command:
 * each further reading takes half as many lines, in the end one.
 */
async function takeNext({ pool, committer }: BookFileRuntime, part: ClearingPart, behind: number) {
  const found = await listPartLines(pool, part, { behind, limit: LINES_PER_COMMAND });
  const requestId = newId();
  let readings = 0;
  return retryStaleReads(async () => {
    const some = found.slice(0, Math.max(1, found.length >> readings));
    const read = await readLines(pool, part, some, { requestId, actor: actorOf(part), anew: readings > 0 });
    readings += 1;
    return committer.submit(part.ofBook, takeLines({ part, behind, lines: withinCommand(read), requestId }));
  });
}
