/** Settlements: reports of what the acquirer paid, some with lines that nobody can match. */

import fc from 'fast-check';
import { disputes } from '../../../../src/payments/disputes/dispute-table.ts';
import type { PaymentOperation } from '../../../../src/payments/operations/payment-operation.ts';
import type { Settlement } from '../../../../src/payments/paydays/settlement.ts';
import { payments } from '../../../../src/payments/payment/payment-table.ts';
import { sharesOf } from '../../../../src/payments/refunds/take-funding.ts';
import { isUnsettled, type ReadChargebacks } from '../../../../src/payments/settlements/match-line.ts';
import { settleLines } from '../../../../src/payments/settlements/settle-lines.ts';
import { paymentShares } from '../../../../src/payments/shares/share-table.ts';
import { newId } from '../../../../src/values/ids.ts';
import { CURRENCIES } from '../../names.ts';
import { type AnyKind, draws, fromNewest, kind, maybe, type RealBook } from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { PaymentRecords } from './records.ts';
import { ReferenceDisputes } from './reference-disputes.ts';
import { type ReferenceLine, ReferenceSettlements, type Settle } from './reference-settlements.ts';
import { operationOf } from './rows.ts';

const { recent } = draws;

export const settlementKinds: readonly AnyKind[] = [
  kind({
    do: 'settle payments',
    weight: 6,
    draw: {
      currency: fc.constantFrom(0, 0, 0, 1),
      most: fc.constantFrom(1, 2, 9),
      wrong: maybe(fc.record({ about: maybe(recent), by: fc.constantFrom(0n, 1n) }), { freq: 4 }),
    },
    ask(book, { currency: at, most, wrong }): Settle | undefined {
      const currency = CURRENCIES[at]!;
      const lines = [
        ...unreported(book, currency).slice(0, most),
        ...(wrong ? [anyCapture(book, currency, wrong)] : []),
      ];
      return lines.length === 0 ? undefined : { currency, lines };
    },
    expect: (book, asked, identity) => book.of(ReferenceSettlements).settle(asked, identity),
    // What of a payment is in a share is read before the batch.
    isAlone: () => true,
    saidOf(answer) {
      const { lines, exceptions, amount } = answer as Settlement;
      return { status: 0, resource: `${exceptions} of ${lines} left to people, ${amount} booked` };
    },
    command: (real, { currency, lines }) => takingLines(real, currency, lines),
  }),
];

/** What the acquirer has done and not reported, in the order of its operations; then what disputes took and gave. */
function unreported(book: ReferenceBook, currency: string): ReferenceLine[] {
  const records = book.of(PaymentRecords);
  const operations = [...records.operations.values()].filter(
    (one) => records.payment(one.payment).currency === currency,
  );
  const own = operations.flatMap(({ name, kind: of, status, isSettled, amount }): ReferenceLine[] => {
    if (of === 'capture' && status === 'succeeded' && !isSettled)
      return [{ type: 'capture', about: name, gross: amount }];
    if (of !== 'refund') return [];
    if (status === 'succeeded' && !isSettled) return [{ type: 'refund', about: name, gross: -amount }];
    return status === 'failed' && isSettled ? [{ type: 'refund_failed', about: name, gross: amount }] : [];
  });
  const disputed = book.of(ReferenceDisputes).all.filter(({ stage, payment }) => {
    return stage === 'chargeback' && records.payment(payment).currency === currency;
  });
  const taken = disputed.flatMap(({ payment, amount, status, reported }): ReferenceLine[] => {
    const type = reported.has('dispute') ? ('dispute_won' as const) : ('dispute' as const);
    if (reported.has(type) || (type === 'dispute_won' && status !== 'won')) return [];
    reported.add(type);
    return [{ type, about: `authorize 1 of ${payment}`, gross: type === 'dispute' ? -amount : amount }];
  });
  return [...own, ...taken];
}

/** A capture whatever became of it, perhaps of another amount, or something that nobody knows. */
function anyCapture(
  book: ReferenceBook,
  currency: string,
  { about, by }: { about: number | null; by: bigint },
): ReferenceLine {
  const records = book.of(PaymentRecords);
  const captures = [...records.operations.values()].filter(
    ({ kind: of, payment }) => of === 'capture' && records.payment(payment).currency === currency,
  );
  const known = about === null ? undefined : fromNewest(captures, about);
  return { type: 'capture', about: known?.name ?? null, gross: (known?.amount ?? 100n) + by };
}

function takingLines(real: RealBook, currency: string, asked: readonly ReferenceLine[]) {
  const { memory } = real;
  const ofBook = memory.book.id;
  const gross = asked.reduce((sum, line) => sum + line.gross, 0n);
  const of = { id: newId(), reportBookId: newId(), ofBook, acquirer: 'sandbox_acquirer' };
  const operations = asked.map(({ about }) => (about === null ? undefined : operationOf(real, about)));
  const chargebacks = chargebacksOf(real, asked, operations);
  const shares = operations.flatMap((operation) => (operation ? sharesIn(operation) : []));
  return settleLines(ofBook, {
    part: { ...of, currency, lines: asked.length, gross, cost: 0n },
    behind: 0,
    shares: new Map(shares.map((id) => [id, memory.get(paymentShares, id)])),
    lines: asked.map((line, at) => ({
      operation: operations[at],
      chargebacks: chargebacks[at],
      line: {
        ...{ id: newId(), place: at + 1, lineId: `line ${at + 1}`, type: line.type, gross: line.gross, cost: 0n },
        reference: operations[at]?.reference ?? 'nothing',
      },
    })),
  });
}

function sharesIn(operation: PaymentOperation): string[] {
  return operation.kind === 'capture' ? sharesOf(operation) : [];
}

/** As a reading before the command finds them. */
function chargebacksOf(
  real: RealBook,
  asked: readonly ReferenceLine[],
  operations: readonly (PaymentOperation | undefined)[],
): (ReadChargebacks | undefined)[] {
  const taken = new Set<string>();
  return asked.map(({ type, gross }, at) => {
    const paymentId = operations[at]?.paymentId;
    if (paymentId === undefined || (type !== 'dispute' && type !== 'dispute_won')) return undefined;
    const all = [...real.memory.rows(disputes).values()].filter(
      (dispute) => dispute.paymentId === paymentId && dispute.stage === 'chargeback',
    );
    const booked = all.filter(({ status }) => type === 'dispute' || status === 'won');
    const left = booked.filter((dispute) => isUnsettled(type, dispute) && !taken.has(`${type} ${dispute.id}`));
    const size = gross < 0n ? -gross : gross;
    const id = left.find(({ amount }) => amount === size)?.id;
    if (id !== undefined) taken.add(`${type} ${id}`);
    return {
      ...{ id, chargebacks: all.length, booked: booked.length, unsettled: left.length },
      hasAmount: booked.some(({ amount }) => amount === size),
      amounts: left.map(({ amount }) => amount).join(', '),
      amountDisputed: real.memory.get(payments, paymentId)!.amountDisputed,
    };
  });
}
