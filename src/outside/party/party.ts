/**
 * An external party: a rail, an acquirer, a processor. The contract states what each call to it needs: how long the
 * call may take, whether it may be repeated, when to ask again, and when "not found" is final. A kind of party adds
 * calls of its own (rails/rail.ts). A party is called between two commits, never inside one, under an end-to-end id
 * that stays the same on every attempt (end-to-end-id.ts).
 * Next: ask-party.ts (outcomes of a call), inquiry.ts (when to ask again), evidence.ts (stored answers),
 * copy-notices.ts (notices that parties send), call-limits.ts (limits).
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { ReportedCredit } from '../credits/credit.ts';

export interface Party {
  readonly name: string;
  /** The mode of the books that the party serves. */
  readonly mode: 'test' | 'live';
  /** Whether a second submission under one id gets the first one's answer. Without that promise nothing is resent. */
  readonly idempotent: boolean;
  /** How long after the first attempt the party may still accept an instruction, in milliseconds. */
  readonly notFoundFinalAfterMs: number;
  /**
   * Delays of the first, second, … inquiry after an unknown or pending answer. After the last the delay doubles, up to
   * a day.
   */
  readonly inquiryDelaysMs: readonly number[];
  /** The time limit of a call. Beyond it the call throws PartyUnreachable. */
  readonly callTimeoutMs: number;
  /** Most concurrent calls to the party in one process. */
  readonly callsAtOnce: number;
}

/** What a party answers about one instruction. */
export interface PartyAnswer {
  readonly status: string;
  /** The id that the party reports about. An answer about another id is ignored. */
  readonly endToEndId: string;
  /** The answer as received, kept as evidence. Contains no personal name and no digest of one. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** The party does not know the id. Final only after its own time: a paused worker may still be about to submit it. */
export interface NotFound extends PartyAnswer {
  readonly status: 'not_found';
  /**
   * When the party looked, by its own clock; absent where it does not report it. Only the party's clock can show that
   * its time limit has passed, because the party enforces it and our clock may be ahead.
   */
  readonly asOf?: Instant;
}

/** The amount, currency and payee that a party reports. An absent field means that the party did not report it. */
export interface Confirmation {
  /** Minor units. */
  readonly amount?: bigint;
  readonly currency?: string;
  /** A digest of who was paid. Stored sealed only: a short alias can be guessed from its digest. */
  readonly payeeDigest?: string;
}

/** A report that a party sends unasked. */
export interface PartyNotice {
  /** The party's id of the notice. A second notice with the same id is a repetition. */
  readonly id: Uuid;
  /** The owner of the end-to-end id: the book. */
  readonly originator: string;
  readonly endToEndId: string;
  /** What is reported, as this kind of party names it. */
  readonly kind: string;
  /** The amount of a part, such as a return; null where the notice is about the whole. */
  readonly amount: bigint | null;
  readonly code: string | null;
  readonly reference: string;
  /** What the party reports to have moved. For a part: the whole original instruction. */
  readonly confirmed?: Confirmation;
  readonly createdAt: Instant;
  /** The party did not date the notice: `createdAt` is when it came. */
  readonly dated?: false;
  /** Money that arrived on an account of the operator's, of no instruction and no book: nothing else of the notice is read. */
  readonly credit?: ReportedCredit;
}

/** What is done with notices that are acknowledged. */
export interface Acknowledged {
  /** Nothing of their content is kept where they came in: it stands elsewhere, sealed. */
  readonly forget: boolean;
}

/** A party that sends notices. */
export interface NoticeSender {
  readonly name: string;
  readonly mode: Party['mode'];
  /** The oldest unacknowledged notices; with `behind`, the oldest after that notice. */
  notices(limit: number, behind?: Uuid): Promise<readonly PartyNotice[]>;
  acknowledge(ids: readonly Uuid[], how?: Acknowledged): Promise<void>;
}

/** No answer came. The party may or may not have carried out the call: the outcome is unknown until an inquiry. */
export class PartyUnreachable extends Error {
  override name = 'PartyUnreachable';
}
