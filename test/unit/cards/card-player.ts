/**
 * Plays messages of purchases through the product's own rules, as the golden scenarios have them: `decide` and `takeMessage` say what is
 * decided, held, posted and used up, and the counters are the product's. What is kept here are the rows alone.
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
import { type Beginning, countsSince, firstUse, type Usage } from '../../../src/cards/counters/usage.ts';
import { type Decision, decide } from '../../../src/cards/decision/decide.ts';
import type { DecisionInput, DecisionRequest, EndpointAnswer } from '../../../src/cards/decision/decision-input.ts';
import { defaultProgram, type Program } from '../../../src/cards/program/program.ts';
import { tolerancePercentOf } from '../../../src/cards/program/program-terms.ts';
import type { PurchaseFacts } from '../../../src/cards/purchase/purchase-facts.ts';
import type { CardTokenStatus } from '../../../src/cards/tokens/card-token.ts';
import type { Message, Request } from '../../../src/transactions/message/message.ts';
import { decideRequest } from '../../../src/transactions/purchase/decide-request.ts';
import { purchaseSchedules } from '../../../src/transactions/purchase/purchase-fee.ts';
import { purchaseRule } from '../../../src/transactions/purchase/purchase-rule.ts';
import { type Purchase, stateOf } from '../../../src/transactions/purchase/purchase-state.ts';
import { type MessageStep, takeMessage } from '../../../src/transactions/purchase/take-message.ts';
import { countersFor } from '../../support/controls.ts';
import {
  advice,
  clearing,
  clearingReversal,
  expiry,
  refund,
  refundReversal,
  reversal,
  type Said,
} from '../transactions/messages.ts';
import { accountOf, cardOf, contentOf, factsOf, newPurchase, requestOf, START } from './decision-values.ts';

/** A purchase as its row and its messages are. */
interface Kept extends Purchase {
  readonly facts: PurchaseFacts;
  readonly card: Card;
  readonly begun: Beginning;
  readonly firstUsedAt: number | null;
}

export interface Asked extends Partial<Omit<DecisionRequest, 'facts' | 'message'>> {
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
  /** As the messages have left it. */
  account = accountOf();
  card = cardOf();
  readonly inForce = new Map<string, InForce>();
  readonly #purchases = new Map<string, Kept>();
  readonly #counters = new Map<string, Counter>();
  #messages = 0;
  #events = 0n;

  /** Active controls, or those that are tried out. */
  control(scope: Scope, content: Partial<ControlsContent>, status: 'active' | 'shadow' = 'active'): void {
    const subjectId = SUBJECT[scope](this.card);
    const key = `${scope}:${subjectId}`;
    const known = this.inForce.get(key) ?? { active: null, shadow: null };
    const ordinal = (known.active?.ordinal ?? 0) + (known.shadow?.ordinal ?? 0) + 1;
    const version = { id: `${key}:${ordinal}`, scope, subjectId, ordinal, status, content: contentOf(content) };
    const place = { countedSince: this.now, countedBehind: this.#event() };
    this.inForce.set(key, { ...known, [status]: { ...version, ...place } });
  }

  authorize(name: string, amount: bigint, asked: Asked = {}): Decision {
    const purchase = this.#purchases.get(name) ?? this.#begin(asked);
    return this.#ask(name, purchase, { type: 'authorization', amount, asked: { card: this.card, ...asked } });
  }

  increment(name: string, amount: bigint, asked: Asked = {}): Decision {
    const purchase = this.#purchases.get(name)!;
    return this.#ask(name, purchase, {
      type: 'increment',
      amount,
      asked: { card: this.#now(purchase.card), ...asked },
    });
  }

  /** Without an amount: all of it. */
  reverse(name: string, amount?: bigint): MessageStep {
    return this.#says(name, reversal(amount ?? null));
  }

  /** Final. Of a purchase that does not exist: a forced post. */
  clear(name: string, amount: bigint, asked: Asked = {}): MessageStep {
    return this.#says(name, clearing(amount), asked);
  }

  /** Of the last clearing. */
  reverseClearing(name: string, amount: bigint): MessageStep {
    return this.#says(name, clearingReversal(this.#last(name, 'clearing'), amount));
  }

  refund(name: string, amount: bigint): MessageStep {
    return this.#says(name, refund(amount));
  }

  /** Of the last refund. */
  reverseRefund(name: string, amount: bigint): MessageStep {
    return this.#says(name, refundReversal(this.#last(name, 'refund'), amount));
  }

  expire(name: string): MessageStep {
    return this.#says(name, expiry());
  }

  /** What the network has approved without us. */
  advise(name: string, amount: bigint, asked: Asked = {}): MessageStep {
    return this.#says(name, advice('stand_in', amount), asked);
  }

  hold(name: string): bigint {
    return stateOf(this.#purchases.get(name)!).amounts.held;
  }

  /** Of all purchases, with what is held for their fees. */
  get held(): bigint {
    return this.account.held;
  }

  get balance(): bigint {
    return this.account.posted;
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

  /** Not kept before a message is taken. */
  #begin({ card = this.card, facts: given }: Asked): Kept {
    const facts = factsOf(given);
    const terms = {
      ...{ currency: 'USD', mcc: facts.mcc, fees: this.program.fees },
      tolerancePercent: tolerancePercentOf(this.program, facts.mcc),
    };
    const begun = { at: this.now, eventSequence: this.#event() };
    return { ...{ facts, card, begun, firstUsedAt: null }, ...{ messages: [], disputes: [], terms } };
  }

  /** The card as it is now, where it is the player's. */
  #now(card: Card): Card {
    return card.id === this.card.id ? this.card : card;
  }

  #last(name: string, type: Message['type']): string {
    return this.#purchases.get(name)!.messages.findLast((message) => message.type === type)!.reference;
  }

  #ask(
    name: string,
    purchase: Kept,
    { type, amount, asked }: { type: Request['type']; amount: bigint; asked: Asked & { card: Card } },
  ): Decision {
    const { card, token, facts: _, endpoint = null, ...rest } = asked;
    const request = requestOf({ ...rest, message: type, facts: purchase.facts, amount });
    const { kind } = purchase.facts;
    const { form, cashbackAmount: cashback, partialApprovalAllowed: isPartialAllowed } = request;
    const reference = this.#reference();
    const incoming: Request = {
      ...{ reference, type, kind, form, amount, cashback, isPartialAllowed },
      merchant: null,
    };
    const decision = decide(this.#inputOf(purchase, incoming, { card, token, request, endpoint }));
    this.#changeCard(card, afterPinEntry(card, request.pinResult));
    if (decision.decision === 'approved')
      this.#changeCard(card, afterApproval(card, { amount: decision.approvedAmount, facts: purchase.facts }));
    this.#take(name, purchase, decideRequest(incoming, decision));
    return decision;
  }

  #changeCard(card: Card, change: Partial<Card>): void {
    if (card.id === this.card.id) this.card = { ...this.card, ...change };
  }

  #inputOf(
    purchase: Kept,
    incoming: Request,
    asked: Pick<DecisionInput, 'card' | 'request' | 'endpoint'> & { token: CardTokenStatus | undefined },
  ): DecisionInput {
    const { card, request, endpoint, token } = asked;
    const { firstUsedAt, messages, terms } = purchase;
    const state = stateOf(purchase);
    return {
      ...{ request, card, endpoint, program: this.program, token: token === undefined ? null : { status: token } },
      account: this.account,
      scopes: this.#scopesOf(card, purchase),
      purchase: {
        ...newPurchase(),
        ...{ refusal: purchaseRule(state, incoming), used: state.used.amount, firstUsedAt },
        charged: state.amounts.fee + state.amounts.feeHeld,
        fees: purchaseSchedules([...messages, incoming], terms),
      },
      ...{ now: this.now, windows: windowStartsOf(this.now, this.program.timeZone) },
    };
  }

  #scopesOf(card: Card, { begun }: Kept): DecisionInput['scopes'] {
    const entries = SCOPES.map((scope) => {
      const key = `${scope}:${SUBJECT[scope](card)}`;
      const inForce = this.inForce.get(key);
      const evaluated = (status: 'active' | 'shadow') => {
        const controls = inForce?.[status] ?? null;
        if (controls === null) return null;
        return { controls, counters: this.#ownCounters(controls.id), countsPurchase: countsSince(controls, begun) };
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

  #says(name: string, said: Said, asked: Asked = {}): MessageStep {
    const purchase = this.#purchases.get(name) ?? this.#begin(asked);
    return this.#take(name, purchase, { ...said, reference: this.#reference() } as Message);
  }

  #reference(): string {
    this.#messages += 1;
    return `message-${this.#messages}`;
  }

  /** Each version and purchase begins with one of its own. */
  #event(): bigint {
    this.#events += 1n;
    return this.#events;
  }

  #take(name: string, purchase: Kept, message: Message): MessageStep {
    const step = takeMessage(purchase, message, {
      account: this.account,
      isUnlisted: false,
      lookalike: null,
      openPurchases: [],
    });
    const { posted, held } = step.account;
    this.account = { ...this.account, posted, held };
    const before = usageOf(step.before);
    const after = usageOf(step.after);
    const firstUsedAt = firstUse(after, { known: purchase.firstUsedAt, now: this.now });
    const next = { ...purchase, messages: [...purchase.messages, message], firstUsedAt };
    this.#purchases.set(name, next);
    this.#count(next, { before, after });
    return step;
  }

  /** Every counter of the purchase, as its usage is now. */
  #count(purchase: Kept, { before, after }: { before: Usage; after: Usage }): void {
    const now = windowStartsOf(this.now, this.program.timeZone);
    const { firstUsedAt } = purchase;
    const countsIn = firstUsedAt === null ? null : windowStartsOf(firstUsedAt, this.program.timeZone);
    for (const key of this.#countersOf(purchase))
      this.#counters.set(
        key,
        countChange(this.#counters.get(key) ?? newCounter(now), { before, after, countsIn }, now),
      );
  }

  #countersOf({ card, facts, begun }: Kept): string[] {
    return SCOPES.flatMap((scope) => {
      const key = `${scope}:${SUBJECT[scope](card)}`;
      const { active = null, shadow = null } = this.inForce.get(key) ?? {};
      const own = [active, shadow].flatMap((version) =>
        version !== null && countsSince(version, begun)
          ? countersFor(version.content, facts).map((place) => `${version.id}:${place}`)
          : [],
      );
      return [key, ...own];
    });
  }
}

function usageOf({ used, amounts }: MessageStep['after']): Usage {
  return { amount: used.amount, refunded: amounts.refunded };
}
