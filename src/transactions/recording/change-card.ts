/** What a message changes of its card: an entered PIN counts for all cards of the number, an approval closes a single-use card and binds a merchant-locked one. */

import { cardsOfNumber } from '../../cards/card/card-line.ts';
import { afterPinEntry, type CheckResult, isPinEntered } from '../../cards/card/card-pin.ts';
import { cardResource } from '../../cards/card/card-resource.ts';
import { cards, type StoredCard } from '../../cards/card/card-table.ts';
import { afterApproval } from '../../cards/card/card-use.ts';
import { closeCards } from '../../cards/lines/close-cards.ts';
import type { PurchaseFacts } from '../../cards/purchase/purchase-facts.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Scene } from './scene.ts';

export interface CardUse {
  readonly pinResult: CheckResult | null;
  /** Null of what was declined. */
  readonly approved: bigint | null;
  readonly facts: PurchaseFacts;
  readonly requestId: Uuid;
}

export function changeCard({ draft, card, line }: Scene, { pinResult, approved, facts, requestId }: CardUse): void {
  if (isPinEntered(pinResult)) {
    const pin = afterPinEntry(card, pinResult);
    for (const one of cardsOfNumber(line.cards, card)) changePin(draft, one, pin);
  }
  if (approved === null) return;
  const now = draft.get(cards, card.id)!;
  const { status, closedReason, lockedTo } = afterApproval(now, { amount: approved, facts });
  if (status === 'closed' && closedReason) closeCards(draft, line, [{ cardId: card.id, closedReason }], requestId);
  if (lockedTo) advance(draft, cardResource, now, { lockedTo }, { event: 'card.updated' });
}

/** No event announces a mere count. */
function changePin(
  draft: Draft,
  card: StoredCard,
  { pinStatus, pinFailures }: Pick<StoredCard, 'pinStatus' | 'pinFailures'>,
) {
  if (pinStatus !== card.pinStatus)
    advance(draft, cardResource, card, { pinStatus, pinFailures }, { event: 'card.pin_blocked' });
  else if (pinFailures !== card.pinFailures) advance(draft, cardResource, card, { pinFailures });
}
