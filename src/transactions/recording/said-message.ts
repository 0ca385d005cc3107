/** A message as a request says it, before it is known what the purchase makes of it. */
import type { EntryMode, PurchaseKind } from '../../cards/purchase/purchase-facts.ts';
import type { Asked } from '../../idempotency/use-case.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Incoming } from '../message/message.ts';
import type { MessageChecks } from '../message/message-table.ts';
import type { Merchant } from '../purchase/purchase-table.ts';

/** Which card a message is with: one of them. */
export type CardNamed = { readonly cardId: Uuid } | { readonly cardReference: string } | { readonly tokenId: Uuid };

/** Who sells, and how the card was presented: what the first message of a purchase makes it of. */
export interface SaidMerchant extends Merchant {
  readonly merchantId: string;
  readonly acquirerId: string | null;
  readonly mcc: string;
  readonly country: string;
  readonly entryMode: EntryMode | null;
}

export interface SaidMessage extends Asked {
  readonly messageReference: string;
  /** By its id, or by the network reference that all its messages share. */
  readonly of: { readonly purchaseId: Uuid } | { readonly networkReference: string };
  readonly type: Incoming['type'];
  /** Null where the message leaves it to the purchase. */
  readonly card: CardNamed | null;
  readonly merchant: SaidMerchant | null;
  /** Null where the message does not say. */
  readonly kind: PurchaseKind | null;
  /** Null where it leaves it to the account. */
  readonly currency: string | null;
  readonly checks: MessageChecks | null;
  readonly interchange?: bigint | null;
  readonly businessDate?: string | null;
  /** The message, by the kind of its purchase. */
  incoming(kind: PurchaseKind): Incoming;
}
