/**
 * The messages of one card purchase, as a processor sends them. They share a network reference, and come in any order. Once it is
 * recorded, a message never changes: what was decided of a request is part of it.
 * Amounts are minor units of the account's currency, each the message's own: an increment adds, a reversal takes away.
 * Next: ../purchase/tally.ts (what the messages of a purchase add up to), ../purchase/take-message.ts (what one more message does).
 */
import type { PurchaseKind } from '../../cards/purchase/purchase-facts.ts';

/** The same amount in the currency of the merchant: minor units of it. */
export interface MerchantAmount {
  readonly amount: bigint;
  readonly currency: string;
}

interface Named {
  /** The processor's name of the message (`message_reference`): one message a reference. */
  readonly reference: string;
}

/** Asks for an authorization, or for an increment of one. */
export interface Request extends Named {
  readonly type: 'authorization' | 'increment';
  readonly kind: PurchaseKind;
  /** A single message is posted as soon as it is approved. Of a dual one, the clearing is. */
  readonly form: 'dual' | 'single';
  /** Zero of verifications and inquiries alone. */
  readonly amount: bigint;
  /** The part of the amount that is handed out as cash. */
  readonly cashback: bigint;
  readonly merchant: MerchantAmount | null;
  readonly isPartialAllowed: boolean;
}

export type RequestDecision =
  | {
      readonly isApproved: true;
      /** The amount of the answer. */
      readonly amount: bigint;
      /**
       * What counts as authorized: more than the answer's amount where a status check is approved
       * (../purchase/fuel.ts).
       */
      readonly authorized: bigint;
      /** `authorized` in the merchant's currency. */
      readonly merchant: MerchantAmount | null;
    }
  | { readonly isApproved: false; readonly declineCode: string };

export interface DecidedRequest extends Request {
  readonly decision: RequestDecision;
}

/** What the network has decided in our place. It is recorded as it was decided. */
export interface Advice extends Named {
  readonly type: 'advice';
  readonly reason: /** We did not answer in time. */
    | 'stand_in'
    /** What was sold in the end: replaces all that was authorized. */
    | 'completion'
    /** The terminal approved it without asking anybody. */
    | 'offline';
  readonly of: 'authorization' | 'increment';
  readonly kind: PurchaseKind;
  readonly form: 'dual' | 'single';
  readonly isApproved: boolean;
  /** What the network has approved; 0 of what it declined. */
  readonly amount: bigint;
  readonly merchant: MerchantAmount | null;
}

/** Takes back what was authorized. What a single message has posted comes back with it. */
export interface Reversal extends Named {
  readonly type: 'reversal';
  /** Null: all of it. */
  readonly amount: bigint | null;
  readonly merchant: MerchantAmount | null;
}

export interface Clearing extends Named {
  readonly type: 'clearing';
  /** Null where the line names none. */
  readonly kind: PurchaseKind | null;
  readonly amount: bigint;
  readonly merchant: MerchantAmount | null;
  /** The piece of a purchase that clears in several, from 1. */
  readonly sequence: { readonly number: number; readonly count: number } | null;
  /** Null where the message leaves it out: then it is final if it is no piece, or the only one. */
  readonly isFinal: boolean | null;
}

export interface Refund extends Named {
  readonly type: 'refund';
  readonly amount: bigint;
  readonly merchant: MerchantAmount | null;
}

/**
 * Takes back what a clearing, a refund or a single message has posted, and waits for it where it is not here. The type is as the sender
 * names it; what is taken back is what `reverses` names.
 */
export interface PostingReversal extends Named {
  readonly type: 'clearing_reversal' | 'refund_reversal';
  /** The reference of the message that it takes back. */
  readonly reverses: string;
  /** Null: all of it. */
  readonly amount: bigint | null;
}

/** The time of the authorization is over, or somebody has ended it by hand. */
export interface Expiry extends Named {
  readonly type: 'expiry';
}

/** What is recorded. */
export type Message = DecidedRequest | Advice | Reversal | Clearing | Refund | PostingReversal | Expiry;

/** What comes in: requests are yet to be decided. */
export type Incoming = Request | Exclude<Message, DecidedRequest>;

export function isRequest(message: Message): message is DecidedRequest {
  return message.type === 'authorization' || message.type === 'increment';
}

/** Whether the message is yet to be decided. */
export function isUndecided(message: Incoming): message is Request {
  return message.type === 'authorization' || message.type === 'increment';
}

export function isPostingReversal(message: Message): message is PostingReversal {
  return message.type === 'clearing_reversal' || message.type === 'refund_reversal';
}

/** Whether the clearing closes its purchase by itself. The last of several pieces does as well (../purchase/tally.ts). */
export function isFinal({ isFinal, sequence }: Clearing): boolean {
  return isFinal ?? (sequence === null || sequence.count === 1);
}

/**
 * Whether a message is the one that was recorded under its reference. The recorded decision is left out, and the amount
 * of a reversal counts even where it changed nothing.
 */
export function isRepeatOf(known: Message, again: Incoming): boolean {
  const { decision: _, ...asked } = known as DecidedRequest;
  return isSame(asked, again);
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const members = Object.entries(one);
  return (
    members.length === Object.keys(other).length &&
    members.every(([name, value]) => isSame(value, (other as Record<string, unknown>)[name]))
  );
}
