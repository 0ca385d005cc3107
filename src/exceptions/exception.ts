/**
 * An exception: what the books cannot follow by themselves, put before people. One person explains it, or moves the money
 * that waits; another one approves.
 * Invariant: who approved is never who explained or moved. Only an operator who ends a payout by evidence, or books a line of a
 * report after all, ends an exception without a second person.
 * Next: exception-table.ts (its rows), open-exception.ts, handle-exception.ts, move-exception.ts.
 */

import type { Transitions } from '../ledger/rows/resource.ts';
import { type Actor, type ActorByKey, parseActor } from '../values/actor.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export type ExceptionStatus =
  /** Nobody looks at it yet. */
  | 'open'
  /** A person looks at it. */
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
  adjusted: ['approved'],
  approved: [],
};

export const EXCEPTION_STATUSES = Object.keys(EXCEPTION_TRANSITIONS) as readonly ExceptionStatus[];

export type ExceptionAction = 'assign' | 'explain' | 'move_to' | 'approve';

const ACTIONS: Readonly<Record<ExceptionStatus, readonly ExceptionAction[]>> = {
  open: ['assign'],
  assigned: ['assign', 'explain', 'move_to'],
  explained: ['assign', 'move_to', 'approve'],
  adjusted: ['approve'],
  approved: [],
};

/** Money that waits in an account of the book for a person to move it. */
export interface WaitingMoney {
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
}

/** What shows that it is settled. An explanation's text is the exception's `reason`. */
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
  /** The last explanation. Null where there is none, and once it is erased. */
  readonly reason: string | null;
  /** Hides the reason behind its reference (ledger/rows/personal-text.ts). Null until there is one. */
  readonly textSalt: Buffer | null;
  /** At most one of each type. */
  readonly evidence: readonly ExceptionEvidence[];
  readonly entryIds: readonly Uuid[];
  readonly waiting: WaitingMoney | null;
  /** The actor who explained it or moved its money last. */
  readonly handledBy: string | null;
  readonly approvedBy: string | null;
  /** `exception.opened` told of it. False in rows of release 0.2.0, and where no command opened it. */
  readonly announced: boolean;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly resolvedAt: Instant | null;
}

export function isEnded({ status }: Pick<Exception, 'status'>): boolean {
  return status === 'approved';
}

/** What a person may do. Money is moved only where some waits. */
export function allowedActions({ status, waiting }: Pick<Exception, 'status' | 'waiting'>): readonly ExceptionAction[] {
  return waiting === null ? ACTIONS[status].filter((action) => action !== 'move_to') : ACTIONS[status];
}

/** The evidence with a piece that takes the place of the one of its type. */
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
