/**
 * What is over is over at the moment of use, whenever somebody comes to expire it: the expiry is recorded before the message that finds it
 * so, in the same commit.
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { messagesOfPurchases } from '../message/messages-store.ts';
import { stateOf } from '../purchase/purchase-state.ts';
import { type StoredPurchase, transactions } from '../purchase/purchase-table.ts';
import { openMessageException } from './open-exception.ts';
import { recordMessage } from './record-message.ts';
import { controlsIn, type Scene } from './scene.ts';

/** The scene after its purchase has expired; the scene itself where it has not. */
export function expireFirst(scene: Scene): Scene {
  const { draft, purchase, scope } = scene;
  if (!purchase || !isOver(purchase, draft.moment.book)) return scene;
  expirePurchase(scene, purchase, draft.mintId());
  return {
    ...scene,
    purchase: draft.get(transactions, scope.purchaseId),
    kept: draft.get(messagesOfPurchases, scope.purchaseId)?.messages ?? [],
    controls: controlsIn(draft, scope),
  };
}

export function isOver({ expiresAt }: Pick<StoredPurchase, 'expiresAt'>, now: Instant): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Ends what is open. Reversals whose message never came become an exception. The request is that of the command. */
export function expirePurchase(scene: Scene, purchase: StoredPurchase, messageId: Uuid): void {
  const { draft, kept } = scene;
  const { facts, merchant, currency, tolerancePercent, fees, tokenId, requestId } = purchase;
  const terms = { currency, mcc: facts.mcc, tolerancePercent, fees };
  if (purchase.isOpen) {
    recordMessage(scene, {
      ...{ id: messageId, message: { type: 'expiry', reference: expiryReference(kept.length + 1) } },
      ...{ currency, facts, merchant, terms, tokenId, checks: null, decision: null, isUnlisted: false },
      ...{ interchange: null, businessDate: null, requestId },
    });
    return;
  }
  const messages = kept.map(({ message }) => message);
  const { waitingFor } = stateOf({ messages, disputes: [], terms });
  draft.put(transactions, purchase.id, { ...purchase, expiresAt: null, dueAt: null });
  if (waitingFor.length > 0)
    openMessageException(draft, { kind: 'reversal_unmatched', references: waitingFor }, purchase.id);
}

/** The space keeps it apart: a processor's references have visible characters only. */
function expiryReference(ordinal: number): string {
  return ` expiry ${ordinal}`;
}
