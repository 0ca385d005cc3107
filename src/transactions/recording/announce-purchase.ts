/** Puts a purchase as a message has left it, and announces the message. */
import type { Draft } from '../../ledger/command/draft.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import type { ShownMembers } from '../../ledger/events/event-form.ts';
import { AnnouncedObject } from '../../ledger/events/event-payload.ts';
import { previousAttributes } from '../../ledger/events/previous-attributes.ts';
import { requireTransition, shownBy } from '../../ledger/resources/resource.ts';
import { writeJson } from '../../values/json.ts';
import { transactionResource } from '../purchase/purchase-resource.ts';
import { type StoredPurchase, transactions } from '../purchase/purchase-table.ts';

export interface Announcement {
  readonly event: string;
  readonly entries: readonly Entry[];
  /** As it was shown before; undefined of what was not there. */
  readonly before: ShownMembers | undefined;
}

/** Returns the object as the event has it: the answer refers to the event, and is stored once. */
export function announcePurchase(
  draft: Draft,
  purchase: StoredPurchase,
  { event, entries, before }: Announcement,
): AnnouncedObject {
  const kept = draft.put(transactions, purchase.id, purchase);
  const shown = shownBy(draft, transactionResource, kept);
  const text = writeJson(shown);
  const announced = draft.emit({
    type: event,
    objectId: kept.id,
    objectSequence: kept.version,
    object: text,
    ...(before && { previousAttributes: previousAttributes(before, shown) }),
    entries,
  });
  return new AnnouncedObject(text, announced.sequence);
}

/** Throws for a status that cannot follow: a bug. */
export function requireStatus(before: StoredPurchase | undefined, after: StoredPurchase): void {
  requireTransition(transactionResource, before?.status, after.status);
}
