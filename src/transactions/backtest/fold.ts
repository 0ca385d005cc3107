/**
 * Folds past decisions in their order: counters are counted anew from what would have been approved, and each request
 * is decided over them.
 *
 * Of a purchase whose decision is unchanged, everything counts as it did. Where less would have been authorized, no
 * more than that counts of its later messages: a merchant clears what was approved. Where more would have been
 * authorized, that counts from then on: its later messages cannot be known. What no issuer can refuse, such as an
 * advice or a forced post, counts as it did.
 */
import { windowStartsOf } from '../../calendar/counting-windows.ts';
import type { Controls, Scope } from '../../cards/controls/controls.ts';
import { type ControlsContent, hasOwnCounter, isFor } from '../../cards/controls/controls-content.ts';
import { type Counter, countChange, newCounter } from '../../cards/counters/counter.ts';
import { firstUse, NO_USAGE, type Usage } from '../../cards/counters/usage.ts';
import type { EvaluatedControls, ScopeControls } from '../../cards/decision/decision-input.ts';
import { isDebit, type PurchaseFacts } from '../../cards/purchase/purchase-facts.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { StoredRule } from '../message/stored-decision.ts';
import type { PastPurchase, PastRequest, PastStep } from './past-purchase.ts';
import { type Candidate, redecide } from './redecide.ts';

/** Whose controls are tested. */
export interface TestedControls {
  readonly scope: Scope;
  readonly subjectId: Uuid;
  readonly content: ControlsContent;
}

export interface FoldTerms {
  readonly controls: TestedControls;
  /** Of the program. */
  readonly timeZone: string;
  /** Requests from then on are decided anew; those before have been decided. */
  readonly from: Instant;
  /** What came then or later is left out. */
  readonly to: Instant;
}

export interface Outcome {
  readonly isApproved: boolean;
  /** Of all requests of the transaction. */
  readonly amount: bigint;
}

export interface ChangedPurchase {
  readonly id: Uuid;
  readonly was: Outcome;
  readonly would: Outcome;
  /** Of its first request that comes out differently. Null where a rule is not known. */
  readonly rule: StoredRule | null;
}

export interface Folded {
  /** With a request that was decided anew. */
  readonly transactions: number;
  readonly approved: number;
  readonly wouldApprove: number;
  /** In the order of their first requests. */
  readonly changed: readonly ChangedPurchase[];
}

/** A purchase as it would be. */
interface Running {
  readonly id: Uuid;
  readonly currency: string;
  facts: PurchaseFacts;
  usage: Usage;
  firstUsedAt: Instant | null;
  /** What was authorized of it, and how much more would have been; negative for less. */
  granted: bigint;
  more: bigint;
  result: Result | null;
}

interface Result {
  was: Outcome;
  would: Outcome;
  isChanged: boolean;
  rule: StoredRule | null;
}

/** The counters of one currency. */
interface Counters {
  counter: Counter | null;
  /** By the place of a limit that has its own. */
  readonly own: Map<number, Counter>;
}

const NOTHING_EVALUATED: ScopeControls = { active: null, shadow: null, counter: null };
const NOTHING_DECIDED: Outcome = { isApproved: false, amount: 0n };

export class Fold {
  readonly #terms: FoldTerms;
  readonly #version: Controls;
  /** The places of limits that count for themselves. */
  readonly #own: readonly number[];
  readonly #counters = new Map<string, Counters>();
  readonly #decided: Running[] = [];

  constructor(terms: FoldTerms) {
    const { scope, subjectId, content } = terms.controls;
    this.#terms = terms;
    this.#version = { id: subjectId, scope, subjectId, ordinal: 1, status: 'active', content, countedSince: null };
    this.#own = content.limits.flatMap((limit, place) => (hasOwnCounter(limit) ? [place] : []));
  }

  begin({ id, currency }: PastPurchase, { facts }: PastStep): Running {
    const nothing = { usage: NO_USAGE, firstUsedAt: null, granted: 0n, more: 0n, result: null };
    return { id, currency, facts, ...nothing };
  }

  /** The next message of all purchases, in the order of events. */
  take(running: Running, step: PastStep): void {
    const { from, to } = this.#terms;
    if (step.at >= to) return;
    if (step.request !== null && step.at >= from) this.#decide(running, step, step.request);
    running.granted += step.granted;
    this.#count(running, step);
  }

  finish(): Folded {
    const results = this.#decided.map((running) => ({ id: running.id, ...running.result! }));
    return {
      transactions: results.length,
      approved: results.filter(({ was }) => was.isApproved).length,
      wouldApprove: results.filter(({ would }) => would.isApproved).length,
      changed: results.filter(({ isChanged }) => isChanged),
    };
  }

  #decide(running: Running, { at }: PastStep, request: PastRequest): void {
    const { was } = request;
    const { would, rule } = redecide(request, this.#candidateAt(running, at));
    if (isDebit(request.asked.facts.kind)) running.more += would.authorized - was.authorized;
    if (running.result === null) {
      running.result = { was: NOTHING_DECIDED, would: NOTHING_DECIDED, isChanged: false, rule: null };
      this.#decided.push(running);
    }
    const { result } = running;
    if (was !== would && !result.isChanged) {
      result.isChanged = true;
      result.rule = rule;
    }
    result.was = plus(result.was, was);
    result.would = plus(result.would, would);
  }

  #candidateAt({ currency, usage, firstUsedAt }: Running, at: Instant): Candidate {
    const { controls, timeZone } = this.#terms;
    const { counter, own } = this.#countersOf(currency);
    // In force since before all: its limits count every purchase.
    const evaluated: EvaluatedControls = { controls: this.#version, counters: own, countsPurchase: true };
    const tested: ScopeControls = { active: evaluated, shadow: evaluated, counter };
    return {
      program: { timeZone },
      scopes: {
        card: controls.scope === 'card' ? tested : NOTHING_EVALUATED,
        account: controls.scope === 'account' ? tested : NOTHING_EVALUATED,
        program: controls.scope === 'program' ? tested : NOTHING_EVALUATED,
      },
      purchase: { used: usage.amount, firstUsedAt },
      windows: windowStartsOf(at, timeZone),
    };
  }

  #count(running: Running, { at, facts, usage }: PastStep): void {
    const { timeZone, controls } = this.#terms;
    const before = { usage: running.usage, facts: running.facts };
    const after = usageThatWouldBe(usage, running);
    running.firstUsedAt = firstUse(after, { known: running.firstUsedAt, now: at });
    running.usage = after;
    running.facts = facts;
    const { firstUsedAt } = running;
    if (isSame(before.usage, after) && before.facts.kind === facts.kind) return;
    const now = windowStartsOf(at, timeZone);
    const countsIn = firstUsedAt === null ? null : windowStartsOf(firstUsedAt, timeZone);
    const counters = this.#countersOf(running.currency);
    if (!isSame(before.usage, after))
      counters.counter = countChange(
        counters.counter ?? newCounter(now),
        { before: before.usage, after, countsIn },
        now,
      );
    for (const place of this.#own) {
      const limit = controls.content.limits[place]!;
      const was = isFor(limit, before.facts) ? before.usage : NO_USAGE;
      const is = isFor(limit, facts) ? after : NO_USAGE;
      if (isSame(was, is)) continue;
      const counter = counters.own.get(place) ?? newCounter(now);
      counters.own.set(place, countChange(counter, { before: was, after: is, countsIn }, now));
    }
  }

  #countersOf(currency: string): Counters {
    const known = this.#counters.get(currency);
    if (known !== undefined) return known;
    const counters: Counters = { counter: null, own: new Map() };
    this.#counters.set(currency, counters);
    return counters;
  }
}

function usageThatWouldBe({ amount, refunded }: Usage, { granted, more }: Running): Usage {
  if (more === 0n) return { amount, refunded };
  const most = granted + more;
  if (more < 0n) {
    const less = amount < most ? amount : most;
    return { amount: less, refunded: refunded < less ? refunded : less };
  }
  // What cleared although it was declined fills what would have been authorized.
  const filled = amount + more < most ? amount + more : most;
  return { amount: filled > amount ? filled : amount, refunded };
}

function plus({ isApproved, amount }: Outcome, decided: Outcome): Outcome {
  return { isApproved: isApproved || decided.isApproved, amount: amount + decided.amount };
}

function isSame(one: Usage, other: Usage): boolean {
  return one.amount === other.amount && one.refunded === other.refunded;
}
