/**
 * Takes the next lines of a settlement, in one command: lines that match are settled and booked by one entry (pool →
 * acquirer, or the other way), each of the others becomes an exception. The settlement's `taken` counts the lines that
 * are done, so a command that comes twice, or late, changes nothing.
 */

import { openException } from '../../exceptions/open-exception.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Touch } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { unionOfTouches } from '../../ledger/command/state.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import { advance, announce } from '../../ledger/resources/resource.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { NoProgress } from '../../values/progress.ts';
import type { Settlement } from '../paydays/settlement.ts';
import { settlements } from '../paydays/settlement-table.ts';
import type { PaymentShare } from '../shares/share.ts';
import type { ReportPart } from './report-store.ts';
import { bookNet, keepLine, lineTouches, type ReadLine, takeLine } from './settle-line.ts';
import { PortionMoves } from './settle-portions.ts';
import { settlementResource } from './settlement-resource.ts';

export interface SettleLines {
  readonly part: ReportPart;
  /** How many lines were taken before these. */
  readonly behind: number;
  readonly lines: readonly ReadLine[];
  /** Those that the portions of captures name. */
  readonly shares: ReadonlyMap<Uuid, PaymentShare>;
}

/** What lines of a part touch. Lines of one payment, share or account name the same rows. */
export function settlementTouches(
  bookId: BookId,
  { part, lines, shares }: Pick<SettleLines, 'part' | 'lines' | 'shares'>,
): Touch[] {
  const chart = (['pool', 'acquirer', 'merchant_pending'] as const).map((code) =>
    chartAccountId(bookId, code, part.currency),
  );
  const touches = [
    { table: settlements, ids: [part.id] },
    { table: accounts, ids: chart },
    ...lines.flatMap((line) => lineTouches(bookId, line, shares)),
  ];
  return [...unionOfTouches([touches])].map(([table, ids]) => ({ table, ids }));
}

/** Answers with the settlement: with these lines or further. Throws NoProgress without lines, since whoever asks for the next ones would ask for ever. */
export function settleLines(bookId: BookId, input: SettleLines): Command<Settlement> {
  const { part } = input;
  const origin = { id: newId(), requestId: newId(), actor: `acquirer:${part.acquirer}` };
  return {
    ...origin,
    name: 'settlement.lines',
    touches: settlementTouches(bookId, input),
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const settlement = draft.get(settlements, part.id) ?? newSettlement(draft, part);
      if (settlement.taken !== input.behind) return draft.finish(settlement);
      if (input.lines.length === 0)
        throw new NoProgress(`Settlement ${part.id}: no line is taken behind line ${input.behind} of ${part.lines}.`);
      return draft.finish(takeLines(draft, settlement, input));
    },
  };
}

function takeLines(draft: Draft, settlement: Settlement, { part, lines }: SettleLines): Settlement {
  const moves = new PortionMoves(draft);
  const taken = lines.map((read) => {
    const { exception, ...line } = takeLine(draft, read, { part, moves });
    if (exception === undefined) return { ...line, exceptionId: null };
    const exceptionId = draft.mintId();
    openException(draft, { id: exceptionId, ...exception, resource: 'settlement', resourceId: settlement.id });
    return { ...line, exceptionId };
  });
  const booked = taken.filter(({ exceptionId }) => exceptionId === null);
  const net = booked.reduce((sum, { line }) => sum + line.gross, 0n);
  const entry = net === 0n ? null : bookNet(draft, settlement, { net, step: `settled_from_${settlement.taken + 1}` });
  const next = announceLines(draft, settlement, {
    taken: settlement.taken + taken.length,
    amount: settlement.amount + net,
    exceptions: settlement.exceptions + taken.length - booked.length,
    entry,
  });
  for (const { exceptionId, ...one } of taken) {
    const entryId = exceptionId === null ? (entry?.id ?? null) : null;
    keepLine(draft, settlement, one, { id: one.line.id, entryId, exceptionId });
  }
  moves.finish();
  return next;
}

/** Every command announces its entry: those before the last as `settlement.received`. */
function announceLines(
  draft: Draft,
  settlement: Settlement,
  { entry, ...change }: Pick<Settlement, 'taken' | 'amount' | 'exceptions'> & { entry: Entry | null },
): Settlement {
  const entries = entry ? [entry] : [];
  const isLast = change.taken === settlement.lines;
  if (settlement.taken > 0) {
    if (!isLast)
      return advance(draft, settlementResource, settlement, change, { event: 'settlement.received', entries });
  } else {
    const first = isLast ? settlement : { ...settlement, ...change };
    draft.put(settlements, first.id, first);
    announce(draft, settlementResource, first, { event: 'settlement.received', entries: isLast ? [] : entries });
    if (!isLast) return first;
  }
  const done = { ...change, status: 'completed' as const };
  return advance(draft, settlementResource, settlement, done, { event: 'settlement.completed', entries });
}

function newSettlement({ moment }: Draft, part: ReportPart): Settlement {
  return {
    id: part.id,
    acquirer: part.acquirer,
    currency: part.currency,
    status: 'received',
    lines: part.lines,
    reported: part.gross,
    taken: 0,
    amount: 0n,
    exceptions: 0,
    version: 1,
    createdAt: moment.book,
    updatedAt: moment.book,
  };
}
