/**
 * The rail contract: how a payout is submitted and how a rail reports back. A rail is called between two commits, never
 * inside one. The end-to-end id stays the same on every attempt.
 * Next: sandbox-rail.ts (the rail of test books), rails.ts (the rail of each destination), failure-codes.ts
 * (rejections).
 */
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';

export interface Instruction {
  /** The owner of the end-to-end id: the book. */
  readonly originator: string;
  readonly endToEndId: string;
  readonly alias: string;
  readonly provider: string | null;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /**
   * The rail rejects the instruction after this instant. That makes `not_found` final: an instruction that the rail
   * does not have by then will never be accepted.
   */
  readonly notAfter: Instant;
}

/** The amount, currency and payee that a rail reports. An absent field means that the rail did not report it. */
export interface Confirmation {
  /** Minor units. */
  readonly amount?: bigint;
  readonly currency?: string;
  /** Compare with `Rail.payeeDigest` of our alias. Stored sealed only: the alias of a digest can be guessed. */
  readonly payeeDigest?: string;
}

/** The facts that every `paid` report of a rail must contain. Other facts that it contains are compared too. */
export interface Confirms {
  readonly amount: boolean;
  readonly currency: boolean;
  readonly payee: boolean;
}

export interface RailAnswer {
  readonly status: 'paid' | 'rejected' | 'pending';
  /** The id that the rail reports about. An answer about another id says nothing about ours. */
  readonly endToEndId: string;
  /** The rail's own reference of the payment. */
  readonly reference: string;
  /** The reason of a rejection: an ISO 20022 external status reason code, such as AC04. */
  readonly code?: string;
  readonly confirmed?: Confirmation;
  /** The answer as received, kept as evidence. Contains no personal name and no digest of an alias. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** The rail does not know the id. Final only after `notAfter`: a paused worker may still be about to submit it. */
export interface RailNotFound {
  readonly status: 'not_found';
  readonly endToEndId: string;
  /**
   * When the rail looked, by its own clock; absent where the rail does not say. Only the rail's clock can tell that
   * `notAfter` has passed, because the rail enforces it and our clock may be ahead.
   */
  readonly asOf?: Instant;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** A report that the rail sends unasked: a late confirmation, a rejection, a return. */
export interface RailNotice {
  /** The rail's id of the notice. A second notice with the same id is a repetition. */
  readonly id: Uuid;
  readonly originator: string;
  readonly endToEndId: string;
  readonly kind: 'paid' | 'rejected' | 'returned';
  /** The amount returned; null where none was. */
  readonly amount: bigint | null;
  readonly code: string | null;
  readonly reference: string;
  /** What the rail reports to have moved. For a return: the whole original payment, not the part returned. */
  readonly confirmed?: Confirmation;
  readonly createdAt: Instant;
}

export interface Rail {
  readonly name: string;
  /** The mode of the books that the rail serves. */
  readonly mode: 'test' | 'live';
  /** Whether a second submission under one id gets the first one's answer. Without that promise nothing is resent. */
  readonly idempotent: boolean;
  /** How long after the first attempt the rail may still accept an instruction, in milliseconds. */
  readonly notFoundFinalAfterMs: number;
  /** The facts that each `paid` contains. A `paid` that lacks one of them settles nothing. */
  readonly confirms: Confirms;
  /**
   * Delays of the first, second, … inquiry after an unknown or pending answer. After the last the delay doubles, up to
   * a day.
   */
  readonly inquiryDelaysMs: readonly number[];
  /** The time limit of a call. Beyond it the call throws RailUnreachable. */
  readonly callTimeoutMs: number;
  /** The digest that the rail reports as the payee of an instruction with this alias. */
  payeeDigest(endToEndId: string, alias: string): string;
  /** Throws RailUnreachable when no answer came. */
  submit(instruction: Instruction): Promise<RailAnswer>;
  /** Throws RailUnreachable when no answer came. */
  inquire(originator: string, endToEndId: string): Promise<RailAnswer | RailNotFound>;
  /** The oldest unacknowledged notices; with `behind`, the oldest after that notice. */
  notices(limit: number, behind?: Uuid): Promise<RailNotice[]>;
  acknowledge(ids: readonly Uuid[]): Promise<void>;
}

/**
 * No answer came. The rail may or may not have carried out the call: the outcome is unknown until an inquiry settles
 * it.
 */
export class RailUnreachable extends Error {
  override name = 'RailUnreachable';
}
