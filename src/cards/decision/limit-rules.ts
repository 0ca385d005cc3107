/**
 * Rules of limits. A limit passes where the request adds nothing to it, or where what is used up and what is added fit in. So an inquiry is
 * never declined by a limit that forced posts have exceeded, nor an increment by a day that its purchase does not count in.
 */
import { windowStartsOf } from '../../calendar/counting-windows.ts';
import type { Scope } from '../controls/controls.ts';
import { hasOwnCounter, isFor, type Limit } from '../controls/controls-content.ts';
import { atMoment, type Counted, newCounter } from '../counters/counter.ts';
import { type Measure, measure, usedOf } from '../counters/limit-usage.ts';
import { isDebit } from '../purchase/purchase-facts.ts';
import { type InScope, inScopes } from './controls-rules.ts';
import type { Asked, LimitInput } from './decision-input.ts';
import type { DeclineCode } from './decline-codes.ts';
import { type RuleResult, resultOf } from './rule-result.ts';

type LimitCode = Extract<DeclineCode, 'limit_per_authorization' | 'limit_period' | 'velocity_count'>;

/** One measure of one limit, with what the purchase has to do with it. */
interface EvaluatedLimit {
  readonly scope: Scope;
  readonly limit: Limit;
  readonly code: LimitCode;
  readonly measure: Measure;
  /** Whether an amount, or a purchase, that is added now counts against it. */
  readonly counts: boolean;
}

type Which = 'active' | 'shadow';

/** In the order in which they decide: of one code the card's before the account's before the program's. */
export function limitRules(input: LimitInput, asked: Asked, which: Which): RuleResult[] {
  return evaluatedLimits(input, which).map((evaluated) => {
    const { scope, limit, code, measure: shown } = evaluated;
    const failed = passes(input, evaluated, asked) ? null : code;
    const measured = code === 'velocity_count' ? 'count' : 'amount';
    return resultOf({ rule: 'limit', scope, code: failed }, { window: limit.window, measure: shown, measured });
  });
}

/** The largest amount that every active limit on amounts allows; null where none limits it. */
export function largestAllowed(input: LimitInput): bigint | null {
  const remaining = evaluatedLimits(input, 'active')
    .filter(({ code, counts }) => counts && code !== 'velocity_count')
    .map(({ measure: { remaining: left } }) => left);
  return remaining.length === 0 ? null : remaining.reduce((least, left) => (left < least ? left : least));
}

function passes({ purchase }: LimitInput, { code, counts, measure: of }: EvaluatedLimit, asked: Asked): boolean {
  const added = counts ? asked.amount : 0n;
  if (code !== 'velocity_count') return added === 0n || of.used + added <= of.limit;
  // A purchase counts once: an increment of one that counts adds none.
  return added === 0n || purchase.used > 0n || of.used + 1n <= of.limit;
}

function evaluatedLimits(input: LimitInput, which: Which): EvaluatedLimit[] {
  const { facts } = input.request;
  const byCode: Record<LimitCode, EvaluatedLimit[]> = {
    limit_per_authorization: [],
    limit_period: [],
    velocity_count: [],
  };
  for (const { scope, evaluated } of inScopes(input.scopes, which))
    for (const [place, limit] of evaluated.controls.content.limits.entries())
      if (isFor(limit, facts))
        for (const one of measuresOf(input, { scope, evaluated, limit, place })) byCode[one.code].push(one);
  return [...byCode.limit_per_authorization, ...byCode.limit_period, ...byCode.velocity_count];
}

interface Placed extends InScope {
  readonly limit: Limit;
  readonly place: number;
}

function measuresOf(input: LimitInput, placed: Placed): EvaluatedLimit[] {
  const { scope, limit } = placed;
  const { amount, count, window } = limit;
  const used = usedBefore(input, placed);
  const counts = countsAgainst(input, placed);
  const measures: EvaluatedLimit[] = [];
  if (amount !== null) {
    const code = window === 'authorization' ? 'limit_per_authorization' : 'limit_period';
    measures.push({ scope, limit, code, measure: measure({ limit: amount, used: used.amount }), counts });
  }
  if (count !== null && window !== 'authorization') {
    const code = 'velocity_count';
    measures.push({ scope, limit, code, measure: measure({ limit: count, used: used.count }), counts });
  }
  return measures;
}

/** Of a limit per purchase: what the purchase has used up itself, so that increments do not go around it. */
function usedBefore({ purchase, scopes, windows }: LimitInput, { scope, limit, place, evaluated }: Placed): Counted {
  if (limit.window === 'authorization') return { amount: purchase.used, count: 0n };
  const stored = hasOwnCounter(limit) ? (evaluated.counters.get(place) ?? null) : scopes[scope].counter;
  return usedOf(limit, stored === null ? newCounter(windows) : atMoment(stored, windows));
}

/** A purchase counts in the windows of its first use: what it adds now counts against a limit whose window is still that one. */
function countsAgainst(input: LimitInput, { limit, evaluated }: Placed): boolean {
  const { request, purchase, program, windows } = input;
  const { window } = limit;
  if (!isDebit(request.facts.kind)) return false;
  if (window === 'authorization') return true;
  if (hasOwnCounter(limit) && !evaluated.countsPurchase) return false;
  if (window === 'all_time' || purchase.firstUsedAt === null) return true;
  return windowStartsOf(purchase.firstUsedAt, program.timeZone)[window] === windows[window];
}
