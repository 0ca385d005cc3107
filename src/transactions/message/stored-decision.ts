/**
 * What was decided of a message, as its row and that of its purchase keep it. JSON has no bigint that every reader keeps: amounts are text.
 * Rules are lists without their members' names: every authorization has a dozen, and keeps them twice.
 */
import type { Decision } from '../../cards/decision/decide.ts';
import type { RuleResult } from '../../cards/decision/rule-result.ts';
import type { Advice } from './message.ts';

export type StoredRule = readonly [
  rule: RuleResult['rule'],
  scope: RuleResult['scope'],
  verdict: RuleResult['verdict'],
  window?: RuleResult['window'],
  limit?: string | null,
  used?: string | null,
  remaining?: string | null,
  /** Left out of an amount. */
  measured?: 'count',
];

export interface StoredDecision {
  readonly decision: 'approved' | 'declined';
  readonly source: Decision['source'] | 'network';
  readonly approvedAmount: string;
  readonly declineCode: string | null;
  /** ISO 8583, field 39. Null of what the network has decided. */
  readonly networkResponseCode: string | null;
  readonly rules: readonly StoredRule[];
  /** What a balance inquiry was answered. */
  readonly balance: { readonly posted: string; readonly available: string } | null;
}

export function decisionOfRules(
  { decision, source, approvedAmount, declineCode, networkResponseCode, rules }: Decision,
  balance: { readonly posted: bigint; readonly available: bigint } | null,
): StoredDecision {
  return {
    decision,
    source,
    approvedAmount: String(approvedAmount),
    declineCode,
    networkResponseCode,
    rules: rules.map(storedRule),
    balance: balance && { posted: String(balance.posted), available: String(balance.available) },
  };
}

export function decisionOfNetwork({ isApproved, amount }: Advice): StoredDecision {
  return {
    decision: isApproved ? 'approved' : 'declined',
    source: 'network',
    approvedAmount: String(amount),
    declineCode: null,
    networkResponseCode: null,
    rules: [],
    balance: null,
  };
}

export function storedRule({ rule, scope, verdict, window, measure, measured }: RuleResult): StoredRule {
  if (measure === null && window === null) return [rule, scope, verdict];
  const { limit, used, remaining } = measure ?? {};
  const stored = [rule, scope, verdict, window, textOf(limit), textOf(used), textOf(remaining)] as const;
  return measured === 'count' ? [...stored, measured] : stored;
}

function textOf(amount: bigint | undefined): string | null {
  return amount === undefined ? null : String(amount);
}

/** The members that a purchase and a message show of it. */
export function decisionView(decided: StoredDecision | null) {
  if (decided === null) return NOTHING_DECIDED;
  return {
    decision: decided.decision,
    decision_source: decided.source,
    approved_amount: BigInt(decided.approvedAmount),
    decline_code: decided.declineCode,
    network_response_code: decided.networkResponseCode,
    rules: decided.rules.map(ruleView),
  };
}

const NOTHING_DECIDED = {
  decision: null,
  decision_source: null,
  approved_amount: null,
  decline_code: null,
  network_response_code: null,
  rules: [],
};

export function ruleView([
  rule,
  scope,
  verdict,
  window = null,
  limit = null,
  used = null,
  remaining = null,
  measured = undefined,
]: StoredRule) {
  return {
    rule,
    scope,
    verdict,
    ...(window !== null && { window }),
    ...(limit !== null && { measure: measured ?? 'amount', limit: BigInt(limit) }),
    ...(used !== null && { used: BigInt(used) }),
    ...(remaining !== null && { remaining: BigInt(remaining) }),
  };
}
