/**
 * An exception: a case that the books cannot resolve by themselves, put before people. One person explains it, or moves
 * the money that waits; another one approves. Invariant: who approved is never who explained or moved. Only an operator
 * who ends a payout by evidence, or books a line of a report after all, ends an exception without a second person.
 * Next: exception-table.ts (its rows), open-exception.ts, handle-exception.ts, move-exception.ts.
 */

import type { Transitions } from '../ledger/resources/resource.ts';
import { type Actor, type ActorByKey, parseActor } from '../values/actor.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export type ExceptionStatus =
  /** Nobody is assigned yet. */
  | 'open'
  /** A person works on it. */
  | 'assigned'
  /** Explained without an entry. A second person approves, or sends it back by assigning it. */
  | 'explained'
  /** Put right by an entry. A second person approves. */
  | 'adjusted'
  /** Final. */
  | 'approved';

/** `open → adjusted` is `npm run ops -- payouts resolve` and `npm run settle -- --again` alone, which also approve. */
export const EXCEPTION_TRANSITIONS: Transitions<ExceptionStatus> = {
  open: ['assigned', 'adjusted'],
  assigned: ['explained', 'adjusted'],
  explained: ['assigned', 'adjusted', 'approved'],
  // What is not posted yet may go elsewhere, or be explained.
  adjusted: ['explained', 'approved'],
  approved: [],
};

export const EXCEPTION_STATUSES = Object.keys(EXCEPTION_TRANSITIONS) as readonly ExceptionStatus[];

export type ExceptionAction = 'assign' | 'explain' | 'move_to' | 'allocate' | 'approve';

const ACTIONS: Readonly<Record<ExceptionStatus, readonly ExceptionAction[]>> = {
  open: ['assign', 'allocate'],
  assigned: ['assign', 'explain', 'move_to', 'allocate'],
  explained: ['assign', 'move_to', 'allocate', 'approve'],
  adjusted: ['explain', 'move_to', 'approve'],
  approved: [],
};

/** A credit of a bank that no book has: the operator's people may give it to one. */
const OF_A_CREDIT: Pick<Exception, 'kind' | 'resource'> = { kind: 'inbound_unallocated', resource: 'inbound_credit' };

/** Money that waits for a person to move it: in an account of the book, or at the bank and posted in none. */
export interface WaitingMoney {
  /** Null at the bank: what is moved is booked by the approval. */
  readonly accountId: Uuid | null;
  readonly amount: bigint;
  readonly currency: string;
}

/** What a line may be that no rule explains, for people. */
export interface ProposedMatch {
  readonly rule: string;
  readonly reason: string;
  /** Public ids. */
  readonly lines: readonly string[];
  readonly items: readonly string[];
  /** Lines less items: minor units as decimal text. */
  readonly difference: string;
}

/** The evidence of its resolution. An explanation's text is the exception's `reason`. */
export interface ExceptionEvidence {
  readonly type: 'explanation' | 'file';
  /** Of a file: its SHA-256 in hexadecimal digits. */
  readonly sha256: string | null;
  /** The actor as text: src/values/actor.ts. */
  readonly actor: string;
  readonly at: Instant;
}

export interface Exception {
  readonly id: Uuid;
  /** `paid_after_failed`, `failed_after_paid`, `return_exceeds_payout`, … */
  readonly kind: string;
  readonly resource: string;
  readonly resourceId: Uuid;
  /** What happened, without personal text. */
  readonly detail: string;
  readonly status: ExceptionStatus;
  readonly assigneeId: Uuid | null;
  /** The last explanation. Null without one, and once it is erased. */
  readonly reason: string | null;
  /** Hides the reason behind its reference (ledger/rows/personal-text.ts). Null until there is a reason. */
  readonly textSalt: Buffer | null;
  /** At most one of each type. */
  readonly evidence: readonly ExceptionEvidence[];
  readonly entryIds: readonly Uuid[];
  readonly waiting: WaitingMoney | null;
  /** Where a person wants money that waits at the bank: booked by the approval. */
  readonly targetAccountId: Uuid | null;
  /** The book of that account; null for the exception's own. */
  readonly targetBookId: Uuid | null;
  readonly proposals: readonly ProposedMatch[];
  /** The actor who explained it or moved its money last. */
  readonly handledBy: string | null;
  readonly approvedBy: string | null;
  /** `exception.opened` was emitted. False in rows from before there was this event, and where no command opened it. */
  readonly announced: boolean;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly resolvedAt: Instant | null;
}

export function isEnded({ status }: Pick<Exception, 'status'>): boolean {
  return status === 'approved';
}

export function isAtBank({ waiting }: Pick<Exception, 'waiting'>): boolean {
  return waiting !== null && waiting.accountId === null;
}

/** Whether its approval books what was waiting. A credit that was given to an account of a customer's book is booked in that book alone. */
export function booksTarget({ targetAccountId, resource }: Pick<Exception, 'targetAccountId' | 'resource'>): boolean {
  return targetAccountId !== null && resource !== OF_A_CREDIT.resource;
}

/**
 * A person's possible actions. Money is moved only where some waits; a posted entry is moved by no further step. Whether the book is the
 * operator's, `allocate` itself asks.
 */
export function allowedActions(
  exception: Pick<Exception, 'status' | 'waiting' | 'kind' | 'resource'>,
): readonly ExceptionAction[] {
  const { status, waiting, kind, resource } = exception;
  const isCredit = kind === OF_A_CREDIT.kind && resource === OF_A_CREDIT.resource;
  const isPosted = status === 'adjusted' && !isAtBank(exception);
  return ACTIONS[status].filter((action) => {
    if (action === 'allocate') return isCredit;
    // A credit stands in no account of the operator's book: it goes to a customer's by `allocate`, elsewhere by a match of its line.
    if (action === 'move_to') return waiting !== null && !isPosted && !isCredit;
    return action !== 'explain' || !isPosted;
  });
}

/** The evidence with a piece that replaces the one of its type. */
export function withEvidence(evidence: Exception['evidence'], piece: ExceptionEvidence): Exception['evidence'] {
  return [...evidence.filter(({ type }) => type !== piece.type), piece];
}

/** Whether two actors are the same person, whichever keys they used. */
export function isSameActor(one: string, other: string): boolean {
  return identityOf(parseActor(one)) === identityOf(parseActor(other));
}

function identityOf(actor: Actor | ActorByKey): string {
  switch (actor.type) {
    case 'operator':
      return `operator ${actor.name}`;
    case 'system':
      return `system ${actor.part}`;
    case 'api_key':
      return `key ${actor.keyId}`;
    default:
      return `${actor.type} ${actor.id}`;
  }
}
