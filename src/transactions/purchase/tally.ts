/**
 * What the messages of one purchase add up to, each counted once and in whatever order they came.
 *
 *   authorized   approved amounts; once a completion is here, its amount alone
 *   reversed     amounts of reversals; one without an amount is no sum, it ends the purchase
 *   cleared      amounts of clearings, reversed later or not, and what single messages posted less what reversals took of that
 *   standing     what is left of clearings and single messages: what the customer has paid
 *
 * Reversals take from what single messages posted first, then from what is held. Where the purchase has no debit, they take from its
 * credits.
 * Next: purchase-state.ts (what follows from the sums).
 */
import { isCredit, isDebit, isInquiry } from '../../cards/purchase/purchase-facts.ts';
import {
  type Advice,
  type Clearing,
  type DecidedRequest,
  isFinal,
  isPostingReversal,
  isRequest,
  type Message,
  type Refund,
  type Reversal,
} from '../message/message.ts';
import { takenByReference, waitingFor } from './posting-reversals.ts';
import { type CountedParts, type MerchantSums, measuresOf, type Part, type Sums } from './sums.ts';

export interface Tally {
  /** In the account's currency. */
  readonly account: Sums;
  /** In the merchant's, where every authorization, clearing and reversal with an amount has one in the same. */
  readonly merchant: MerchantSums | null;
  /** Refunds less their reversals. */
  readonly refunded: bigint;
  /** Approved credits, requested or posted at once. */
  readonly credited: bigint;
  /** Approved requests for a refund that is yet to be posted. Reversals that found no debit are taken off. */
  readonly requested: bigint;
  /** References that reversals wait for. */
  readonly waitingFor: readonly string[];
  readonly has: Has;
}

/** Which messages are here. */
export interface Has {
  /** A debit was approved, with an amount. */
  readonly authorization: boolean;
  /** A request for a refund that is yet to be posted was approved. */
  readonly refundRequest: boolean;
  /** A verification or inquiry was approved. */
  readonly verification: boolean;
  /** Something was approved, were it a completion of 0. */
  readonly approval: boolean;
  /** A debit was declined by us. */
  readonly decline: boolean;
  /** The network has declined more than a question. */
  readonly networkDecline: boolean;
  /** A completion of 0: nothing was sold. */
  readonly nothingSold: boolean;
  /** What was sold in the end. */
  readonly completion: boolean;
  /** A debit was approved beside completions. */
  readonly uncompleted: boolean;
  /** Of what was authorized, or of something posted; it may still wait for that. */
  readonly reversal: boolean;
  /** A reversal without an amount. */
  readonly wholeReversal: boolean;
  readonly expiry: boolean;
  readonly clearing: boolean;
  /** A final clearing, or all pieces of one. */
  readonly finalClearing: boolean;
  readonly refund: boolean;
}

export function tallyOf(messages: readonly Message[]): Tally {
  const parts = partsOf(messages);
  const { account, merchant } = measuresOf(parts);
  const has = findHas(messages);
  const left = leftOfCredits(parts.credits, { account, isWhole: has.wholeReversal });
  const total = (of: readonly Part[]) => of.reduce((sum, part) => sum + part.amount, 0n);
  const standing = (of: readonly Part[]) => of.reduce((sum, part) => sum + part.standing, 0n);
  return {
    account,
    merchant,
    refunded: standing(parts.refunds) + left.single,
    credited: total(parts.credits),
    requested: left.dual,
    waitingFor: waitingFor(messages),
    has,
  };
}

/** The messages that amounts are counted of. */
interface Parts extends CountedParts {
  readonly refunds: readonly Part[];
  readonly credits: readonly Part[];
}

function partsOf(messages: readonly Message[]): Parts {
  const taken = takenByReference(messages);
  const part = (message: { reference: string }, { amount, merchant, isSingle }: Omit<Part, 'standing'>): Part => {
    const back = taken.get(message.reference) ?? 0n;
    const standing = back === 'all' || back > amount ? 0n : amount - back;
    return { amount, standing, merchant, isSingle };
  };
  const approved = messages.filter(isApproval);
  const parts = (kinds: readonly Approval[]) =>
    kinds.map((message) => part(message, { ...approvedOf(message), isSingle: message.form === 'single' }));
  const posted = (of: readonly (Clearing | Refund)[]) =>
    of.map((message) => part(message, { amount: message.amount, merchant: message.merchant, isSingle: false }));
  const reversals = messages.filter((message) => message.type === 'reversal');
  return {
    authorized: parts(counted(approved.filter(({ kind }) => isDebit(kind)))),
    reversals: reversals.flatMap(reversalPart),
    clearings: posted(messages.filter((message) => message.type === 'clearing')),
    refunds: posted(messages.filter((message) => message.type === 'refund')),
    credits: parts(approved.filter(({ kind }) => isCredit(kind))),
    isReversedWhole: reversals.some(({ amount }) => amount === null),
  };
}

const reversalPart = ({ amount, merchant }: Reversal): Part[] =>
  amount === null ? [] : [{ amount, standing: amount, merchant, isSingle: false }];

type Approval = DecidedRequest | Advice;

function isApproval(message: Message): message is Approval {
  return message.type === 'advice' ? message.isApproved : isRequest(message) && message.decision.isApproved;
}

function approvedOf(message: Approval): Pick<Part, 'amount' | 'merchant'> {
  if (message.type === 'advice') return { amount: message.amount, merchant: message.merchant };
  const { decision } = message;
  if (!decision.isApproved) throw new RangeError(`Message ${message.reference} was declined`);
  return { amount: decision.authorized, merchant: decision.merchant };
}

/** All debits, or the completion alone. Of several completions the largest counts: which was last depends on the way that they took. */
function counted(debits: readonly Approval[]): readonly Approval[] {
  const completions = debits.filter(isCompletion);
  if (completions.length === 0) return debits;
  const largest = (one: Approval, other: Approval) => compare(approvedOf(one).amount, approvedOf(other).amount);
  // Of equal ones the first by name, so that the order in which they came decides nothing.
  const byName = (one: Approval, other: Approval) => (one.reference < other.reference ? -1 : 1);
  return completions.toSorted((one, other) => largest(other, one) || byName(one, other)).slice(0, 1);
}

function isCompletion(message: Approval): boolean {
  return message.type === 'advice' && message.reason === 'completion';
}

const compare = (one: bigint, other: bigint) => (one === other ? 0 : one < other ? -1 : 1);

/** What reversals leave of approved credits: of single messages, which are posted, first. */
function leftOfCredits(
  credits: readonly Part[],
  { account, isWhole }: { account: Sums; isWhole: boolean },
): { single: bigint; dual: bigint } {
  const single = credits.reduce((sum, part) => sum + (part.isSingle ? part.standing : 0n), 0n);
  const dual = credits.reduce((sum, part) => sum + (part.isSingle ? 0n : part.amount), 0n);
  const { authorized, reversed } = account;
  if (isWhole && authorized === 0n) return { single: 0n, dual: 0n };
  const back = reversed > authorized ? reversed - authorized : 0n;
  if (back < single) return { single: single - back, dual };
  return { single: 0n, dual: back - single < dual ? dual - (back - single) : 0n };
}

/** Clearings that reversals have left something of. */
export function standingClearings(messages: readonly Message[]): Clearing[] {
  const taken = takenByReference(messages);
  const stands = ({ reference, amount }: Clearing) => {
    const back = taken.get(reference) ?? 0n;
    return back !== 'all' && back < amount;
  };
  return messages.filter((message) => message.type === 'clearing').filter(stands);
}

function findHas(messages: readonly Message[]): Has {
  const any = (is: (message: Message) => boolean) => messages.some(is);
  const advices = messages.filter((message) => message.type === 'advice');
  const approved = messages.filter(isApproval);
  const clearings = messages.filter((message) => message.type === 'clearing');
  const debits = approved.filter(({ kind }) => isDebit(kind));
  return {
    authorization: debits.some((message) => approvedOf(message).amount > 0n),
    refundRequest: approved.some(({ kind, form }) => isCredit(kind) && form === 'dual'),
    verification: approved.some(({ kind }) => isInquiry(kind)),
    approval: approved.some(({ kind }) => !isInquiry(kind)),
    decline: any((message) => isRequest(message) && isDebit(message.kind) && !message.decision.isApproved),
    networkDecline: advices.some(({ isApproved, kind }) => !isApproved && !isInquiry(kind)),
    nothingSold: advices.some(
      ({ reason, isApproved, amount }) => reason === 'completion' && isApproved && amount === 0n,
    ),
    reversal: any((message) => message.type === 'reversal' || isPostingReversal(message)),
    wholeReversal: any((message) => message.type === 'reversal' && message.amount === null),
    completion: debits.some(isCompletion),
    uncompleted: debits.some((message) => !isCompletion(message)),
    expiry: any(({ type }) => type === 'expiry'),
    clearing: clearings.length > 0,
    finalClearing: clearings.some(isFinal) || hasAllPieces(clearings),
    refund: any(({ type }) => type === 'refund'),
  };
}

/** Whether all pieces of one count are here, one of them perhaps twice. */
function hasAllPieces(clearings: readonly Clearing[]): boolean {
  const pieces = new Map<number, Set<number>>();
  for (const { sequence } of clearings) {
    if (sequence === null) continue;
    const numbers = pieces.get(sequence.count) ?? new Set();
    pieces.set(sequence.count, numbers.add(sequence.number));
  }
  return [...pieces].some(([count, numbers]) => numbers.size >= count);
}
