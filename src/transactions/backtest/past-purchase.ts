/**
 * What a back-test needs of a past purchase: each request with what was decided of it, and what the purchase used up of limits after each
 * message. All of it follows from its messages, as when they were taken.
 * Next: redecide.ts (one request under other controls), fold.ts (all of them in their order).
 */
import type { Scope } from '../../cards/controls/controls.ts';
import { NO_USAGE, type Usage } from '../../cards/counters/usage.ts';
import type { Asked, DecisionRequest, ThreeDSecureResult } from '../../cards/decision/decision-input.ts';
import type { Program } from '../../cards/program/program.ts';
import { fuelAmountOf } from '../../cards/program/program-terms.ts';
import { isDebit, kindOf, type PurchaseFacts, type PurchaseKind } from '../../cards/purchase/purchase-facts.ts';
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type DecidedRequest, isRequest, type Message, type Request } from '../message/message.ts';
import type { StoredDecision, StoredRule } from '../message/stored-decision.ts';
import { factsOf, messageKind } from '../purchase/message-kind.ts';
import { purchaseSchedules } from '../purchase/purchase-fee.ts';
import { type PurchaseTerms, stateOf } from '../purchase/purchase-state.ts';
import { decidedKind } from '../recording/receive-message.ts';

export interface PastPurchase {
  readonly id: Uuid;
  /** Of its account. */
  readonly currency: string;
  /** Of its first message: later ones may show another kind. */
  readonly facts: Omit<PurchaseFacts, 'kind'>;
  readonly terms: PurchaseTerms;
}

export interface PastMessage {
  readonly message: Message;
  readonly eventSequence: number;
  readonly currency: string;
  readonly threeDSecure: ThreeDSecureResult | null;
  readonly decision: StoredDecision | null;
  readonly at: Instant;
}

/** A message that asked for a decision, or changed what its purchase uses up. */
export interface PastStep {
  readonly eventSequence: number;
  readonly at: Instant;
  /** As rules and counters knew the purchase from then on. */
  readonly facts: PurchaseFacts;
  /** After the message. */
  readonly usage: Usage;
  /** What the message has authorized of a debit. */
  readonly granted: bigint;
  readonly request: PastRequest | null;
}

export interface PastDecision {
  readonly isApproved: boolean;
  /** As answered: 0 when declined. */
  readonly amount: bigint;
  /** More than answered for a status check of a fuel dispenser alone. */
  readonly authorized: bigint;
}

export interface PastRequest {
  readonly asked: DecisionRequest;
  readonly whole: Asked;
  readonly was: PastDecision;
  /** What the purchase used up before it: what its fee was of. */
  readonly usedBefore: bigint;
  /** What was held and booked for that fee. */
  readonly charged: bigint;
  readonly fees: readonly FeeSchedule[];
  /** Rules of the controls that are replaced, and all others. Those that passed are here only where a part may be approved. */
  readonly replaced: readonly StoredRule[];
  readonly kept: readonly StoredRule[];
}

/** The controls that others take the place of. */
export interface Replaced {
  readonly scope: Scope;
  /** The card is bound to a merchant by itself: its own rule comes before that of controls. */
  readonly isLocked: boolean;
}

export interface Reading {
  readonly program: Pick<Program, 'fuel'>;
  readonly replaced: Replaced;
}

/** The messages come in their order. Undefined stands for one that asked for nothing and changed nothing. */
export function* stepsOf(
  purchase: PastPurchase,
  messages: readonly PastMessage[],
  reading: Reading,
): Generator<PastStep | undefined> {
  const [first] = messages;
  // All of them came behind the event up to which is read.
  if (first === undefined) return;
  const taken: Message[] = [];
  let facts: PurchaseFacts = { ...purchase.facts, kind: firstKind(first.message, purchase.facts.mcc) };
  let usage: Usage = NO_USAGE;
  let charged = 0n;
  for (const past of messages) {
    const { message, eventSequence, at } = past;
    const known = facts;
    const named = { type: message.type, kind: statedKind(message) };
    facts = factsOf({ kind: messageKind(named, { facts: known, messages: taken }), entryMode: null }, known);
    const request = isRequest(message)
      ? requestOf(past, message, { purchase, facts, taken, usedBefore: usage.amount, charged, reading })
      : null;
    taken.push(message);
    const { used, amounts } = stateOf({ messages: taken, disputes: [], terms: purchase.terms });
    const after: Usage = { amount: used.amount, refunded: amounts.refunded };
    const isUnchanged = after.amount === usage.amount && after.refunded === usage.refunded && facts === known;
    usage = after;
    charged = amounts.fee + amounts.feeHeld;
    if (request === null && isUnchanged) yield undefined;
    else yield { eventSequence, at, facts, usage, granted: grantedBy(message), request };
  }
}

function firstKind(message: Message, mcc: string): PurchaseKind {
  const isRefund = message.type === 'refund' || message.type === 'refund_reversal';
  return statedKind(message) ?? (isRefund ? 'refund' : kindOf({ kind: null, mcc }));
}

function statedKind(message: Message): PurchaseKind | null {
  return 'kind' in message ? message.kind : null;
}

function grantedBy(message: Message): bigint {
  if (message.type === 'advice') return message.isApproved && isDebit(message.kind) ? message.amount : 0n;
  return isRequest(message) && isDebit(message.kind) ? wasOf(message).authorized : 0n;
}

function wasOf({ decision }: DecidedRequest): PastDecision {
  if (!decision.isApproved) return { isApproved: false, amount: 0n, authorized: 0n };
  return { isApproved: true, amount: decision.amount, authorized: decision.authorized };
}

interface Around {
  readonly purchase: PastPurchase;
  readonly facts: PurchaseFacts;
  readonly taken: readonly Message[];
  readonly usedBefore: bigint;
  readonly charged: bigint;
  readonly reading: Reading;
}

function requestOf(past: PastMessage, message: DecidedRequest, around: Around): PastRequest {
  const { purchase, facts, taken, usedBefore, charged, reading } = around;
  const { type, form, amount, cashback, isPartialAllowed } = message;
  const kind = decidedKind(message.kind, facts);
  const fuelAmount = fuelAmountOf(reading.program, {
    ...{ message: type, form, kind, mcc: facts.mcc, amount, currency: past.currency },
  });
  const was = wasOf(message);
  return {
    asked: {
      ...{ message: type, form, facts: kind === facts.kind ? facts : { ...facts, kind }, amount },
      ...{ currency: past.currency, cashbackAmount: cashback, partialApprovalAllowed: isPartialAllowed },
      ...{ cvvResult: null, pinResult: null, expiryResult: null, threeDSecure: past.threeDSecure },
    },
    whole: { amount: wholeOf(message, was, fuelAmount), cashbackAmount: cashback },
    was,
    ...{ usedBefore, charged },
    // Of a whole that was approved nobody asks what it costs.
    fees:
      isPartialAllowed || !was.isApproved
        ? purchaseSchedules([...taken, undecided(message)], purchase.terms)
        : NO_SCHEDULES,
    ...splitRules(past.decision?.rules ?? [], { replaced: reading.replaced, isPartialAllowed }),
  };
}

/** As it was asked: what was declined has no fee. */
function undecided({ decision: _, ...asked }: DecidedRequest): Request {
  return asked;
}

const NO_SCHEDULES: readonly FeeSchedule[] = [];

/**
 * What a fuel dispenser's status check held: what it was approved for, or, if declined, today's amount of the program.
 */
function wholeOf({ amount }: DecidedRequest, was: PastDecision, fuelAmount: bigint | undefined): bigint {
  if (was.authorized > was.amount) return was.authorized;
  return was.isApproved ? amount : (fuelAmount ?? amount);
}

const RULES_OF_CONTROLS: ReadonlySet<StoredRule[0]> = new Set([
  'entry_mode',
  'cash',
  'country',
  'mcc',
  'merchant',
  'three_d_secure',
  'limit',
]);

const NO_RULES: readonly StoredRule[] = [];

/** Without those of controls that were tried out. */
function splitRules(
  rules: readonly StoredRule[],
  { replaced: { scope, isLocked }, isPartialAllowed }: { replaced: Replaced; isPartialAllowed: boolean },
): Pick<PastRequest, 'replaced' | 'kept'> {
  const decisive = rules.filter(([, , verdict]) => verdict === 'fail' || (isPartialAllowed && verdict === 'pass'));
  if (decisive.length === 0) return { replaced: NO_RULES, kept: NO_RULES };
  // The lock of the card is its first rule of merchants.
  const lock = isLocked ? rules.find(([rule, of]) => rule === 'merchant' && of === 'card') : undefined;
  const isReplaced = (rule: StoredRule) => rule[1] === scope && RULES_OF_CONTROLS.has(rule[0]) && rule !== lock;
  return { replaced: decisive.filter(isReplaced), kept: decisive.filter((rule) => !isReplaced(rule)) };
}
