/**
 * A token: the card in a wallet, or at a merchant, under a number of the network's own. It belongs to the line of replacements: it works on
 * while a new card waits to be activated, and ends with the last card of the line.
 */

import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type Card, isExpired, isOpen } from '../card/card.ts';
import { inOrder } from '../card/card-line.ts';

export type CardTokenStatus =
  /** The network asks for it; also while the cardholder is verified. Approving it, or the network, moves it. */
  | 'requested'
  /** Pays. */
  | 'active'
  /** Does not pay until it is resumed. */
  | 'suspended'
  /** Final: declined, removed, or its line has ended. */
  | 'deactivated';

export const CARD_TOKEN_TRANSITIONS: Transitions<CardTokenStatus> = {
  requested: ['active', 'deactivated'],
  active: ['suspended', 'deactivated'],
  suspended: ['active', 'deactivated'],
  deactivated: [],
};

export interface CardToken {
  readonly id: Uuid;
  readonly lineId: Uuid;
  readonly status: CardTokenStatus;
}

export type CardTokenAction = 'approve' | 'verify' | 'decline' | 'suspend' | 'resume' | 'deactivate';

/** What each action comes to. `verify` asks the network to verify the cardholder, which then activates the token or does not. */
export const TOKEN_STEPS: Readonly<Record<CardTokenAction, CardTokenStatus>> = {
  approve: 'active',
  verify: 'requested',
  decline: 'deactivated',
  suspend: 'suspended',
  resume: 'active',
  deactivate: 'deactivated',
};

const ACTIONS: Readonly<Record<CardTokenStatus, readonly CardTokenAction[]>> = {
  requested: ['approve', 'verify', 'decline'],
  active: ['suspend', 'deactivate'],
  suspended: ['resume', 'deactivate'],
  deactivated: [],
};

export function allowedOnToken({ status }: Pick<CardToken, 'status'>): readonly CardTokenAction[] {
  return ACTIONS[status];
}

/**
 * The card that a token of the line pays with: the newest that is activated and has not expired; else the newest that waits to be activated;
 * else the newest. So a renewal that is on its way sets no frozen card free, and no token stops with the old card's month.
 */
export function cardOfToken(line: readonly Card[], now: Instant): Card {
  const newestFirst = inOrder(line).toReversed();
  const open = newestFirst.filter(isOpen);
  return (
    open.find((card) => card.status !== 'pending_activation' && !isExpired(card, now)) ??
    open.find(({ status }) => status === 'pending_activation') ??
    open[0] ??
    newestFirst[0]!
  );
}
