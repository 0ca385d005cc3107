/** Whether a line of a report is about what we know, as we know it. Pure. */
import type { Payment } from '../payment.ts';
import type { PaymentOperation } from '../payment-operation.ts';
import type { PartLine } from './report-store.ts';

export type LineExceptionKind =
  | 'settlement_reference_unknown'
  | 'settlement_type_mismatch'
  | 'settlement_acquirer_mismatch'
  | 'settlement_currency_mismatch'
  | 'settlement_amount_mismatch'
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
}

/** Undefined where the line is booked. */
export function exceptionOf(
  { type, reference, gross, lineId }: Pick<PartLine, 'type' | 'reference' | 'gross' | 'lineId'>,
  { acquirer, currency, operation, payment }: MatchedAgainst,
): LineException | undefined {
  const raised = (kind: LineExceptionKind, why: string): LineException => ({
    kind,
    detail: `Line ${lineId} of the acquirer's report (${type}, ${gross} ${currency}): ${why}`,
  });
  if (type === 'adjustment') return raised('settlement_adjustment', 'a person books what it is for.');
  if (!operation || !payment) return raised('settlement_reference_unknown', `nothing has the reference ${reference}.`);
  const isOf = { capture: ['capture'], refund: ['refund'], refund_failed: ['refund'] }[type as string] ?? [
    'authorize',
    'capture',
  ];
  if (!isOf.includes(operation.kind))
    return raised('settlement_type_mismatch', `the reference is that of a ${operation.kind}.`);
  if (operation.acquirer !== acquirer)
    return raised('settlement_acquirer_mismatch', `the payment is at ${operation.acquirer}.`);
  if (operation.currency !== currency)
    return raised('settlement_currency_mismatch', `the payment is in ${operation.currency}.`);
  switch (type) {
    case 'capture':
    case 'refund':
      if (operation.settledAt !== null) return raised('settlement_repeated', `the ${type} was settled before.`);
      if (operation.status !== 'succeeded')
        return raised('settlement_not_succeeded', `the ${type} is ${operation.status}.`);
      break;
    case 'refund_failed':
      if (operation.status !== 'failed')
        return raised('settlement_not_succeeded', `the refund is ${operation.status}, and has not failed.`);
      if (operation.settledAt === null)
        return raised('settlement_repeated', 'the refund is not among what was settled.');
      break;
    default:
      // What a dispute takes is told by its own notice; more than was captured cannot be disputed.
      return magnitude(gross) > payment.amountCaptured
        ? raised('settlement_amount_mismatch', `only ${payment.amountCaptured} of the payment was captured.`)
        : undefined;
  }
  if (magnitude(gross) !== operation.amount)
    return raised('settlement_amount_mismatch', `the ${operation.kind} is of ${operation.amount}.`);
  return undefined;
}

const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount);
