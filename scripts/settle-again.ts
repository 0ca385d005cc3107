/** `npm run settle -- --again EXCEPTION`: a line of a report that had been an exception is booked if it fits now. */
import { userInfo } from 'node:os';
import type { Pool } from '../src/db/pool.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import type { Committer } from '../src/ledger/commit/committer.ts';
import { findExceptionLine } from '../src/payments/settlements/exception-line-store.ts';
import { readLines } from '../src/payments/settlements/next-lines.ts';
import { submitAsRead } from '../src/payments/settlements/read-again.ts';
import { settleAgain } from '../src/payments/settlements/settle-again.ts';
import { encodeActor } from '../src/values/actor.ts';
import { parsePublicId, publicId } from '../src/values/ids.ts';
import type { TakenAgain } from './intake-command.ts';

/** Throws BadInput for an id that is no exception of a line. */
export async function takeLineAgain(
  { pool, committer }: { pool: Pool; committer: Pick<Committer, 'submit'> },
  shownId: string,
  { by = userInfo().username }: { by?: string },
): Promise<TakenAgain> {
  const exceptionId = parsePublicId('exception', shownId);
  const found = exceptionId && (await findExceptionLine(pool, exceptionId));
  if (!found) throw new BadInput(null, `There is no line of a report with an exception ${shownId}.`);
  const { part, line } = found;
  const of = {
    exception: shownId,
    book: publicId('book', part.ofBook),
    settlement: publicId('settlement', part.id),
    line_id: line.lineId,
    currency: part.currency,
  };
  const nothing = (ok: boolean, result: string): TakenAgain => ({
    shown: { ok, ...of, booked: 0, result },
    text: `${of.settlement} ${line.lineId}: ${result}`,
  });
  if (found.isBooked) return nothing(true, 'had been booked, and nothing is booked twice.');
  const actor = encodeActor({ type: 'operator', name: by.slice(0, 100) });
  const taken = (await submitAsRead(committer, part.ofBook, async () => {
    const read = await readLines(pool, part.ofBook, [line]);
    return settleAgain(part.ofBook, { found, read: read.found[0]!, shares: read.shares, actor });
  }))!;
  if (taken.result === 'exception') return nothing(false, `is an exception still. ${taken.exception.detail}`);
  if (taken.result === 'handled')
    return nothing(
      false,
      `has an exception that is ${taken.status} by a person and waits for approval: nothing was booked.${taken.status === 'explained' ? ' Assign the exception again, and the line can be taken.' : ''}`,
    );
  // Another process may have booked it in this moment.
  if (taken.result === 'ended')
    return (await findExceptionLine(pool, found.exceptionId))?.isBooked
      ? nothing(true, 'had been booked, and nothing is booked twice.')
      : nothing(false, 'was approved by people without this line: nothing was booked.');
  return {
    shown: { ok: true, ...of, booked: line.gross, result: 'is booked, and its exception resolved.' },
    text: `${of.settlement} ${line.lineId}: ${line.gross} ${part.currency} is booked, and its exception resolved.`,
  };
}
