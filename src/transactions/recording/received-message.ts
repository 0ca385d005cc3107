/** A message as it was received, before its effect on the purchase is known. */
import type { EntryMode, PurchaseKind } from '../../cards/purchase/purchase-facts.ts';
import type { Asked } from '../../idempotency/use-case.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Incoming } from '../message/message.ts';
import type { MessageChecks } from '../message/message-table.ts';
import type { Merchant } from '../purchase/purchase-table.ts';

/** Which card a message is with: one of them. */
export type CardNamed = { readonly cardId: Uuid } | { readonly cardReference: string } | { readonly tokenId: Uuid };

/** The merchant, and how the card was presented: facts of a purchase that its first message must have. */
export interface ReceivedMerchant extends Merchant {
  readonly merchantId: string;
  readonly acquirerId: string | null;
  readonly mcc: string;
  readonly country: string;
  readonly entryMode: EntryMode | null;
}

export interface ReceivedMessage extends Asked {
  readonly messageReference: string;
  /** By its id, or by the network reference that all its messages share. */
  readonly of: { readonly purchaseId: Uuid } | { readonly networkReference: string };
  readonly type: Incoming['type'];
  /** Null where the message leaves it to the purchase. */
  readonly card: CardNamed | null;
  readonly merchant: ReceivedMerchant | null;
  /** Null where the message leaves it out. */
  readonly kind: PurchaseKind | null;
  /** Null where it leaves it to the account. */
  readonly currency: string | null;
  readonly checks: MessageChecks | null;
  readonly interchange?: bigint | null;
  readonly businessDate?: string | null;
  /** The message, by the kind of its purchase. */
  incoming(kind: PurchaseKind): Incoming;
}
