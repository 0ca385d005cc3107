/**
 * Takes a line of a report again that had become an exception (`npm run settle -- --again`): its capture or refund may
 * have come, or succeeded, since. A line that matches now is booked by an entry of its own, and its exception is
 * resolved. With a proposed resolution nothing is booked: its approver decides.
 */
import { type Exception, type ExceptionStatus, isEnded } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { resolveByOperator } from '../../exceptions/handle-exception.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { Settlement } from '../paydays/settlement.ts';
import { settlements } from '../paydays/settlement-table.ts';
import type { PaymentShare } from '../shares/share.ts';
import type { ExceptionLine } from './exception-line-store.ts';
import type { LineException } from './match-line.ts';
import { bookNet, keepLine, type ReadLine, takeLine } from './settle-line.ts';
import { settlementTouches } from './settle-lines.ts';
import { PortionMoves } from './settle-portions.ts';
import { settlementResource } from './settlement-resource.ts';

export interface SettleAgain {
  readonly found: Pick<ExceptionLine, 'exceptionId' | 'part' | 'reportSha256'>;
  readonly read: ReadLine;
  readonly shares: ReadonlyMap<Uuid, PaymentShare>;
  /** Who asks for it: an operator. */
  readonly actor: string;
}

export type SettledAgain =
  | { readonly result: 'booked'; readonly settlement: Settlement }
  /** Its exception had been resolved. */
  | { readonly result: 'ended' }
  /** A person has proposed a resolution, and a second one has not approved it yet. Nothing was booked. */
  | { readonly result: 'handled'; readonly status: ExceptionStatus }
  /** It does not fit yet. Nothing was booked. */
  | { readonly result: 'exception'; readonly exception: LineException };

/** No resolution is proposed yet. */
const UNHANDLED: ReadonlySet<ExceptionStatus> = new Set(['open', 'assigned']);

export function settleAgain(bookId: BookId, input: SettleAgain): Command<SettledAgain> {
  const { found, read, shares, actor } = input;
  const { part, exceptionId } = found;
  const origin = { id: newId(), requestId: newId(), actor };
  return {
    ...origin,
    name: 'settlement.again',
    touches: [...settlementTouches(bookId, { part, lines: [read], shares }), { table: exceptions, ids: [exceptionId] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const exception = draft.get(exceptions, exceptionId);
      if (!exception || isEnded(exception)) return draft.finish<SettledAgain>({ result: 'ended' });
      const { status } = exception;
      if (!UNHANDLED.has(status)) return draft.finish<SettledAgain>({ result: 'handled', status });
      return draft.finish(takeAgain(draft, exception, input));
    },
  };
}

function takeAgain(draft: Draft, exception: Exception, { found, read, actor }: SettleAgain): SettledAgain {
  const { part } = found;
  const moves = new PortionMoves(draft);
  const taken = takeLine(draft, read, { part, moves });
  if (taken.exception) return { result: 'exception', exception: taken.exception };
  const { line } = taken;
  const before = draft.get(settlements, part.id)!;
  const entry = bookNet(draft, before, { net: line.gross, step: `settled_line_${line.place}` });
  const settlement = advance(
    draft,
    settlementResource,
    before,
    { amount: before.amount + line.gross, exceptions: before.exceptions - 1 },
    { event: `settlement.${before.status}`, entries: [entry] },
  );
  // The row that names the exception stays: what is booked stands beside it.
  keepLine(draft, settlement, taken, { id: draft.mintId(), entryId: entry.id, exceptionId: null });
  moves.finish();
  const evidenceSha256 = found.reportSha256;
  resolveByOperator(draft, exception, { actor, entryIds: [entry.id], evidenceSha256 });
  return { result: 'booked', settlement };
}
