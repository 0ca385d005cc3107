/**
 * A card: what a cardholder pays with from an account. Cards that replace one another are a line: limits, usage,
 * controls and tokens belong to the line, and each card names it.
 * Invariants: a closed card has a reason; a line has one newest card, and it alone is replaced.
 * Next: card-line.ts (replacing, activating, closing), card-pin.ts, card-use.ts (what an approval changes),
 * ../tokens/card-token.ts.
 */

import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export const CARD_TYPES = ['virtual', 'physical', 'single_use', 'merchant_locked'] as const;

export type CardType = (typeof CARD_TYPES)[number];

export type CardStatus =
  /** Made and on its way; its tokens pay, it does not. The integrator activates it. Physical cards begin so. */
  | 'pending_activation'
  /** Pays. */
  | 'active'
  /** Takes credits alone. The integrator freezes and unfreezes it. */
  | 'frozen'
  /** Final. What it had authorized still clears. */
  | 'closed';

export const CARD_TRANSITIONS: Transitions<CardStatus> = {
  pending_activation: ['active', 'closed'],
  active: ['frozen', 'closed'],
  frozen: ['active', 'closed'],
  closed: [],
};

export const REPLACEMENT_REASONS = ['lost', 'stolen', 'damaged', 'renewal'] as const;

export type ReplacementReason = (typeof REPLACEMENT_REASONS)[number];

export type ClosedReason =
  /** The integrator closed it. */
  | 'requested'
  /** It was replaced. Lost and stolen cards close at once, the others when their successor is activated. */
  | ReplacementReason
  /** A single-use card had an amount approved. */
  | 'used'
  /** The processor refused for good to issue it. */
  | 'not_issued';

export type PinStatus =
  /** Entered PINs are judged. */
  | 'ok'
  /** Wrong too often: no entered PIN is accepted until the integrator unblocks it. */
  | 'blocked';

/** The one merchant of a merchant-locked card. */
export interface MerchantLock {
  readonly merchantId: string;
  readonly acquirerId: string | null;
}

export interface Card {
  readonly id: Uuid;
  /** The id of the first card of its line. */
  readonly lineId: Uuid;
  readonly status: CardStatus;
  readonly type: CardType;
  readonly accountId: Uuid;
  /** The processor's own id of the card. Null until it has issued it. */
  readonly cardReference: string | null;
  /** Months count from 1. Null until the processor has issued it. */
  readonly expMonth: number | null;
  readonly expYear: number | null;
  readonly pinStatus: PinStatus;
  /** Wrong PINs in a row. */
  readonly pinFailures: number;
  /** Null where nothing is sent. */
  readonly shippingStatus: 'ordered' | 'shipped' | null;
  /** The card before it in its line, and why that was replaced. */
  readonly replacementFor: Uuid | null;
  readonly replacementReason: ReplacementReason | null;
  /** The card after it in its line, activated or not. Null again if that one is never issued, or closes before it works. */
  readonly replacedBy: Uuid | null;
  readonly closedReason: ClosedReason | null;
  /** Of a merchant-locked card, from its first approval on. */
  readonly lockedTo: MerchantLock | null;
}

/** Physical cards wait until they have arrived. */
export function firstStatus(type: CardType): CardStatus {
  return type === 'physical' ? 'pending_activation' : 'active';
}

/** A card works to the end of its month, UTC. */
export function isExpired({ expMonth, expYear }: Pick<Card, 'expMonth' | 'expYear'>, now: Instant): boolean {
  // Date counts months from 0, so the number of a month is that of the next one.
  return expMonth !== null && expYear !== null && now >= Date.UTC(expYear, expMonth, 1);
}

export function isOpen({ status }: Pick<Card, 'status'>): boolean {
  return status !== 'closed';
}

/** Whether the processor is yet to issue it. */
export function isBeingIssued({ status, cardReference }: Pick<Card, 'status' | 'cardReference'>): boolean {
  return status !== 'closed' && cardReference === null;
}

const CARD_ACTIONS = ['activate', 'freeze', 'unfreeze', 'close', 'ship', 'unblock_pin', 'replace'] as const;

export type CardAction = (typeof CARD_ACTIONS)[number];

/** What may be asked of a card now. */
export function allowedActions(card: Card): readonly CardAction[] {
  return isOpen(card) ? CARD_ACTIONS.filter((action) => ALLOWS[action](card)) : [];
}

/** Of a card that is open. */
const ALLOWS: Readonly<Record<CardAction, (card: Card) => boolean>> = {
  activate: ({ status }) => status === 'pending_activation',
  freeze: ({ status }) => status === 'active',
  unfreeze: ({ status }) => status === 'frozen',
  close: () => true,
  ship: ({ shippingStatus }) => shippingStatus === 'ordered',
  unblock_pin: ({ pinStatus }) => pinStatus === 'blocked',
  // A second replacement of one card would be a second line, and the processor replaces what it has issued.
  replace: (card) => card.replacedBy === null && !isBeingIssued(card),
};

export function whyNotNow(
  { status, replacedBy, cardReference }: Pick<Card, 'status' | 'replacedBy' | 'cardReference'>,
  action: CardAction,
): string {
  if (action === 'replace' && isBeingIssued({ status, cardReference }))
    return 'The processor has not issued the card yet.';
  if (action === 'replace' && status !== 'closed' && replacedBy !== null)
    return 'The card has been replaced already: replace the card that replaces it.';
  if (action === 'ship' && status !== 'closed') return 'No shipment of this card is ordered.';
  if (action === 'unblock_pin' && status !== 'closed') return 'The PIN of this card is not blocked.';
  return `The card is ${status}.`;
}
