/** What an approval changes of a card: single-use cards close, merchant-locked ones are bound. An advice that approves counts as well. */
import { isCredit, type PurchaseFacts } from '../purchase/purchase-facts.ts';
import type { Card, MerchantLock } from './card.ts';

export interface Approval {
  /** Approved, in minor units. */
  readonly amount: bigint;
  readonly facts: PurchaseFacts;
}

/** Empty where nothing changes. Of a card that is open. */
export function afterApproval(card: Card, { amount, facts }: Approval): Partial<Card> {
  if (card.status === 'closed' || isCredit(facts.kind)) return {};
  if (card.type === 'single_use' && amount > 0n) return { status: 'closed', closedReason: 'used' };
  if (card.type === 'merchant_locked' && card.lockedTo === null && bindsTo(facts)) return { lockedTo: lockOf(facts) };
  return {};
}

/** A merchant that keeps the card on file verifies it first, and is the one. A balance is asked of no merchant. */
function bindsTo({ kind }: PurchaseFacts): boolean {
  return kind !== 'balance_inquiry';
}

function lockOf({ merchantId, acquirerId }: PurchaseFacts): MerchantLock {
  return { merchantId, acquirerId };
}

/** Each acquirer has its own merchant ids: acquirer and id both have to be the same, also where one is null. */
export function isLockedOut({ lockedTo }: Pick<Card, 'lockedTo'>, { merchantId, acquirerId }: PurchaseFacts): boolean {
  return lockedTo !== null && (lockedTo.merchantId !== merchantId || lockedTo.acquirerId !== acquirerId);
}
