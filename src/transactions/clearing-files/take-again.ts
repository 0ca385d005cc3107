/**
 * Takes a line of a clearing file again that had become an exception (`npm run clearing -- --again`): its card may be known by now. A line
 * that fits is booked by the commit that resolves its exception, with the file as evidence. An exception that a person has explained is left
 * to who approves it: nothing is booked.
 */

import type { Pool } from '../../db/pool.ts';
import { type Exception, type ExceptionStatus, isEnded } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { resolveByOperator } from '../../exceptions/handle-exception.ts';
import { requireClockIdle } from '../../idempotency/once.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { retryStaleReads } from '../../ledger/commit/stale-read.ts';
import { newId } from '../../values/ids.ts';
import type { BookFileRuntime } from './book-file.ts';
import type { HeldLine } from './clearing-file-store.ts';
import { clearingIntakes } from './clearing-intake-table.ts';
import { type ReadLine, readLines } from './read-lines.ts';
import { type LineException, takeLine } from './take-line.ts';
import { actorOf, linesTouches } from './take-lines.ts';

export type TakenAgain =
  | { readonly result: 'booked' }
  /** The same message was recorded meanwhile. Its exception is resolved. */
  | { readonly result: 'known' }
  /** Its exception had been resolved: with the line, or by people without it. */
  | { readonly result: 'ended'; readonly isTaken: boolean }
  /** A person has proposed how to resolve it, and no second one has approved yet. Nothing was booked. */
  | { readonly result: 'handled'; readonly status: ExceptionStatus }
  /** It does not fit yet. Nothing was booked. */
  | { readonly result: 'exception'; readonly exception: LineException };

/** Nobody has proposed how to resolve it. */
const UNHANDLED: ReadonlySet<ExceptionStatus> = new Set(['open', 'assigned']);

/** `actor`: who asks for it, an operator. */
export async function takeHeldLine(
  { pool, committer }: BookFileRuntime,
  found: HeldLine,
  actor: string,
): Promise<TakenAgain> {
  const { part } = found;
  let readings = 0;
  return retryStaleReads(async () => {
    readings += 1;
    return committer.submit(part.ofBook, await takingAgain(pool, found, { actor, anew: readings > 1 }));
  });
}

async function takingAgain(
  pool: Pool,
  found: HeldLine,
  { actor, anew }: { actor: string; anew: boolean },
): Promise<Command<TakenAgain>> {
  const { part, line, exceptionId } = found;
  const requestId = newId();
  const [read] = await readLines(pool, part, [line], { requestId, actor: actorOf(part), anew });
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name: 'clearing.again',
    touches: [...linesTouches(part, [read!]), { table: exceptions, ids: [exceptionId] }],
    decide(state, moment) {
      requireClockIdle(state.book);
      const draft = new Draft(state, origin, moment);
      const exception = draft.get(exceptions, exceptionId)!;
      if (isEnded(exception)) return draft.finish<TakenAgain>({ result: 'ended', isTaken: isByFile(exception, found) });
      const { status } = exception;
      if (!UNHANDLED.has(status)) return draft.finish<TakenAgain>({ result: 'handled', status });
      return takeOnce(draft, { exception, found, read: read!, actor });
    },
  };
}

function takeOnce(
  draft: Draft,
  { exception, found, read, actor }: { exception: Exception; found: HeldLine; read: ReadLine; actor: string },
) {
  const { part, sha256: evidenceSha256 } = found;
  const taken = takeLine(draft, read);
  if (taken.is === 'exception') return draft.finish<TakenAgain>({ result: 'exception', exception: taken.exception });
  const entryIds = taken.is === 'booked' ? taken.entryIds : [];
  resolveByOperator(draft, exception, { actor, entryIds, evidenceSha256 });
  const intake = draft.get(clearingIntakes, part.id)!;
  draft.put(clearingIntakes, part.id, {
    ...intake,
    [taken.is]: intake[taken.is] + 1,
    exceptions: intake.exceptions - 1,
    version: intake.version + 1,
    updatedAt: draft.moment.book,
  });
  return draft.finish<TakenAgain>({ result: taken.is });
}

/** People give no file as evidence for a line: whoever did has taken it. */
function isByFile({ evidence }: Exception, { sha256 }: HeldLine): boolean {
  return evidence.some((piece) => piece.sha256 === sha256.toString('hex'));
}
