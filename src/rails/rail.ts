/**
 * The rail contract: a party (outside/party.ts) that carries payouts. How a payout is submitted and how a rail reports back.
 * Next: sandbox-rail.ts (the rail of test books), rails.ts (the rails of a process), failure-codes.ts (rejections).
 */

import type { NoticeKinds } from '../outside/notice.ts';
import {
  type Confirmation,
  type NotFound,
  type Party,
  type PartyAnswer,
  type PartyNotice,
  PartyUnreachable,
} from '../outside/party.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

/** The destination in clear, in the fields of its type. A rail refuses a type that it does not carry. */
export type InstructedDestination = InstructedCliq;

export interface InstructedCliq {
  readonly type: 'cliq';
  readonly alias: string;
  readonly provider: string | null;
}

export interface Instruction {
  /** The owner of the end-to-end id: the book. */
  readonly originator: string;
  readonly endToEndId: string;
  readonly destination: InstructedDestination;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /**
   * The rail rejects the instruction after this instant. That makes `not_found` final: an instruction that the rail
   * does not have by then will never be accepted.
   */
  readonly notAfter: Instant;
}

/** The facts that every `paid` report of a rail must contain. Other facts that it contains are compared too. */
export interface Confirms {
  readonly amount: boolean;
  readonly currency: boolean;
  readonly payee: boolean;
}

export interface RailAnswer extends PartyAnswer {
  readonly status: 'paid' | 'rejected' | 'pending';
  /** The rail's own reference of the payment. */
  readonly reference: string;
  /** The reason of a rejection: an ISO 20022 external status reason code, such as AC04. */
  readonly code?: string;
  readonly confirmed?: Confirmation;
}

/** A report that the rail sends unasked: a late confirmation, a rejection, a return. */
export interface RailNotice extends PartyNotice {
  readonly kind: 'paid' | 'rejected' | 'returned';
}

export const RAIL_NOTICE_KINDS = {
  paid: 'whole',
  rejected: 'whole',
  returned: 'part',
} as const satisfies NoticeKinds & Record<RailNotice['kind'], string>;

export interface Rail extends Party {
  /** Others need a payout to say that it is being submitted before they are called, and nothing writes that yet. */
  readonly idempotent: true;
  /** The facts that each `paid` contains. A `paid` that lacks one of them settles nothing. */
  readonly confirms: Confirms;
  /** The digest that the rail reports as the payee of an instruction: of what its destination names as such. */
  payeeDigest(endToEndId: string, payee: string): string;
  /** Throws RailUnreachable when no answer came. */
  submit(instruction: Instruction): Promise<RailAnswer>;
  /** Throws RailUnreachable when no answer came. */
  inquire(originator: string, endToEndId: string): Promise<RailAnswer | NotFound>;
  /** The oldest unacknowledged notices; with `behind`, the oldest after that notice. */
  notices(limit: number, behind?: Uuid): Promise<RailNotice[]>;
  acknowledge(ids: readonly Uuid[]): Promise<void>;
}

/** A rail gave no answer. */
export class RailUnreachable extends PartyUnreachable {
  override name = 'RailUnreachable';
}
