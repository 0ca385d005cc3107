/**
 * Decides what a request is answered: every rule is evaluated and shown, and the first that fails decides. Where a part may be approved, it
 * is the largest that all rules let pass; of a purchase with cashback, the purchase without its cash.
 * Next: status-rules.ts, controls-rules.ts, limit-rules.ts, funds.ts (the rules), decline-codes.ts (their order).
 */

import { type FeeSoFar, feeOfMore } from '../program/program-fees.ts';
import { fuelAmountOf } from '../program/program-terms.ts';
import { isListedCountry } from '../purchase/country.ts';
import { isListedMcc } from '../purchase/merchant-category.ts';
import { isCredit, isDebit } from '../purchase/purchase-facts.ts';
import { controlsRules, shadowControlsRules } from './controls-rules.ts';
import type { Asked, DecisionInput, EndpointAnswer } from './decision-input.ts';
import { APPROVED, type DeclineCode, networkCodeOf } from './decline-codes.ts';
import { largestCovered, spendable, withFee } from './funds.ts';
import { largestAllowed, limitRules } from './limit-rules.ts';
import { type RuleResult, result, resultOf } from './rule-result.ts';
import { statusRules } from './status-rules.ts';

export type DecisionFlag =
  /** The MCC or the country of the merchant stands in no list. */
  | 'unlisted'
  /** A status check of a fuel dispenser: it holds more than it asks for. */
  | 'fuel';

export interface Decision {
  readonly decision: 'approved' | 'declined';
  readonly source: 'rules' | 'endpoint' | 'default';
  /** As answered; 0 when declined. */
  readonly approvedAmount: bigint;
  /** What the purchase is authorized for by this message: more than answered for a status check of a fuel dispenser alone. */
  readonly authorizedAmount: bigint;
  /** What this message adds to the fee that is held. */
  readonly fee: bigint;
  readonly declineCode: DeclineCode | null;
  /** ISO 8583, field 39. */
  readonly networkResponseCode: string;
  /** All of them, for the amount that is approved, or the one asked for when declined. Those of shadow controls come last. */
  readonly rules: readonly RuleResult[];
  readonly flags: readonly DecisionFlag[];
}

export function decide(input: DecisionInput): Decision {
  const fuelAmount = fuelAmountIn(input);
  const whole: Asked = {
    amount: fuelAmount ?? input.request.amount,
    cashbackAmount: input.request.cashbackAmount,
  };
  const rules = evaluate(input, whole);
  const failed = rules.find(({ verdict }) => verdict === 'fail');
  if (failed === undefined) return approved(input, { asked: whole, rules, fuelAmount });
  // A dispenser takes any approval of its check for the whole: a part cannot be approved.
  const part = fuelAmount === undefined ? partOf(input, whole) : undefined;
  if (part !== undefined) {
    const rulesOfPart = evaluate(input, part);
    if (rulesOfPart.every(({ verdict }) => verdict !== 'fail'))
      return approved(input, { asked: part, rules: rulesOfPart, fuelAmount });
  }
  return declined(input, { code: failed.code!, rules, fuelAmount });
}

/** Whether the endpoint is asked after our rules alone have decided: only about debits that they approve. */
export function asksEndpoint({ request }: DecisionInput, { decision }: Decision): boolean {
  return decision === 'approved' && isDebit(request.facts.kind);
}

/** Every rule for an amount, in the order in which they decide. */
function evaluate(input: DecisionInput, asked: Asked): RuleResult[] {
  if (isCredit(input.request.facts.kind)) return statusRules(input);
  return [
    ...statusRules(input),
    ...controlsRules(input, asked),
    ...limitRules(input, asked, 'active'),
    fundsRule(input, asked),
    ...endpointRules(input.endpoint, asked),
    ...shadowControlsRules(input, asked).map(inShadow),
    ...limitRules(input, asked, 'shadow')
      .filter(({ verdict }) => verdict === 'fail')
      .map(inShadow),
  ];
}

function inShadow(rule: RuleResult): RuleResult {
  return { ...rule, verdict: 'shadow_fail' };
}

/** What costs nothing is covered, also below the floor. */
function fundsRule(input: DecisionInput, { amount }: Asked): RuleResult {
  const funds = spendable(input.account);
  const needed = withFee(amount, feeSoFar(input));
  const isCovered = needed <= 0n || funds === null || needed <= funds;
  const remaining = funds === null ? null : { remaining: funds > 0n ? funds : 0n };
  return resultOf(
    { rule: 'funds', scope: 'account', code: isCovered ? null : 'insufficient_funds' },
    { measure: remaining },
  );
}

function feeSoFar({ purchase }: DecisionInput): FeeSoFar {
  return { base: purchase.used, charged: purchase.charged, schedules: purchase.fees };
}

/** The endpoint only narrows: an approved amount above ours changes nothing. */
function endpointRules(endpoint: EndpointAnswer | null, { amount }: Asked): RuleResult[] {
  if (endpoint === null) return [];
  if (endpoint.source === 'default')
    return [result('decision_unavailable', 'program', endpoint.decision === 'approved')];
  if (endpoint.decision === 'declined') return [result(endpoint.declineCode, 'program', false)];
  const { approvedAmount } = endpoint;
  return [result('decision_declined', 'program', approvedAmount === null || amount <= approvedAmount)];
}

/** The part that amounts allow; the other rules are evaluated for it afterwards. Undefined where no part may be approved. */
function partOf(input: DecisionInput, whole: Asked): Asked | undefined {
  const { request } = input;
  if (!request.partialApprovalAllowed || isCredit(request.facts.kind)) return undefined;
  const amount = request.cashbackAmount > 0n ? whole.amount - request.cashbackAmount : largestPart(input, whole.amount);
  return amount > 0n && amount < whole.amount ? { amount, cashbackAmount: 0n } : undefined;
}

function largestPart(input: DecisionInput, amount: bigint): bigint {
  const { endpoint, account } = input;
  const narrowed = endpoint?.source === 'endpoint' && endpoint.decision === 'approved' ? endpoint.approvedAmount : null;
  const atMost = least(least(amount, largestAllowed(input)), narrowed);
  return largestCovered(feeSoFar(input), { funds: spendable(account), atMost });
}

function least(amount: bigint, other: bigint | null): bigint {
  return other !== null && other < amount ? other : amount;
}

interface Decided {
  readonly rules: readonly RuleResult[];
  readonly fuelAmount: bigint | undefined;
}

function approved(input: DecisionInput, decided: Decided & { readonly asked: Asked }): Decision {
  const { request, endpoint } = input;
  const { asked, rules, fuelAmount } = decided;
  return {
    decision: 'approved',
    source: endpoint?.source ?? 'rules',
    approvedAmount: fuelAmount === undefined ? asked.amount : request.amount,
    authorizedAmount: asked.amount,
    fee: feeOfMore(asked.amount, feeSoFar(input)),
    declineCode: null,
    networkResponseCode: approvalCode(input, asked, fuelAmount),
    rules,
    flags: flagsOf(input, fuelAmount),
  };
}

function approvalCode({ request }: DecisionInput, { amount }: Asked, fuelAmount: bigint | undefined): string {
  if (request.facts.kind === 'account_verification') return APPROVED.verification;
  if (fuelAmount !== undefined || amount === request.amount) return APPROVED.whole;
  return request.cashbackAmount > 0n ? APPROVED.withoutCash : APPROVED.part;
}

function declined(input: DecisionInput, decided: Decided & { readonly code: DeclineCode }): Decision {
  const { code, rules, fuelAmount } = decided;
  return {
    decision: 'declined',
    source: sourceOf(code),
    approvedAmount: 0n,
    authorizedAmount: 0n,
    fee: 0n,
    declineCode: code,
    networkResponseCode: networkCodeOf(code, input.card.closedReason),
    rules,
    flags: flagsOf(input, fuelAmount),
  };
}

function sourceOf(code: DeclineCode): Decision['source'] {
  if (code === 'decision_unavailable') return 'default';
  return code === 'decision_declined' || code === 'suspected_fraud' ? 'endpoint' : 'rules';
}

function fuelAmountIn({ request, program }: DecisionInput): bigint | undefined {
  const { message, form, facts, amount, currency } = request;
  return fuelAmountOf(program, { message, form, kind: facts.kind, mcc: facts.mcc, amount, currency });
}

function flagsOf({ request }: DecisionInput, fuelAmount: bigint | undefined): DecisionFlag[] {
  const { mcc, country } = request.facts;
  const flags: DecisionFlag[] = [];
  if (!isListedMcc(mcc) || !isListedCountry(country)) flags.push('unlisted');
  if (fuelAmount !== undefined) flags.push('fuel');
  return flags;
}
