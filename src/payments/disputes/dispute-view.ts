/** How the API and events show a dispute. */

import { personal } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { allowedActions, type Dispute, waitingOn } from './dispute.ts';

export function disputeView(dispute: Dispute, livemode: boolean) {
  const { id, textSalt, evidence } = dispute;
  const submitted = { ...evidence } as Readonly<Record<string, string>>;
  return {
    id: publicId('dispute', id),
    object: 'dispute',
    livemode,
    payment: publicId('payment', dispute.paymentId),
    account: publicId('account', dispute.accountId),
    status: dispute.status,
    stage: dispute.stage,
    waiting_on: waitingOn(dispute),
    amount: dispute.amount,
    currency: dispute.currency,
    currency_exponent: currencyExponent(dispute.currency),
    fee: dispute.fee,
    fee_refunded: dispute.feeRefunded,
    reason: dispute.reason,
    reason_code: dispute.reasonCode,
    previous_dispute: publicIdOrNull('dispute', dispute.previousDispute),
    next_dispute: publicIdOrNull('dispute', dispute.nextDispute),
    evidence:
      evidence === null || textSalt === null
        ? null
        : personal({ object: 'dispute', objectId: id, salt: textSalt }, 'evidence', submitted),
    evidence_due_at: formatInstant(dispute.evidenceDueAt),
    failure_code: dispute.failureCode,
    outcome: dispute.outcome,
    next_inquiry_at: formatInstantOrNull(dispute.nextInquiryAt),
    acquirer_reference: dispute.acquirerReference,
    allowed_actions: allowedActions(dispute),
    journal_entries: dispute.entryIds.map((entry) => publicId('entry', entry)),
    request_id: publicId('request', dispute.requestId),
    version: dispute.version,
    created_at: formatInstant(dispute.createdAt),
    updated_at: formatInstant(dispute.updatedAt),
  };
}
