/**
 * Takes the next lines of a settlement, in one command: what matches is settled and booked by one entry (pool → acquirer, or the
 * other way), what does not is an exception. The settlement's `taken` says which lines are next, so a command that comes twice, or
 * late, changes nothing.
 */
import { openException } from '../../exceptions/open-exception.ts';
import { newId, type Uuid } from '../../ids.ts';
import { accounts } from '../../ledger/account-table.ts';
import type { BookId } from '../../ledger/book.ts';
import { chartAccountId } from '../../ledger/chart.ts';
import type { Command, Touch } from '../../ledger/command.ts';
import { Draft } from '../../ledger/draft.ts';
import type { Entry } from '../../ledger/entry.ts';
import { advance, announce } from '../../ledger/resource.ts';
import { unionOfTouches } from '../../ledger/state.ts';
import { captureResource, operationResources } from '../operation-resources.ts';
import type { Payment } from '../payment.ts';
import type { PaymentOperation } from '../payment-operation.ts';
import { paymentOperations } from '../payment-operation-table.ts';
import { paymentResource } from '../payment-resource.ts';
import { settlesWhole } from '../payment-settled.ts';
import { payments } from '../payment-table.ts';
import type { PaymentShare } from '../share.ts';
import { exceptionOf } from './match-line.ts';
import type { PartLine, ReportPart } from './report-store.ts';
import { PortionMoves, portionTouches } from './settle-portions.ts';
import type { Settlement } from './settlement.ts';
import { settlementResource } from './settlement-resource.ts';
import { settlementLines, settlements } from './settlement-table.ts';

/** A line with what it names in the book. */
export interface ReadLine {
  readonly line: PartLine;
  readonly operation: PaymentOperation | undefined;
}

export interface SettleLines {
  readonly part: ReportPart;
  /** How many lines were taken before these. */
  readonly behind: number;
  readonly lines: readonly ReadLine[];
  /** Those that the portions of captures name. */
  readonly shares: ReadonlyMap<Uuid, PaymentShare>;
}

/** What a line touches, for the limit on a command's rows. */
export function lineTouches(bookId: BookId, { operation }: ReadLine, shares: SettleLines['shares']): Touch[] {
  if (!operation) return [];
  return [
    { table: paymentOperations, ids: [operation.id] },
    { table: payments, ids: [operation.paymentId] },
    ...(operation.kind === 'capture' ? portionTouches(bookId, operation, shares) : []),
  ];
}

/** Answers with the settlement: with these lines or further. */
export function settleLines(bookId: BookId, input: SettleLines): Command<Settlement> {
  const { part, lines, shares } = input;
  const origin = { id: newId(), requestId: newId(), actor: `acquirer:${part.acquirer}` };
  const chart = (['pool', 'acquirer', 'merchant_pending'] as const).map((code) =>
    chartAccountId(bookId, code, part.currency),
  );
  const touches = [
    { table: settlements, ids: [part.id] },
    { table: accounts, ids: chart },
    ...lines.flatMap((line) => lineTouches(bookId, line, shares)),
  ];
  return {
    ...origin,
    name: 'settlement.lines',
    // Lines of one payment, share or account name the same rows.
    touches: [...unionOfTouches([touches])].map(([table, ids]) => ({ table, ids })),
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const settlement = draft.get(settlements, part.id) ?? newSettlement(draft, part);
      return draft.finish(settlement.taken === input.behind ? takeLines(draft, settlement, input) : settlement);
    },
  };
}

function takeLines(draft: Draft, settlement: Settlement, { part, lines }: SettleLines): Settlement {
  const moves = new PortionMoves(draft);
  const taken = lines.map(({ line, operation: read }) => {
    const operation = read && draft.get(paymentOperations, read.id);
    const payment = operation && draft.get(payments, operation.paymentId);
    const exception = exceptionOf(line, { ...part, operation, payment });
    if (exception || !operation || !payment) {
      const id = draft.mintId();
      openException(draft, { id, ...exception!, resource: 'settlement', resourceId: settlement.id });
      return { line, operation, exceptionId: id };
    }
    settle(draft, { line, operation, payment }, moves);
    return { line, operation, exceptionId: null };
  });
  const booked = taken.filter(({ exceptionId }) => exceptionId === null);
  const net = booked.reduce((sum, { line }) => sum + line.gross, 0n);
  const entry = net === 0n ? null : bookNet(draft, settlement, net);
  const next = tell(draft, settlement, {
    taken: settlement.taken + taken.length,
    amount: settlement.amount + net,
    exceptions: settlement.exceptions + taken.length - booked.length,
    entry,
  });
  for (const { line, operation, exceptionId } of taken)
    draft.append(settlementLines, {
      id: line.id,
      settlementId: settlement.id,
      lineId: line.lineId,
      type: line.type,
      reference: line.reference,
      currency: settlement.currency,
      amount: line.gross,
      paymentId: operation?.paymentId ?? null,
      operationId: operation?.id ?? null,
      entryId: exceptionId === null ? (entry?.id ?? null) : null,
      exceptionId,
      createdAt: draft.moment.book,
    });
  moves.finish();
  return next;
}

function settle(
  draft: Draft,
  { line, operation, payment }: { line: PartLine; operation: PaymentOperation; payment: Payment },
  moves: PortionMoves,
): void {
  const settledAt = draft.moment.book;
  if (line.type === 'capture') {
    const amountSettled = payment.amountSettled + operation.amount;
    const portions = moves.move(operation);
    advance(draft, captureResource, operation, { settledAt, portions });
    const isSettled = settlesWhole({ ...payment, amountSettled });
    advance(
      draft,
      paymentResource,
      payment,
      { amountSettled, ...(isSettled ? { status: 'settled' } : {}) },
      isSettled ? { event: 'payment.settled' } : {},
    );
  } else if (line.type === 'refund') advance(draft, operationResources.refund, operation, { settledAt });
  // The acquirer has given it back: as if it had never been paid.
  else if (line.type === 'refund_failed') advance(draft, operationResources.refund, operation, { settledAt: null });
}

function bookNet(draft: Draft, { id, currency, taken }: Settlement, net: bigint): Entry {
  const [pool, acquirer] = [draft.chart('pool', currency).id, draft.chart('acquirer', currency).id];
  return draft.post({
    resource: 'settlement',
    resourceId: id,
    step: `settled_from_${taken + 1}`,
    postings: [
      net > 0n ? { debit: pool, credit: acquirer, amount: net } : { debit: acquirer, credit: pool, amount: -net },
    ],
  });
}

/** Every command tells of its entry: those before the last as `settlement.received`. */
function tell(
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
