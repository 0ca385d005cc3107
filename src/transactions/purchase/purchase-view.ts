/** How the API and events show a card purchase. */
import { personal } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { decisionView } from '../message/stored-decision.ts';
import type { StoredPurchase } from './purchase-table.ts';

export type PurchaseAction = 'expire' | 'dispute';

/** Messages of the processor are taken whatever the status. */
export function allowedActions({ isOpen, amounts }: StoredPurchase): readonly PurchaseAction[] {
  const { cleared, refunded, disputed } = amounts;
  return [...(isOpen ? (['expire'] as const) : []), ...(cleared - refunded > disputed ? (['dispute'] as const) : [])];
}

export function purchaseView(purchase: StoredPurchase, livemode: boolean) {
  const { facts, merchant, amounts, textSalt, metadata, decision } = purchase;
  const owner = textSalt && { object: 'transaction' as const, objectId: purchase.id, salt: textSalt };
  const balance = decision?.balance ?? null;
  return {
    id: publicId('transaction', purchase.id),
    object: 'transaction',
    livemode,
    status: purchase.status,
    kind: facts.kind,
    network_reference: purchase.networkReference,
    card: publicId('card', purchase.cardId),
    token: publicIdOrNull('cardToken', purchase.tokenId),
    account: publicId('account', purchase.accountId),
    currency: purchase.currency,
    currency_exponent: currencyExponent(purchase.currency),
    merchant: {
      id: facts.merchantId,
      acquirer_id: facts.acquirerId,
      name: merchant.name,
      city: merchant.city,
      country: facts.country,
      postal_code: merchant.postalCode,
      mcc: facts.mcc,
      terminal: merchant.terminal,
    },
    entry_mode: facts.entryMode,
    ...decisionView(decision),
    amounts: {
      authorized: amounts.authorized,
      reversed: amounts.reversed,
      held: amounts.held,
      fee_held: amounts.feeHeld,
      cleared: amounts.cleared,
      refunded: amounts.refunded,
      disputed: amounts.disputed,
      fee: amounts.fee,
      fx_difference: amounts.fxDifference,
    },
    flags: purchase.flags,
    resembles: publicIdOrNull('transaction', purchase.resembles),
    hold: publicIdOrNull('hold', purchase.holdId),
    expires_at: formatInstantOrNull(purchase.expiresAt),
    balance: balance && { posted: BigInt(balance.posted), available: BigInt(balance.available) },
    metadata: owner ? personal(owner, 'metadata', metadata) : metadata,
    allowed_actions: allowedActions(purchase),
    request_id: publicId('request', purchase.requestId),
    version: purchase.version,
    created_at: formatInstant(purchase.createdAt),
    updated_at: formatInstant(purchase.updatedAt),
  };
}
