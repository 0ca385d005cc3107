/**
 * What would have been decided of a past request under other controls of one scope. Only those are evaluated; every other rule, of the card,
 * the account's funds, other controls and the decision endpoint, stays as it was decided then.
 */
import { shadowControlsRules } from '../../cards/decision/controls-rules.ts';
import type { Asked, LimitInput } from '../../cards/decision/decision-input.ts';
import { DECLINE_CODES, DECLINES } from '../../cards/decision/decline-codes.ts';
import { largestCovered, withFee } from '../../cards/decision/funds.ts';
import { largestAllowed, limitRules } from '../../cards/decision/limit-rules.ts';
import type { FeeSoFar } from '../../cards/program/program-fees.ts';
import { isCash, isCredit } from '../../cards/purchase/purchase-facts.ts';
import { type StoredRule, storedRule } from '../message/stored-decision.ts';
import type { PastDecision, PastRequest } from './past-purchase.ts';

/** The controls that are tested, active and as their own shadow: of the one a rule passes or fails, of the other those that fail. */
export type Candidate = Omit<LimitInput, 'request'>;

export interface Redecided {
  readonly would: PastDecision;
  /** The rule that makes the difference: what fails now, or failed then. Null where nothing differs. */
  readonly rule: StoredRule | null;
}

export function redecide(past: PastRequest, candidate: Candidate): Redecided {
  const { asked, was } = past;
  // No controls decide about credits.
  if (isCredit(asked.facts.kind)) return { would: was, rule: null };
  const failed = firstFailed(past, candidate, past.whole);
  const would = failed === undefined ? approved(past, past.whole.amount) : partOf(past, candidate);
  if (would.isApproved === was.isApproved && would.amount === was.amount) return { would: was, rule: null };
  const isLess = was.isApproved && (!would.isApproved || would.amount < was.amount);
  return { would, rule: isLess ? failed! : (boundBy(past) ?? null) };
}

/** The rule of the replaced controls that declined, or allowed no more than a part. */
function boundBy(past: PastRequest): StoredRule | undefined {
  return past.was.isApproved ? bindingLimit(past) : past.replaced.find(isFailed);
}

function approved({ asked, whole }: PastRequest, authorized: bigint): PastDecision {
  return { isApproved: true, authorized, amount: authorized === whole.amount ? asked.amount : authorized };
}

const DECLINED: PastDecision = { isApproved: false, amount: 0n, authorized: 0n };

/** As decide.ts finds it. A dispenser takes any approval of its check for all of it. */
function partOf(past: PastRequest, candidate: Candidate): PastDecision {
  const { asked, whole } = past;
  if (!asked.partialApprovalAllowed || whole.amount !== asked.amount) return DECLINED;
  const amount =
    whole.cashbackAmount > 0n ? whole.amount - whole.cashbackAmount : largestPart(past, candidate, whole.amount);
  if (amount <= 0n || amount >= whole.amount) return DECLINED;
  const failed = firstFailed(past, candidate, { amount, cashbackAmount: 0n });
  return failed === undefined ? approved(past, amount) : DECLINED;
}

function largestPart(past: PastRequest, candidate: Candidate, amount: bigint): bigint {
  const allowed = largestAllowed({ ...candidate, request: past.asked });
  return largestKept(past, allowed !== null && allowed < amount ? allowed : amount);
}

/** The first that fails of all rules for an amount, in the order in which they decide. */
function firstFailed(past: PastRequest, candidate: Candidate, asked: Asked): StoredRule | undefined {
  const request = past.asked;
  const failing = [
    ...shadowControlsRules({ request, scopes: candidate.scopes }, asked),
    ...limitRules({ ...candidate, request }, asked, 'active').filter(({ verdict }) => verdict === 'fail'),
  ].map(storedRule);
  const kept = failedOfKept(past, asked);
  if (kept !== undefined) failing.push(kept);
  if (failing.length < 2) return failing[0];
  return failing.reduce((first, rule) => (rankOf(rule) < rankOf(first) ? rule : first));
}

const RANKS = new Map(DECLINE_CODES.map((code, at) => [DECLINES[code].rule, at]));

function rankOf([rule]: StoredRule): number {
  return RANKS.get(rule)!;
}

/** A limit on amounts: one that counts purchases lets a part pass or not as it does the whole. */
const isOfAmounts = ([rule, , , , , , , measured]: StoredRule) => rule === 'limit' && measured !== 'count';

const isFailed = ([, , verdict]: StoredRule) => verdict === 'fail';

/**
 * Whether the rules that stay let an amount pass. They were evaluated for what was approved, or for the whole when it was declined: a
 * smaller amount passes limits and funds that it fits in. More than the part that was approved passes only where the replaced controls alone
 * are known to have bound it.
 */
function failedOfKept(past: PastRequest, asked: Asked): StoredRule | undefined {
  const { was, kept } = past;
  if (!was.isApproved) return kept.find((rule) => isFailed(rule) && !passesLess(past, rule, asked));
  if (asked.amount <= was.authorized) return undefined;
  const amount = bindingLimit(past) === undefined ? was.authorized : largestKept(past, asked.amount);
  return amount < asked.amount ? UNKNOWN : undefined;
}

/** Something that stays has bound the amount, and nobody has kept which. It never shows: what is approved is no less than it was. */
const UNKNOWN: StoredRule = ['funds', 'account', 'fail'];

function passesLess(past: PastRequest, rule: StoredRule, { amount, cashbackAmount }: Asked): boolean {
  switch (rule[0]) {
    case 'limit':
      return isOfAmounts(rule) && remainingOf(rule) >= amount && amount > 0n;
    case 'funds':
      return withFee(amount, feeSoFar(past)) <= remainingOf(rule);
    case 'cash':
      return cashbackAmount === 0n && !isCash(past.asked.facts.kind);
    default:
      return false;
  }
}

/** The largest amount that the rules that stay let pass, up to `atMost`. */
function largestKept(past: PastRequest, atMost: bigint): bigint {
  const { was, kept } = past;
  if (was.isApproved && atMost <= was.authorized) return atMost;
  if (was.isApproved && bindingLimit(past) === undefined) return was.authorized;
  const bounds = kept.filter((rule) => (was.isApproved ? !isFailed(rule) : isFailed(rule)));
  const limits = bounds.filter(isOfAmounts).map(remainingOf);
  // One that let the part pass with less left was not counted by it.
  const binding = was.isApproved ? limits.filter((remaining) => remaining >= was.authorized) : limits;
  const most = binding.reduce((least, remaining) => (remaining < least ? remaining : least), atMost);
  const funds = bounds.find(([rule, , , , , , remaining]) => rule === 'funds' && remaining != null);
  return funds === undefined ? most : largestCovered(feeSoFar(past), { funds: remainingOf(funds), atMost: most });
}

/** The limit of the replaced controls that left no more than the part that was approved. */
function bindingLimit({ was, asked, whole, replaced }: PastRequest): StoredRule | undefined {
  if (!was.isApproved || was.amount >= asked.amount || whole.cashbackAmount > 0n) return undefined;
  return replaced.find((rule) => isOfAmounts(rule) && remainingOf(rule) === was.authorized);
}

function feeSoFar({ usedBefore, charged, fees }: PastRequest): FeeSoFar {
  return { base: usedBefore, charged, schedules: fees };
}

function remainingOf([, , , , , , remaining]: StoredRule): bigint {
  return remaining == null ? 0n : BigInt(remaining);
}
