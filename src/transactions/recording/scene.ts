/** A purchase with all that decides over it, as the command's draft has it. */
import { type WindowStarts, windowStartsOf } from '../../calendar/counting-windows.ts';
import type { StoredCard } from '../../cards/card/card-table.ts';
import { SCOPES, type Scope } from '../../cards/controls/controls.ts';
import { hasOwnCounter } from '../../cards/controls/controls-content.ts';
import { type ControlsInForce, controlsInForce } from '../../cards/controls/controls-table.ts';
import type { Counter } from '../../cards/counters/counter.ts';
import { counters, limitCounterId } from '../../cards/counters/counter-table.ts';
import { type Beginning, countsSince } from '../../cards/counters/usage.ts';
import type { EvaluatedControls, ScopeControls } from '../../cards/decision/decision-input.ts';
import { type Line, lineIn } from '../../cards/lines/line.ts';
import type { Program } from '../../cards/program/program.ts';
import { programInForce, programs, withTimeZoneFixed } from '../../cards/program/program-table.ts';
import { type CardToken, cardOfToken } from '../../cards/tokens/card-token.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import type { Uuid } from '../../values/ids.ts';
import { type KeptMessage, messagesOfPurchases } from '../message/messages-store.ts';
import { type StoredPurchase, transactions } from '../purchase/purchase-table.ts';
import type { CardScope } from './card-scopes.ts';
import { type PurchaseScope, subjectsOf } from './purchase-scope.ts';

export interface Scene {
  readonly draft: Draft;
  readonly scope: PurchaseScope;
  /** Undefined before its first message. */
  readonly purchase: StoredPurchase | undefined;
  readonly kept: readonly KeptMessage[];
  /** With the message that is taken, for a new one. */
  readonly begun: Beginning;
  readonly line: Line;
  /** The card that the message is with: that of the token, where it is with one. */
  readonly card: StoredCard;
  readonly token: CardToken | null;
  readonly program: Program;
  /** Of the book's time in the program's time zone. */
  readonly windows: WindowStarts;
  readonly controls: Readonly<Record<Scope, ScopeControls>>;
}

/** Throws StaleRead where what the scope was read from no longer holds. */
export function sceneIn(draft: Draft, scope: PurchaseScope, tokenId: Uuid | null): Scene {
  const { purchaseId, card: read, bookId } = scope;
  const line = lineIn(draft, read.line);
  const purchase = draft.get(transactions, purchaseId);
  const token = tokenId === null ? null : tokenOf(line, tokenId);
  const card = token === null ? cardOf(line, read.cardId) : cardOf(line, cardOfToken(line.cards, draft.moment.book).id);
  const own = withTimeZoneFixed(draft.get(programs, bookId), draft.book, draft.moment.book);
  const program = programInForce(own, draft.book);
  return {
    draft,
    scope,
    purchase,
    kept: draft.get(messagesOfPurchases, purchaseId)?.messages ?? [],
    begun: begunIn(draft, scope),
    line,
    card,
    token,
    program,
    windows: windowStartsOf(draft.moment.book, program.timeZone),
    controls: controlsIn(draft, scope),
  };
}

/** Tokens that were deactivated when the line was read are no part of it. */
function tokenOf({ cards, tokens }: Line, tokenId: Uuid): CardToken {
  return tokens.find(({ id }) => id === tokenId) ?? { id: tokenId, lineId: cards[0]!.lineId, status: 'deactivated' };
}

function cardOf({ cards }: Line, cardId: Uuid): StoredCard {
  const card = cards.find(({ id }) => id === cardId);
  if (card === undefined) throw new Error(`Card ${cardId} is not of the line that was read for it`);
  return card;
}

function begunIn(draft: Draft, { purchaseId }: PurchaseScope): Beginning {
  const purchase = draft.get(transactions, purchaseId);
  const first = draft.get(messagesOfPurchases, purchaseId)?.messages[0];
  return {
    at: purchase?.createdAt ?? draft.moment.book,
    eventSequence: first?.eventSequence ?? draft.book.eventSequence + 1n,
  };
}

/** The controls in force, with their counters as the command has left them. */
export function controlsIn(draft: Draft, scope: PurchaseScope): Record<Scope, ScopeControls> {
  const subjects = subjectsOf(scope);
  const { currency, versions, counterIds } = scope.card;
  const read = { currency, versions, begun: begunIn(draft, scope) };
  const of = (name: Scope): ScopeControls => {
    const inForce = draft.get(controlsInForce, subjects[name]);
    return {
      active: evaluated(draft, inForce?.active ?? null, read),
      shadow: evaluated(draft, inForce?.shadow ?? null, read),
      counter: draft.get(counters, counterIds[name]) ?? null,
    };
  };
  return Object.fromEntries(SCOPES.map((name) => [name, of(name)])) as Record<Scope, ScopeControls>;
}

/** Counters of a version that was not in force when the scope was read were not loaded. */
function evaluated(
  draft: Draft,
  version: ControlsInForce['active'],
  { currency, versions, begun }: Pick<CardScope, 'currency' | 'versions'> & Pick<Scene, 'begun'>,
): EvaluatedControls | null {
  if (version === null) return null;
  if (!versions.some(({ id }) => id === version.id))
    throw new StaleRead('The controls of the card have changed meanwhile. Send the message again.');
  const own = new Map<number, Counter>();
  for (const [place, limit] of version.content.limits.entries()) {
    const counter = hasOwnCounter(limit) ? draft.get(counters, limitCounterId(version.id, place, currency)) : undefined;
    if (counter !== undefined) own.set(place, counter);
  }
  return { controls: version, counters: own, countsPurchase: countsSince(version, begun) };
}
