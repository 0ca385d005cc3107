/** Whether a line of a report is about what we know, as we know it. Pure. */
import type { Uuid } from '../../values/ids.ts';
import type { Dispute, DisputeLine } from '../disputes/dispute.ts';
import type { FoundChargebacks } from '../disputes/dispute-store.ts';
import { hasFailedLate, type OperationKind, type PaymentOperation } from '../operations/payment-operation.ts';
import type { LineType } from '../paydays/report.ts';
import type { Payment } from '../payment/payment.ts';
import type { PartLine } from './report-store.ts';

export type LineExceptionKind =
  | 'settlement_reference_unknown'
  | 'settlement_type_mismatch'
  | 'settlement_acquirer_mismatch'
  | 'settlement_currency_mismatch'
  | 'settlement_amount_mismatch'
  | 'settlement_cost_mismatch'
  | 'settlement_not_succeeded'
  | 'settlement_repeated'
  | 'settlement_adjustment';

export interface LineException {
  readonly kind: LineExceptionKind;
  /** In words, without personal text. */
  readonly detail: string;
}

export interface MatchedAgainst {
  readonly acquirer: string;
  readonly currency: string;
  readonly operation: PaymentOperation | undefined;
  readonly payment: Payment | undefined;
  /** Of a line about a dispute. */
  readonly chargebacks: ReadChargebacks | undefined;
}

/** What was read of a payment for a line about a dispute. */
export interface ReadChargebacks extends Omit<FoundChargebacks, 'ids'> {
  /** The one that the line settles: the earliest of its amount that no line has settled so. */
  readonly id: Uuid | undefined;
}

/** What the reference of a line may be that of. */
const LINES_OF: Readonly<Record<Exclude<LineType, 'adjustment'>, readonly OperationKind[]>> = {
  capture: ['capture'],
  refund: ['refund'],
  refund_failed: ['refund'],
  dispute: ['authorize', 'capture'],
  dispute_won: ['authorize', 'capture'],
};

/** Undefined where the line is booked. */
export function exceptionOf(
  { type, reference, gross, cost, lineId }: Pick<PartLine, 'type' | 'reference' | 'gross' | 'cost' | 'lineId'>,
  { acquirer, currency, operation, payment, chargebacks }: MatchedAgainst,
): LineException | undefined {
  const raised = (kind: LineExceptionKind, why: string): LineException => ({
    kind,
    detail: `Line ${lineId} of the acquirer's report (${type}, ${gross} ${currency}): ${why}`,
  });
  if (type === 'adjustment') return raised('settlement_adjustment', 'a person books what it is for.');
  if (!operation || !payment) return raised('settlement_reference_unknown', `nothing has the reference ${reference}.`);
  if (!LINES_OF[type].includes(operation.kind))
    return raised('settlement_type_mismatch', `the reference is that of a ${operation.kind}.`);
  if (operation.acquirer !== acquirer)
    return raised('settlement_acquirer_mismatch', `the payment is at ${operation.acquirer}.`);
  if (operation.currency !== currency)
    return raised('settlement_currency_mismatch', `the payment is in ${operation.currency}.`);
  switch (type) {
    case 'capture':
    case 'refund':
      if (operation.settledAt !== null || operation.failureSettledAt !== null)
        return raised('settlement_repeated', `the ${type} was settled before.`);
      // A report is of the past: a refund that it pays may have failed since, and a later report gives it back.
      if (operation.status !== 'succeeded' && !hasFailedLate(operation))
        return raised('settlement_not_succeeded', `the ${type} is ${operation.status}.${later(operation)}`);
      break;
    case 'refund_failed':
      if (operation.status !== 'failed')
        return raised('settlement_not_succeeded', `the refund is ${operation.status}, and has not failed.`);
      if (operation.settledAt === null)
        return raised('settlement_repeated', 'the refund is not among what was settled.');
      break;
    case 'dispute':
    case 'dispute_won': {
      const problem = chargebacks && disputeProblem(type, chargebacks);
      if (problem) return raised(...problem);
    }
  }
  // A line about a dispute was matched by its amount.
  const isOfDispute = type === 'dispute' || type === 'dispute_won';
  if (!isOfDispute && magnitude(gross) !== operation.amount)
    return raised('settlement_amount_mismatch', `the ${operation.kind} is of ${operation.amount}.`);
  // Whoever pays for less than nothing, or keeps more than all of it, has written another column or sign than they meant.
  if (cost < 0n || cost > magnitude(gross))
    return raised('settlement_cost_mismatch', `a cost is from 0 to the gross, and this one is ${cost}.`);
  return undefined;
}

/** An operation that is under way may still succeed as the line states: then an operator takes the line again. */
function later({ status }: PaymentOperation): string {
  const isOpen = status === 'pending' || status === 'requires_action';
  return isOpen ? ' Once it has succeeded, npm run settle -- --again books the line.' : '';
}

/** Whether the dispute still is what a line of the type settles. */
export function isUnsettled(type: DisputeLine, { status, settledAt, wonSettledAt }: Dispute): boolean {
  return type === 'dispute' ? settledAt === null : status === 'won' && wonSettledAt === null;
}

function disputeProblem(type: DisputeLine, found: ReadChargebacks): [LineExceptionKind, string] | undefined {
  if (found.id !== undefined) return undefined;
  if (found.chargebacks === 0) return ['settlement_reference_unknown', 'no dispute of the payment has taken anything.'];
  if (found.booked === 0) return ['settlement_not_succeeded', 'no dispute of the payment is won.'];
  if (found.unsettled === 0 || found.hasAmount)
    return ['settlement_repeated', `the ${type === 'dispute' ? 'dispute' : 'won dispute'} was settled before.`];
  return ['settlement_amount_mismatch', `the dispute is of ${found.amounts}.`];
}

const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount);
