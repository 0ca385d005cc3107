/** What controls say of a request: what is used up of each limit is summed anew from all purchases. */
import { sum } from '../../reference-ledger.ts';
import type { Merchant } from './purchase-steps.ts';

export const WINDOWS = ['day', 'week', 'month', 'year'] as const;
export type Window = (typeof WINDOWS)[number];

export interface ReferenceLimit {
  readonly window: 'authorization' | Window | 'all_time';
  readonly amount: bigint | null;
  readonly count: bigint | null;
  /** Purchases at one merchant alone. */
  readonly for: Merchant | null;
  readonly netOfRefunds: boolean;
}

export interface Content {
  readonly limits: readonly ReferenceLimit[];
  readonly blocksCash: boolean;
}

export interface Enforced {
  readonly name: string;
  readonly content: Content;
  /** How many events the book had once it was in force: purchases that began later count in limits with a filter. */
  readonly behind: number;
}

export interface ScopeInForce {
  readonly scope: Scope;
  /** A card, an account, or the book. */
  readonly subject: string;
  readonly active: Enforced | null;
  readonly shadow: Enforced | null;
}

export const SCOPES = ['card', 'account', 'program'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a purchase uses up. */
export interface Use {
  readonly subjects: Readonly<Record<Scope, string>>;
  readonly currency: string;
  readonly merchant: Merchant;
  /** Nothing but a refund has said yet what it is. */
  readonly isRefund: boolean;
  readonly amount: bigint;
  readonly refunded: bigint;
  readonly firstUsedAt: number | null;
  /** How many events the book had when it began. */
  readonly begunBehind: number;
}

/** A request for an amount of a purchase. */
export interface Situation {
  readonly now: number;
  readonly own: Use;
  /** Those of the currency, with its own. */
  readonly all: readonly Use[];
  readonly scopes: readonly ScopeInForce[];
}

/** Days of UTC; weeks begin on Monday. */
export function startOf(window: Window, at: number): string {
  const day = new Date(at).toISOString().slice(0, 10);
  if (window === 'month') return `${day.slice(0, 7)}-01`;
  if (window === 'year') return `${day.slice(0, 4)}-01-01`;
  if (window === 'day') return day;
  const fromMonday = (new Date(at).getUTCDay() + 6) % 7;
  return new Date(at - fromMonday * 86_400_000).toISOString().slice(0, 10);
}

/** Whether the purchase is among those that the limit counts for itself. */
export function countsFor(limit: ReferenceLimit, { behind }: Enforced, use: Use): boolean {
  return use.begunBehind >= behind && isFor(limit, use);
}

/** Cash is known by the kind of the purchase, all else by its merchant. */
function isFor({ for: merchant }: ReferenceLimit, use: Pick<Use, 'merchant' | 'isRefund'>): boolean {
  if (merchant === null) return true;
  return use.merchant === merchant && !(merchant === 'cash machine' && use.isRefund);
}

export function hasOwnCounter({ for: merchant, window }: ReferenceLimit): boolean {
  return merchant !== null && window !== 'authorization';
}

export interface Counted {
  readonly amount: bigint;
  readonly count: bigint;
}

export function countOf(uses: readonly Use[]): Counted {
  return { amount: sum(uses.map(({ amount }) => amount)), count: BigInt(uses.filter((use) => use.amount > 0n).length) };
}

export function firstUsedIn(uses: readonly Use[], window: Window, at: number): Use[] {
  const start = startOf(window, at);
  return uses.filter(({ firstUsedAt }) => firstUsedAt !== null && startOf(window, firstUsedAt) === start);
}

/** One measure of one limit. */
interface Measured {
  readonly version: Enforced;
  readonly scope: Scope;
  readonly limit: ReferenceLimit;
  readonly code: 'limit_per_authorization' | 'limit_period' | 'velocity_count';
  readonly most: bigint;
  readonly used: bigint;
  readonly counts: boolean;
}

const CODES: readonly Measured['code'][] = ['limit_per_authorization', 'limit_period', 'velocity_count'];

function measured(situation: Situation, which: 'active' | 'shadow'): Measured[] {
  const { own } = situation;
  const found = situation.scopes.flatMap(({ scope, subject, [which]: version }) =>
    (version?.content.limits ?? []).flatMap((limit): Measured[] => {
      if (!isFor(limit, { ...own, isRefund: false })) return [];
      const used = usedBefore(situation, { scope, subject, version: version!, limit });
      const of = { version: version!, scope, limit, counts: countsNow(situation, version!, limit) };
      const code = limit.window === 'authorization' ? 'limit_per_authorization' : 'limit_period';
      const amount = limit.amount === null ? [] : [{ ...of, code, most: limit.amount, used: used.amount } as const];
      const count =
        limit.count === null ? [] : [{ ...of, code: 'velocity_count', most: limit.count, used: used.count } as const];
      return [...amount, ...count];
    }),
  );
  return CODES.flatMap((code) => found.filter((one) => one.code === code));
}

function usedBefore(
  { own, all, now }: Situation,
  { scope, subject, version, limit }: { scope: Scope; subject: string; version: Enforced; limit: ReferenceLimit },
): Counted {
  if (limit.window === 'authorization') return { amount: own.amount, count: 0n };
  const inScope = all.filter(({ subjects }) => subjects[scope] === subject);
  const uses = hasOwnCounter(limit) ? inScope.filter((use) => countsFor(limit, version, use)) : inScope;
  if (limit.window !== 'all_time') return countOf(firstUsedIn(uses, limit.window, now));
  const { amount, count } = countOf(uses);
  const back = limit.netOfRefunds ? sum(uses.map(({ refunded }) => refunded)) : 0n;
  return { amount: amount > back ? amount - back : 0n, count };
}

/** What a purchase adds now counts in the windows of its first use. */
function countsNow({ own, now }: Situation, { behind }: Enforced, limit: ReferenceLimit): boolean {
  const { window } = limit;
  if (window === 'authorization') return true;
  if (hasOwnCounter(limit) && own.begunBehind < behind) return false;
  if (window === 'all_time' || own.firstUsedAt === null) return true;
  return startOf(window, own.firstUsedAt) === startOf(window, now);
}

function passes({ own }: Situation, { code, counts, used, most }: Measured, amount: bigint): boolean {
  if (!counts) return true;
  return code === 'velocity_count' ? own.amount > 0n || used < most : used + amount <= most;
}

/** The first that declines; and each rule as it is shown, of shadow controls those alone that would decline. */
export function evaluate(situation: Situation, amount: bigint): { code: string | null; shown: string[] } {
  const isCash = situation.own.merchant === 'cash machine';
  const cash = (which: 'active' | 'shadow') => situation.scopes.filter((of) => of[which]?.content.blocksCash);
  const active = measured(situation, 'active');
  const failed = active.find((one) => !passes(situation, one, amount));
  const isBlocked = isCash && cash('active').length > 0;
  const shownLimit = (one: Measured, verdict: string) => {
    const measure = one.code === 'velocity_count' ? 'count' : 'amount';
    return `${verdict} limit ${one.scope} ${one.limit.window} ${measure} ${one.used} of ${one.most}`;
  };
  const inShadow = measured(situation, 'shadow').filter((one) => !passes(situation, one, amount));
  return {
    code: isBlocked ? 'cash_blocked' : (failed?.code ?? null),
    shown: [
      ...cash('active').map(({ scope }) => `${isCash ? 'fail' : 'pass'} cash ${scope}`),
      ...active.map((one) => shownLimit(one, passes(situation, one, amount) ? 'pass' : 'fail')),
      ...(isCash ? cash('shadow').map(({ scope }) => `shadow_fail cash ${scope}`) : []),
      ...inShadow.map((one) => shownLimit(one, 'shadow_fail')),
    ],
  };
}

/** The most that limits of amounts leave; null where none limits it. */
export function roomIn(situation: Situation): bigint | null {
  const left = measured(situation, 'active')
    .filter(({ code, counts }) => counts && code !== 'velocity_count')
    .map(({ most, used }) => (used < most ? most - used : 0n));
  return left.length === 0 ? null : left.reduce((least, one) => (one < least ? one : least));
}
