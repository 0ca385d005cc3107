/** How the API and events show a card: nothing of its number but the last four digits, nothing of its cardholder in clear. */
import { personal } from '../../ledger/rows/personal-text.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { allowedActions } from './card.ts';
import { pinAttemptsLeft } from './card-pin.ts';
import type { StoredCard } from './card-table.ts';

export function cardView(card: StoredCard, livemode: boolean) {
  const { lockedTo, shippingStatus, textSalt } = card;
  const owner = textSalt && { object: 'card' as const, objectId: card.id, salt: textSalt };
  const text = (field: string, value: string | null) => (owner ? personal(owner, field, value) : value);
  return {
    id: publicId('card', card.id),
    object: 'card',
    livemode,
    status: card.status,
    type: card.type,
    account: publicId('account', card.accountId),
    currency: card.currency,
    card_reference: card.cardReference,
    network: card.network,
    last_four: card.lastFour,
    exp_month: card.expMonth,
    exp_year: card.expYear,
    cardholder: {
      name_masked: text('cardholder_masked', card.cardholderMasked),
      reference: text('cardholder_reference', card.cardholderReference),
    },
    shipping: shippingStatus && { status: shippingStatus },
    pin_status: card.pinStatus,
    pin_attempts_left: pinAttemptsLeft(card),
    locked_to: lockedTo && { merchant: lockedTo.merchantId, acquirer: lockedTo.acquirerId },
    replacement_for: publicIdOrNull('card', card.replacementFor),
    replacement_reason: card.replacementReason,
    replaced_by: publicIdOrNull('card', card.replacedBy),
    closed_reason: card.closedReason,
    external_id: card.externalId,
    metadata: owner ? personal(owner, 'metadata', card.metadata) : card.metadata,
    allowed_actions: allowedActions(card),
    request_id: publicId('request', card.requestId),
    version: card.version,
    created_at: formatInstant(card.createdAt),
    updated_at: formatInstant(card.updatedAt),
  };
}
