/** How the API and events show the children of a payment that are operations at its acquirer. */

import { personal } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { declineView } from '../payment/payment-view.ts';
import { isDisputeCall, type PaymentOperation, reportedReference } from './payment-operation.ts';

/** Throws TypeError for an authorization, and for an answer to a dispute: neither is shown by itself. */
export function operationView(operation: PaymentOperation, livemode: boolean) {
  const { kind, status, failureCode: code, networkCode } = operation;
  if (kind === 'authorize' || isDisputeCall(kind))
    throw new TypeError(`An operation to ${kind} has no view of its own`);
  return {
    id: publicId(kind, operation.id),
    object: kind,
    livemode,
    payment: publicId('payment', operation.paymentId),
    status,
    amount: operation.amount,
    currency: operation.currency,
    currency_exponent: currencyExponent(operation.currency),
    ...ownMembers(operation),
    failure: code === null ? null : declineView({ code, networkCode }),
    outcome: operation.outcome,
    next_inquiry_at: formatInstantOrNull(operation.nextInquiryAt),
    reference: reportedReference(operation),
    acquirer_reference: operation.acquirerReference,
    journal_entries: operation.entryIds.map((id) => publicId('entry', id)),
    allowed_actions: [],
    request_id: publicId('request', operation.requestId),
    version: operation.version,
    created_at: formatInstant(operation.createdAt),
    updated_at: formatInstant(operation.updatedAt),
  };
}

function ownMembers(operation: PaymentOperation) {
  const { kind, fee, final, settledAt } = operation;
  if (kind === 'capture') return { fee, final, settled_at: formatInstantOrNull(settledAt) };
  if (kind === 'refund')
    return { fee_refunded: fee, reason: reasonOf(operation), settled_at: formatInstantOrNull(settledAt) };
  return {};
}

function reasonOf({ id, reason, textSalt }: PaymentOperation) {
  return textSalt === null ? reason : personal({ object: 'refund', objectId: id, salt: textSalt }, 'reason', reason);
}
