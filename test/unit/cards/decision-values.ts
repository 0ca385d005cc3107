/** Values of decisions, as the conventions of the golden scenarios have them: what a test is about is given, and the rest is usual. */
import { windowStartsOf } from '../../../src/calendar/counting-windows.ts';
import type { Card } from '../../../src/cards/card/card.ts';
import { SCOPES, type Scope } from '../../../src/cards/controls/controls.ts';
import type { ControlsContent, Limit } from '../../../src/cards/controls/controls-content.ts';
import type { Decision } from '../../../src/cards/decision/decide.ts';
import type {
  AccountFacts,
  DecisionInput,
  DecisionRequest,
  EvaluatedControls,
  PurchaseSoFar,
  ScopeControls,
} from '../../../src/cards/decision/decision-input.ts';
import { defaultProgram } from '../../../src/cards/program/program.ts';
import type { PurchaseFacts } from '../../../src/cards/purchase/purchase-facts.ts';
import { NO_CONTROLS } from '../../support/controls.ts';

/** A Monday. */
export const START = Date.UTC(2027, 2, 1, 12);
export const DAY_MS = 24 * 60 * 60_000;

export function cardOf(values: Partial<Card> = {}): Card {
  return {
    id: 'card-a',
    lineId: values.id ?? 'card-a',
    status: 'active',
    type: 'virtual',
    accountId: 'account',
    cardReference: 'reference',
    expMonth: 12,
    expYear: 2030,
    pinStatus: 'ok',
    pinFailures: 0,
    shippingStatus: null,
    replacementFor: null,
    replacementReason: null,
    replacedBy: null,
    closedReason: null,
    lockedTo: null,
    ...values,
  };
}

export function factsOf(values: Partial<PurchaseFacts> = {}): PurchaseFacts {
  const usual = { kind: 'purchase', mcc: '5411', country: 'US', merchantId: 'M1', acquirerId: 'Q1' } as const;
  return { ...usual, entryMode: 'chip', ...values };
}

export function requestOf(values: Partial<DecisionRequest> = {}): DecisionRequest {
  return {
    message: 'authorization',
    form: 'dual',
    facts: factsOf(),
    amount: 1_000n,
    currency: 'USD',
    cashbackAmount: 0n,
    partialApprovalAllowed: false,
    cvvResult: null,
    pinResult: null,
    expiryResult: null,
    threeDSecure: null,
    ...values,
  };
}

export function accountOf(values: Partial<AccountFacts> = {}): AccountFacts {
  return { status: 'open', currency: 'USD', posted: 100_000n, held: 0n, floor: 0n, ...values };
}

export function limitOf(values: Partial<Limit>): Limit {
  return { window: 'day', amount: null, count: null, for: null, netOfRefunds: false, ...values };
}

export function contentOf(values: Partial<ControlsContent>): ControlsContent {
  return { ...NO_CONTROLS, ...values };
}

export function evaluated(values: Partial<ControlsContent>): EvaluatedControls {
  return { controls: { content: contentOf(values) }, counters: new Map(), countsPurchase: true };
}

export function scopesOf(
  values: Partial<Record<Scope, Partial<ScopeControls>>> = {},
): Readonly<Record<Scope, ScopeControls>> {
  const none = { active: null, shadow: null, counter: null };
  const entries = SCOPES.map((scope) => [scope, { ...none, ...values[scope] }] as const);
  return Object.fromEntries(entries) as unknown as Record<Scope, ScopeControls>;
}

export function newPurchase(): PurchaseSoFar {
  return { refusal: null, used: 0n, charged: 0n, firstUsedAt: null, fees: [] };
}

export function inputOf(values: Partial<DecisionInput> = {}): DecisionInput {
  const { now = START, program = defaultProgram('UTC') } = values;
  return {
    request: requestOf(),
    card: cardOf(),
    token: null,
    account: accountOf(),
    program,
    scopes: scopesOf(),
    purchase: newPurchase(),
    endpoint: null,
    now,
    windows: windowStartsOf(now, program.timeZone),
    ...values,
  };
}

/** `approved 4000, 00`, as the scenarios write it. */
export function said({ decision, approvedAmount, declineCode, networkResponseCode }: Decision): string {
  return `${decision} ${decision === 'approved' ? approvedAmount : declineCode}, ${networkResponseCode}`;
}
