/** What is asked of a token: by the integrator, or by its network through the processor. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import { type CardTokenAction, TOKEN_STEPS } from './card-token.ts';
import { cardTokenResource } from './card-token-resource.ts';
import type { StoredCardToken } from './card-token-table.ts';

/** The event of each action. Asking a network to verify changes nothing that an event would announce. */
const EVENTS: Readonly<Record<Exclude<CardTokenAction, 'verify'>, string>> = {
  approve: 'card_token.activated',
  decline: 'card_token.deactivated',
  suspend: 'card_token.suspended',
  resume: 'card_token.resumed',
  deactivate: 'card_token.deactivated',
};

export function actOnToken(
  action: CardTokenAction,
  { tokenId, ...change }: Change & { readonly tokenId: Uuid },
): Command<Stored | Refusal> {
  return changeOf<StoredCardToken, Stored>(cardTokenResource, { ...change, id: tokenId, action }, (draft, token) => {
    const event = action === 'verify' ? undefined : EVENTS[action];
    const next = advance(draft, cardTokenResource, token, stepOf(action), { event });
    return storedView(draft, cardTokenResource, next);
  });
}

function stepOf(action: CardTokenAction): Partial<StoredCardToken> {
  const status = TOKEN_STEPS[action];
  if (status === 'requested') return { isVerifying: true };
  if (status !== 'deactivated') return { status, isVerifying: false };
  return { status, isVerifying: false, deactivatedReason: action === 'decline' ? 'declined' : 'requested' };
}
