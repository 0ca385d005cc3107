/**
 * The rail contract: how a payout leaves for the outside world and how its answer comes back. A rail is called between two
 * commits, never inside one, under an end-to-end id that stays the same on every try.
 * Next: sandbox-rail.ts (the rail of test books), rails.ts (which rail carries what), failure-codes.ts (what a no means).
 */
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';
import type { Mode } from '../ledger/book.ts';

export interface Instruction {
  /** Whose end-to-end id it is: the book. */
  readonly originator: string;
  readonly endToEndId: string;
  readonly alias: string;
  readonly provider: string | null;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /**
   * The rail refuses to accept the instruction later than this. It is what makes `not_found` final: an instruction that the
   * rail has not got by then, it never will.
   */
  readonly notAfter: Instant;
}

/** What a rail says it has moved, and to whom. What it leaves out, it does not say. */
export interface Confirmation {
  /** Minor units. */
  readonly amount?: bigint;
  readonly currency?: string;
  /** As `Rail.payeeDigest` makes it of our alias. Never kept as it is: a short alias can be found again by trying. */
  readonly payeeDigest?: string;
}

/** The facts that every `paid` of a rail has to name. Any other that it names is compared all the same. */
export interface Confirms {
  readonly amount: boolean;
  readonly currency: boolean;
  readonly payee: boolean;
}

export interface RailAnswer {
  readonly status: 'paid' | 'rejected' | 'pending';
  /** The id that the rail speaks of: an answer about another says nothing about ours. */
  readonly endToEndId: string;
  /** The rail's own name for the payment. */
  readonly reference: string;
  /** Why it was rejected, in the rail's words: an ISO 20022 external status reason code, such as AC04. */
  readonly code?: string;
  readonly confirmed?: Confirmation;
  /** The answer as it came, to be kept as evidence. Names no person, and holds no digest of an alias. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** The rail has never heard of the id. Final only after `notAfter`: a paused worker may still be about to submit it. */
export interface RailNotFound {
  readonly status: 'not_found';
  readonly endToEndId: string;
  /**
   * When the rail looked, by its own clock, where it says so. `notAfter` is the rail's to keep, so only its clock can tell
   * that it has passed: ours may be ahead.
   */
  readonly asOf?: Instant;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** What a rail tells of its own accord: a late confirmation, a rejection, money that came back. */
export interface RailNotice {
  /** The rail's id of the notice. Told twice under one id, it happened once. */
  readonly id: Uuid;
  readonly originator: string;
  readonly endToEndId: string;
  readonly kind: 'paid' | 'rejected' | 'returned';
  /** What came back; null where nothing did. */
  readonly amount: bigint | null;
  readonly code: string | null;
  readonly reference: string;
  /** What the rail says it had moved; of a return, the payment that came back, not the part of it. */
  readonly confirmed?: Confirmation;
  readonly createdAt: Instant;
}

export interface Rail {
  readonly name: string;
  /** The mode of the books that it serves. */
  readonly mode: Mode;
  /** Whether a second submit under the same id is answered like the first. Without that promise nothing is ever resent. */
  readonly idempotent: boolean;
  /** How long after the first try an instruction may still be accepted, in milliseconds. */
  readonly notFoundFinalAfterMs: number;
  /** What each `paid` names. One that leaves such a fact out settles nothing. */
  readonly confirms: Confirms;
  /** When to ask after an unknown or pending answer: first, second, … From then on the pause doubles, up to a day. */
  readonly inquiryDelaysMs: readonly number[];
  /** No call takes longer: then it is RailUnreachable. */
  readonly callTimeoutMs: number;
  /** What the rail would name as the payee of an instruction with this alias. */
  payeeDigest(endToEndId: string, alias: string): string;
  /** Throws RailUnreachable when no answer came. */
  submit(instruction: Instruction): Promise<RailAnswer>;
  /** Throws RailUnreachable when no answer came. */
  inquire(originator: string, endToEndId: string): Promise<RailAnswer | RailNotFound>;
  /** The oldest notices that nobody has acknowledged; the oldest behind one that is named. */
  notices(limit: number, behind?: Uuid): Promise<RailNotice[]>;
  acknowledge(ids: readonly Uuid[]): Promise<void>;
}

/** No answer came. The rail may have carried out what it was asked, or not: unknown, to be settled by inquiry. */
export class RailUnreachable extends Error {
  override name = 'RailUnreachable';
}
