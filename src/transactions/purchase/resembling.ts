/**
 * Which open purchase a forced post may belong to: some merchants clear under another network reference than they
 * authorized under. The post names that purchase, whose hold stays until a person expires it.
 */
import type { MerchantAmount } from '../message/message.ts';

/** An amount of a card at a merchant. */
export interface Lookalike {
  readonly cardId: string;
  readonly merchantId: string;
  /** In the account's currency: of an open purchase, what is held. */
  readonly amount: bigint;
  /** The same in the merchant's; of an open purchase what is left of it. */
  readonly merchant: MerchantAmount | null;
}

export interface OpenPurchase extends Lookalike {
  readonly transactionId: string;
}

/** The one purchase that resembles the post. Null for none, and for several: then nothing distinguishes them. */
export function resembling(post: Lookalike, open: readonly OpenPurchase[]): string | null {
  const alike = open.filter((purchase) => isAlike(post, purchase));
  return alike.length === 1 ? alike[0]!.transactionId : null;
}

/** Rates change from day to day: amounts are compared in the merchant's currency where both have one. */
function isAlike(one: Lookalike, other: Lookalike): boolean {
  if (one.cardId !== other.cardId || one.merchantId !== other.merchantId) return false;
  if (one.merchant === null || other.merchant === null) return one.amount === other.amount;
  return one.merchant.currency === other.merchant.currency && one.merchant.amount === other.merchant.amount;
}
