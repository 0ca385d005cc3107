/**
 * The line of cards that replace one another. Lost and stolen cards close at once and have a new number; damaged and renewed ones keep
 * theirs, and close when the card behind them is activated.
 */
import type { Uuid } from '../../values/ids.ts';
import {
  type Card,
  type CardStatus,
  type ClosedReason,
  firstStatus,
  isOpen,
  type MerchantLock,
  type PinStatus,
  type ReplacementReason,
} from './card.ts';

export interface Closing {
  readonly cardId: Uuid;
  readonly closedReason: ClosedReason;
}

/** What a card has from the card that it replaces. */
export interface Successor {
  readonly lineId: Uuid;
  readonly status: CardStatus;
  readonly type: Card['type'];
  readonly accountId: Uuid;
  readonly replacementFor: Uuid;
  readonly replacementReason: ReplacementReason;
  readonly pinStatus: PinStatus;
  readonly pinFailures: number;
  readonly lockedTo: MerchantLock | null;
  /** The same number, with another expiry and security code. */
  readonly keepsNumber: boolean;
}

export interface Replacement {
  readonly successor: Successor;
  /** Cards of the line that close in the same commit. */
  readonly closings: readonly Closing[];
}

/** The newest card of a line is replaced. `line`: every card of it, that one too. */
export function replaceCard(line: readonly Card[], card: Card, reason: ReplacementReason): Replacement {
  const isSameNumber = keepsNumber(reason);
  const status = isSameNumber ? statusOfRenewed(card) : firstStatus(card.type);
  const successor: Successor = {
    lineId: card.lineId,
    status,
    type: card.type,
    accountId: card.accountId,
    replacementFor: card.id,
    replacementReason: reason,
    // The PIN belongs to the number.
    pinStatus: isSameNumber ? card.pinStatus : 'ok',
    pinFailures: isSameNumber ? card.pinFailures : 0,
    lockedTo: card.lockedTo,
    keepsNumber: isSameNumber,
  };
  const closesNow = !isSameNumber || status !== 'pending_activation';
  return { successor, closings: closesNow ? closingsOf(line, reason) : [] };
}

/**
 * The card, and the open ones of its line that have its number: while a renewal is on its way, two have it. Whatever changes its PIN changes
 * that of all of them.
 */
export function cardsOfNumber<Row extends Card>(line: readonly Row[], card: Row): readonly Row[] {
  const byId = new Map<Uuid, Card>(line.map((one) => [one.id, one]));
  const numbered = firstOfNumber(byId, card);
  return line.filter((one) => one.id === card.id || (isOpen(one) && firstOfNumber(byId, one) === numbered));
}

function firstOfNumber(byId: ReadonlyMap<Uuid, Card>, card: Card): Uuid {
  let first = card;
  for (let at: Card | undefined = card; at !== undefined; at = keptFrom(byId, at)) first = at;
  return first.id;
}

function keptFrom(byId: ReadonlyMap<Uuid, Card>, card: Card): Card | undefined {
  return keepsNumber(card.replacementReason) ? previous(byId, card) : undefined;
}

function keepsNumber(reason: ReplacementReason | null): boolean {
  return reason === 'damaged' || reason === 'renewal';
}

/** A card that is frozen for a reason is not set free by a new expiry. */
function statusOfRenewed({ type, status }: Card): CardStatus {
  return type !== 'physical' && status === 'frozen' ? 'frozen' : firstStatus(type);
}

/** Every open card closes for the same reason: while a renewal is on its way, two cards have the number that is lost. */
function closingsOf(cards: readonly Card[], closedReason: ClosedReason): Closing[] {
  return cards.filter(isOpen).map(({ id }) => ({ cardId: id, closedReason }));
}

/** What closes when a card of the line is activated: the open cards before it. */
export function closingsByActivation(line: readonly Card[], activated: Card): readonly Closing[] {
  const { replacementReason } = activated;
  return replacementReason === null ? [] : closingsOf(cardsBefore(line, activated), replacementReason);
}

/** Nearest first. */
function cardsBefore<Row extends Card>(line: readonly Row[], card: Row): Row[] {
  const byId = new Map(line.map((one) => [one.id, one]));
  const before: Row[] = [];
  for (let at = previous(byId, card); at !== undefined; at = previous(byId, at)) before.push(at);
  return before;
}

function previous<Row extends Card>(byId: ReadonlyMap<Uuid, Row>, { replacementFor }: Row): Row | undefined {
  return replacementFor === null ? undefined : byId.get(replacementFor);
}

/**
 * The cards that lose their successor when a card closes that never worked, nearest first. The nearest open card before it is the newest
 * again. A closed card between the two never worked either, as activating a card closes those before it: it leaves the line as well. Empty
 * where another card follows, or no card before it is open. A card that nobody made takes not even the place of a closed one.
 */
export function losingSuccessor<Row extends Card>(
  line: readonly Row[],
  { cardId, closedReason }: Closing,
): readonly Row[] {
  const card = line.find(({ id }) => id === cardId)!;
  const before = cardsBefore(line, card);
  if (card.replacedBy !== null || before[0]?.replacedBy !== cardId) return [];
  const upToOpen = before.findIndex(isOpen) + 1;
  return before.slice(0, closedReason === 'not_issued' ? Math.max(upToOpen, 1) : upToOpen);
}

/**
 * Oldest first. A replacement that came to nothing has left the line, and the card before it is the newest again: the processor refused to
 * issue it, or it was closed while it waited. Throws for cards that are no line.
 */
export function inOrder(line: readonly Card[]): readonly Card[] {
  const byId = new Map(line.map((one) => [one.id, one]));
  const isPart = (card: Card) => card.replacementFor === null || byId.get(card.replacementFor)?.replacedBy === card.id;
  const newest = line.filter(isPart).find(({ replacedBy }) => replacedBy === null);
  if (newest === undefined) throw new Error('A line of cards has a newest one');
  return [...cardsBefore(line, newest).reverse(), newest];
}

/** A line whose last open card closes has no further use of its tokens: they are deactivated in the same commit. */
export function endsLine(line: readonly Card[], closings: readonly Closing[]): boolean {
  const closing = new Set(closings.map(({ cardId }) => cardId));
  return line.every((card) => !isOpen(card) || closing.has(card.id));
}
