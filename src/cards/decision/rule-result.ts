/** The result of one rule, as it is shown with the decision. */
import type { Scope } from '../controls/controls.ts';
import type { LimitWindow } from '../controls/controls-content.ts';
import type { Measure } from '../counters/limit-usage.ts';
import type { DeclineCode, RuleName } from './decline-codes.ts';
import { DECLINES } from './decline-codes.ts';

export type Verdict =
  | 'pass'
  | 'fail'
  /** Controls that are tried out would decline. */
  | 'shadow_fail';

export interface RuleResult {
  readonly rule: RuleName;
  readonly scope: Scope;
  readonly verdict: Verdict;
  /** What the rule declines with, where it does not pass. */
  readonly code: DeclineCode | null;
  /** Of a limit. */
  readonly window: LimitWindow | null;
  /** Of a limit before the request; of funds what remains. */
  readonly measure: Partial<Measure> | null;
  /** Of a limit: what it limits. One limit may have both, and then is two rules. */
  readonly measured: Measured | null;
}

/** Of a purchase, or purchases. */
export const MEASURES = ['amount', 'count'] as const;
export type Measured = (typeof MEASURES)[number];

/** A rule of its code, which passes or declines with it. */
export function result(code: DeclineCode, scope: Scope, passes: boolean): RuleResult {
  return resultOf({ rule: DECLINES[code].rule, scope, code: passes ? null : code });
}

/** A rule with several codes: the first that applies, or null. */
export function resultOf(
  decided: { readonly rule: RuleName; readonly scope: Scope; readonly code: DeclineCode | null },
  limit: Partial<Pick<RuleResult, 'window' | 'measure' | 'measured'>> = {},
): RuleResult {
  const { rule, scope, code } = decided;
  const { window = null, measure = null, measured = null } = limit;
  return { rule, scope, verdict: code === null ? 'pass' : 'fail', code, window, measure, measured };
}
