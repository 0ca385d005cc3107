/** How the API and events show a payout. */

import { personal, shownTexts } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { destinationView } from '../destinations/destinations.ts';
import { personOf } from '../policies/approval-policy-view.ts';
import { allowedActions, type FailureCode, NOTHING_TRAVELS, type Payout, travellingText, waitingOn } from './payout.ts';

const FAILURE_MESSAGES: Record<FailureCode, string> = {
  payee_account_closed: "The payee's account is closed.",
  payee_account_blocked: "The payee's account is blocked.",
  payee_account_invalid: "The payee's account does not exist.",
  payee_changed: 'The destination is another one than was resolved or approved, or its payee is disabled.',
  alias_unregistered: 'The alias is not registered.',
  payee_name_mismatch: 'The name does not match the payee.',
  payee_bank_unavailable: "The payee's bank could not be reached.",
  amount_exceeds_rail_limit: 'The amount is above the limit of the rail.',
  rail_suspended: 'The rail is suspended.',
  refused_by_payee: 'The payee refused the payment.',
  compliance_rejected: 'The payment was refused for compliance reasons.',
  source_account_frozen: 'The account was frozen before the payout left it.',
  source_account_closed: 'The account was closed before the payout left it.',
  insufficient_funds: 'The account had too little available when the payout was released.',
  limit_exceeded:
    'A limit of payouts would have been exceeded, or more would have passed an account than it can count.',
  rail_unavailable: 'No rail carried the payout any more when it was released.',
};

export const FAILURE_CODES = Object.keys(FAILURE_MESSAGES) as [FailureCode, ...FailureCode[]];

/** The members that the steps of a payout change, in the order of its view. An event compares these with what they were. */
export function changingMembers(payout: Payout) {
  return {
    status: payout.status,
    waiting_on: waitingOn(payout),
    amount_returned: payout.amountReturned,
    outcome: payout.outcome,
    next_inquiry_at: formatInstantOrNull(payout.nextInquiryAt),
    sent_at: formatInstantOrNull(payout.sentAt),
    failure:
      payout.failureCode === null
        ? null
        : { code: payout.failureCode, message: FAILURE_MESSAGES[payout.failureCode], rail_code: payout.railCode },
    rail_reference: payout.railReference,
    journal_entries: payout.entryIds.map((id) => publicId('entry', id)),
    allowed_actions: allowedActions(payout),
  };
}

function shownDestination({ destination, payee }: Payout): object {
  const shown = destinationView(destination);
  if (payee === null) return shown;
  return { type: 'payee', payee: publicId('payee', payee.id), payee_version: payee.version, destination: shown };
}

/** Texts of a payout as its view shows them. Without a remittance the description travels, where it fits whole. */
function textsOf(payout: Payout) {
  const { description, metadata } = shownTexts('payout', payout);
  const { id: objectId, textSalt: salt, remittance, reason } = payout;
  const apart = (field: string, text: string | null) =>
    salt === null ? text : personal({ object: 'payout', objectId, salt }, field, text);
  const travelling = travellingText(payout.description) === null ? null : description;
  return {
    ...{ description, metadata },
    remittance:
      remittance === null ? travelling : remittance === NOTHING_TRAVELS ? null : apart('remittance', remittance),
    reason: reason === null ? null : apart('reason', reason),
  };
}

/** Of a payout that needs no approval. */
const NONE: readonly never[] = [];

export function payoutView(payout: Payout, livemode: boolean) {
  const { description, metadata, remittance, reason } = textsOf(payout);
  const { approval } = payout;
  const changing = changingMembers(payout);
  return {
    id: publicId('payout', payout.id),
    object: 'payout',
    livemode,
    status: changing.status,
    waiting_on: changing.waiting_on,
    amount: payout.amount,
    fee: payout.fee,
    amount_returned: changing.amount_returned,
    currency: payout.currency,
    currency_exponent: currencyExponent(payout.currency),
    account: publicId('account', payout.accountId),
    destination: shownDestination(payout),
    description,
    external_id: payout.externalId,
    metadata,
    rail: payout.rail,
    outcome: changing.outcome,
    next_inquiry_at: changing.next_inquiry_at,
    sent_at: changing.sent_at,
    failure: changing.failure,
    reason,
    end_to_end_id: payout.endToEndId,
    rail_reference: changing.rail_reference,
    expected_arrival: formatInstant(payout.expectedArrival ?? payout.createdAt),
    configuration: payout.configuration,
    remittance,
    purpose_code: payout.purposeCode,
    scheduled_for: formatInstantOrNull(payout.scheduledFor),
    approval_reasons: approval?.reasons ?? NONE,
    approvals: approval?.given.map(({ actor, at }) => ({ person: personOf(actor), at: formatInstant(at) })) ?? NONE,
    approvals_required: approval?.required ?? 0,
    batch: payout.batchId === null ? null : publicId('payoutBatch', payout.batchId),
    hold: payout.unheld ? null : publicId('hold', payout.holdId),
    journal_entries: changing.journal_entries,
    allowed_actions: changing.allowed_actions,
    request_id: publicId('request', payout.requestId),
    version: payout.version,
    created_at: formatInstant(payout.createdAt),
    updated_at: formatInstant(payout.updatedAt),
  };
}
