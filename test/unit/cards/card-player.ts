/**
 * Plays messages of purchases against the pure core, by the rule of the golden scenarios: amounts, holds and what is used up of limits.
 * Only what limits, cards and tokens need: the messages of a purchase have tests of their own.
 */
import { windowStartsOf } from '../../../src/calendar/counting-windows.ts';
import type { Card } from '../../../src/cards/card/card.ts';
import { afterPinEntry } from '../../../src/cards/card/card-pin.ts';
import { afterApproval } from '../../../src/cards/card/card-use.ts';
import { type InForce, SCOPES, type Scope } from '../../../src/cards/controls/controls.ts';
import { type ControlsContent, hasOwnCounter } from '../../../src/cards/controls/controls-content.ts';
import { type Counter, countChange, newCounter } from '../../../src/cards/counters/counter.ts';
import { type LimitUsage, limitUsage } from '../../../src/cards/counters/limit-usage.ts';
import { countsSince, firstUse, NO_USAGE, type Usage } from '../../../src/cards/counters/usage.ts';
import { type Decision, decide } from '../../../src/cards/decision/decide.ts';
import type { DecisionInput, DecisionRequest, EndpointAnswer } from '../../../src/cards/decision/decision-input.ts';
import { defaultProgram, type Program } from '../../../src/cards/program/program.ts';
import { feeOfPurchase, feeSchedulesOf } from '../../../src/cards/program/program-fees.ts';
import { isDebit, type PurchaseFacts } from '../../../src/cards/purchase/purchase-facts.ts';
import type { CardTokenStatus } from '../../../src/cards/tokens/card-token.ts';
import { countersFor } from '../../support/controls.ts';
import { accountOf, cardOf, contentOf, factsOf, newPurchase, requestOf, START } from './decision-values.ts';

interface Purchase {
  readonly facts: PurchaseFacts;
  readonly card: Card;
  readonly begunAt: number;
  firstUsedAt: number | null;
  /** A, R, G, N and B of the rule. */
  authorized: bigint;
  reversed: bigint;
  cleared: bigint;
  net: bigint;
  refunded: bigint;
  isClosed: boolean;
  usage: Usage;
}

export interface Message extends Partial<Omit<DecisionRequest, 'facts' | 'message'>> {
  readonly card?: Card;
  readonly token?: CardTokenStatus;
  readonly facts?: Partial<PurchaseFacts>;
  readonly endpoint?: EndpointAnswer;
}

const SUBJECT: Record<Scope, (card: Card) => string> = {
  card: ({ lineId }) => lineId,
  account: ({ accountId }) => accountId,
  program: () => 'program',
};

export class CardPlayer {
  now = START;
  program: Program = defaultProgram('UTC');
  account = accountOf();
  card = cardOf();
  readonly inForce = new Map<string, InForce>();
  readonly #purchases = new Map<string, Purchase>();
  readonly #counters = new Map<string, Counter>();

  /** Active controls, or those that are tried out. */
  control(scope: Scope, content: Partial<ControlsContent>, status: 'active' | 'shadow' = 'active'): void {
    const subjectId = SUBJECT[scope](this.card);
    const key = `${scope}:${subjectId}`;
    const known = this.inForce.get(key) ?? { active: null, shadow: null };
    const ordinal = (known.active?.ordinal ?? 0) + (known.shadow?.ordinal ?? 0) + 1;
    const version = { id: `${key}:${ordinal}`, scope, subjectId, ordinal, status, countedSince: this.now };
    this.inForce.set(key, { ...known, [status]: { ...version, content: contentOf(content) } });
  }

  authorize(name: string, amount: bigint, message: Message = {}): Decision {
    const card = message.card ?? this.card;
    const purchase = this.#purchases.get(name) ?? this.#begin(name, card, factsOf(message.facts));
    return this.#ask(purchase, amount, { ...message, card }, 'authorization');
  }

  increment(name: string, amount: bigint, message: Message = {}): Decision {
    const purchase = this.#of(name);
    return this.#ask(purchase, amount, { ...message, card: message.card ?? this.#now(purchase.card) }, 'increment');
  }

  /** Without an amount: all of it. */
  reverse(name: string, amount?: bigint): void {
    this.#apply(name, (purchase) => {
      purchase.reversed += amount ?? purchase.authorized - purchase.reversed;
      purchase.isClosed ||= amount === undefined || purchase.authorized - purchase.reversed - purchase.cleared <= 0n;
    });
  }

  /** Final. Of a purchase that does not exist: a forced post. */
  clear(name: string, amount: bigint, message: Message = {}): void {
    if (!this.#purchases.has(name)) this.#begin(name, message.card ?? this.card, factsOf(message.facts));
    this.#apply(name, (purchase) => {
      purchase.cleared += amount;
      purchase.net += amount;
      purchase.isClosed = true;
    });
  }

  reverseClearing(name: string, amount: bigint): void {
    this.#apply(name, (purchase) => {
      purchase.net -= amount;
    });
  }

  /** Negative: a refund is reversed. */
  refund(name: string, amount: bigint): void {
    this.#apply(name, (purchase) => {
      purchase.refunded += amount;
    });
  }

  expire(name: string): void {
    this.#apply(name, (purchase) => {
      purchase.isClosed = true;
    });
  }

  /** What the network has approved without us. */
  advise(name: string, amount: bigint, message: Message = {}): void {
    const card = message.card ?? this.card;
    this.#begin(name, card, factsOf(message.facts));
    this.#apply(name, (purchase) => {
      purchase.authorized += amount;
    });
  }

  hold(name: string): bigint {
    return holdOf(this.#of(name));
  }

  get held(): bigint {
    return [...this.#purchases.values()].reduce(
      (sum, purchase) => sum + holdOf(purchase) + this.#feeHeld(purchase),
      0n,
    );
  }

  /** What is posted beside what the account began with. */
  get balance(): bigint {
    const spent = (sum: bigint, purchase: Purchase) =>
      sum + purchase.net + feeOfPurchase(purchase.net, this.#feesOf(purchase)) - purchase.refunded;
    return this.account.posted - [...this.#purchases.values()].reduce(spent, 0n);
  }

  /** What a limit shows, of the controls in force. */
  usage(scope: Scope, place = 0, status: 'active' | 'shadow' = 'active'): LimitUsage {
    const subjectId = SUBJECT[scope](this.card);
    const version = this.inForce.get(`${scope}:${subjectId}`)![status]!;
    const limit = version.content.limits[place]!;
    const key = hasOwnCounter(limit) ? `${version.id}:${place}` : `${scope}:${subjectId}`;
    const now = windowStartsOf(this.now, this.program.timeZone);
    const { countedSince } = version;
    const counter = this.#counters.get(key) ?? newCounter(now);
    return limitUsage(limit, counter, { now, timeZone: this.program.timeZone, countedSince });
  }

  counter(scope: Scope): Counter {
    return this.#counters.get(`${scope}:${SUBJECT[scope](this.card)}`)!;
  }

  #begin(name: string, card: Card, facts: PurchaseFacts): Purchase {
    const amounts = { authorized: 0n, reversed: 0n, cleared: 0n, net: 0n, refunded: 0n };
    const purchase: Purchase = {
      ...{ facts, card, begunAt: this.now, firstUsedAt: null },
      ...amounts,
      ...{ isClosed: false, usage: NO_USAGE },
    };
    this.#purchases.set(name, purchase);
    return purchase;
  }

  #of(name: string): Purchase {
    return this.#purchases.get(name)!;
  }

  /** The card as it is now, where it is the player's. */
  #now(card: Card): Card {
    return card.id === this.card.id ? this.card : card;
  }

  #ask(
    purchase: Purchase,
    amount: bigint,
    message: Message & { card: Card },
    kind: DecisionRequest['message'],
  ): Decision {
    const { card, token, facts: _, endpoint = null, ...rest } = message;
    const request = requestOf({ ...rest, message: kind, facts: purchase.facts, amount });
    const input = this.#inputOf(purchase, { card, token, request, endpoint });
    const decision = decide(input);
    this.#changeCard(card, afterPinEntry(card, request.pinResult));
    if (decision.decision === 'declined') return decision;
    this.#changeCard(card, afterApproval(card, { amount: decision.approvedAmount, facts: purchase.facts }));
    if (isDebit(purchase.facts.kind)) purchase.authorized += decision.authorizedAmount;
    this.#count(purchase);
    return decision;
  }

  #changeCard(card: Card, change: Partial<Card>): void {
    if (card.id === this.card.id) this.card = { ...this.card, ...change };
  }

  #inputOf(
    purchase: Purchase,
    asked: Pick<DecisionInput, 'card' | 'request' | 'endpoint'> & { token: CardTokenStatus | undefined },
  ): DecisionInput {
    const { card, request, endpoint, token } = asked;
    const { usage, firstUsedAt, begunAt } = purchase;
    return {
      ...{ request, card, endpoint, program: this.program, token: token === undefined ? null : { status: token } },
      account: { ...this.account, posted: this.balance, held: this.held },
      scopes: this.#scopesOf(card),
      purchase: {
        ...newPurchase(begunAt),
        ...{ refusal: purchase.isClosed ? 'authorization_closed' : null, used: usage.amount, firstUsedAt },
        fees: this.#feesOf(purchase),
      },
      ...{ now: this.now, windows: windowStartsOf(this.now, this.program.timeZone) },
    };
  }

  #scopesOf(card: Card): DecisionInput['scopes'] {
    const entries = SCOPES.map((scope) => {
      const key = `${scope}:${SUBJECT[scope](card)}`;
      const inForce = this.inForce.get(key);
      const evaluated = (status: 'active' | 'shadow') => {
        const controls = inForce?.[status] ?? null;
        return controls && { controls, counters: this.#ownCounters(controls.id) };
      };
      const counter = this.#counters.get(key) ?? null;
      return [scope, { active: evaluated('active'), shadow: evaluated('shadow'), counter }] as const;
    });
    return Object.fromEntries(entries) as unknown as DecisionInput['scopes'];
  }

  #ownCounters(versionId: string): ReadonlyMap<number, Counter> {
    const own = [...this.#counters].filter(([key]) => key.startsWith(`${versionId}:`));
    return new Map(own.map(([key, counter]) => [Number(key.slice(versionId.length + 1)), counter]));
  }

  #feesOf({ facts }: Purchase) {
    return feeSchedulesOf(this.program.fees, { kind: facts.kind, currency: 'USD', merchantCurrency: null });
  }

  #feeHeld(purchase: Purchase): bigint {
    const fees = this.#feesOf(purchase);
    return feeOfPurchase(purchase.net + holdOf(purchase), fees) - feeOfPurchase(purchase.net, fees);
  }

  #apply(name: string, change: (purchase: Purchase) => void): void {
    const purchase = this.#of(name);
    change(purchase);
    this.#count(purchase);
  }

  /** Every counter of the purchase, as its usage is now. */
  #count(purchase: Purchase): void {
    const before = purchase.usage;
    const after = { amount: purchase.net + holdOf(purchase), refunded: purchase.refunded };
    purchase.usage = after;
    purchase.firstUsedAt = firstUse(after, { known: purchase.firstUsedAt, now: this.now });
    const now = windowStartsOf(this.now, this.program.timeZone);
    const { firstUsedAt } = purchase;
    const countsIn = firstUsedAt === null ? null : windowStartsOf(firstUsedAt, this.program.timeZone);
    for (const key of this.#countersOf(purchase))
      this.#counters.set(
        key,
        countChange(this.#counters.get(key) ?? newCounter(now), { before, after, countsIn }, now),
      );
  }

  #countersOf({ card, facts, begunAt }: Purchase): string[] {
    return SCOPES.flatMap((scope) => {
      const key = `${scope}:${SUBJECT[scope](card)}`;
      const { active = null, shadow = null } = this.inForce.get(key) ?? {};
      const own = [active, shadow].flatMap((version) =>
        version !== null && countsSince(version.countedSince, begunAt)
          ? countersFor(version.content, facts).map((place) => `${version.id}:${place}`)
          : [],
      );
      return [key, ...own];
    });
  }
}

function holdOf({ authorized, reversed, cleared, isClosed }: Purchase): bigint {
  const left = authorized - reversed - cleared;
  return isClosed || left < 0n ? 0n : left;
}
