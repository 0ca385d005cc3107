/** Moves the hold of a purchase to what is held of it, its fee included. Nothing refuses it: what is held was decided before. */
import type { Draft } from '../../ledger/command/draft.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import type { Uuid } from '../../values/ids.ts';
import { purchaseHoldId } from '../purchase/purchase-id.ts';

/** Which hold a purchase has, and how many it has had. */
export interface HoldPlace {
  readonly holds: number;
  readonly holdId: Uuid | null;
}

/** Before the entries of a message: what they take is available again by then, and no entry is flagged for what was held. */
export function takeHold(
  draft: Draft,
  { holdId }: HoldPlace,
  { less, captured, isExpiry }: { less: bigint; captured: bigint; isExpiry: boolean },
): void {
  if (less <= 0n) return;
  const taken = captured < less ? captured : less;
  if (taken > 0n) draft.takeFromHold(holdId!, 'captured', taken);
  if (less > taken) draft.takeFromHold(holdId!, isExpiry ? 'expired' : 'released', less - taken);
}

/** Behind them. A hold that has ended is followed by another. */
export function raiseHold(
  draft: Draft,
  { holds: count, holdId }: HoldPlace,
  { more, accountId, transactionId }: { more: bigint; accountId: Uuid; transactionId: Uuid },
): HoldPlace {
  if (more <= 0n) return { holds: count, holdId };
  if (holdId !== null && draft.get(holds, holdId)!.status === 'open') {
    draft.increaseHold(holdId, more, { overrideFloor: true });
    return { holds: count, holdId };
  }
  const id = purchaseHoldId(transactionId, count + 1);
  draft.placeHold({
    ...{ id, accountId, amount: more, overrideFloor: true },
    ...({ resource: 'transaction', resourceId: transactionId } as const),
  });
  return { holds: count + 1, holdId: id };
}
