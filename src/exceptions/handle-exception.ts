/** People's actions on an exception: one is assigned, explains it, another approves. move-exception.ts moves the money. */
import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import { type ApprovalFollow, type Followed, followedBy } from '../group/approval-follow.ts';
import type { Stored } from '../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import { storedView } from '../idempotency/stored-view.ts';
import type { Asked, Prepared, UseCase } from '../idempotency/use-case.ts';
import { posted } from '../ledger/account/account.ts';
import { accounts } from '../ledger/account/account-table.ts';
import type { Command, Refusal } from '../ledger/command/command.ts';
import type { Draft } from '../ledger/command/draft.ts';
import { StaleRead } from '../ledger/commit/stale-read.ts';
import type { Entry } from '../ledger/entry/entry.ts';
import type { ShownMembers } from '../ledger/events/event-form.ts';
import { type Change, changeOf } from '../ledger/resources/change-of.ts';
import { advance, shownBy } from '../ledger/resources/resource.ts';
import { newSalt } from '../ledger/rows/personal-text.ts';
import type { Principal } from '../organisations/authenticate.ts';
import { findPersonOf } from '../organisations/person-store.ts';
import type { Uuid } from '../values/ids.ts';
import { allocateApproved, creditTouches, requireUnmatched } from './approved-credit.ts';
import {
  allowedActions,
  type Exception,
  type ExceptionEvidence,
  isEnded,
  isSameActor,
  type WaitingMoney,
  withEvidence,
} from './exception.ts';
import { exceptionResource } from './exception-resource.ts';
import { exceptions } from './exception-table.ts';
import { bookTarget, type Target, targetOf, targetTouches } from './target-account.ts';

export interface HandleException extends Change {
  readonly exceptionId: Uuid;
  readonly actor: string;
}

/** Assigns it to a person. An explanation that does not convince is sent back in this way. */
export function assignException(input: HandleException & { readonly personId: Uuid }): Command<Stored | Refusal> {
  return changeOf(exceptionResource, { ...input, id: input.exceptionId, action: 'assign' }, (draft, exception) => {
    const { status, assigneeId } = exception;
    if (status === 'assigned' && assigneeId === input.personId) return storedView(draft, exceptionResource, exception);
    const change = { status: 'assigned', assigneeId: input.personId } as const;
    const assigned = advance(draft, exceptionResource, exception, change, { event: 'exception.updated' });
    return storedView(draft, exceptionResource, assigned);
  });
}

export function explainException(input: HandleException & { readonly reason: string }): Command<Stored | Refusal> {
  const { actor, reason } = input;
  const salt = newSalt();
  return changeOf(exceptionResource, { ...input, id: input.exceptionId, action: 'explain' }, (draft, exception) => {
    const piece: ExceptionEvidence = { type: 'explanation', sha256: null, actor, at: draft.moment.book };
    const explained = advance(
      draft,
      exceptionResource,
      exception,
      {
        status: 'explained',
        reason,
        textSalt: exception.textSalt ?? salt,
        evidence: withEvidence(exception.evidence, piece),
        targetAccountId: null,
        targetBookId: null,
        handledBy: actor,
      },
      { event: 'exception.updated' },
    );
    return storedView(draft, exceptionResource, explained);
  });
}

export interface ApproveException extends HandleException {
  /** As it was read: where its money waits never changes. */
  readonly waiting: WaitingMoney | null;
  /** Of money at the bank: where it is to go, as it was read. */
  readonly target?: Target | undefined;
  /** What it is about never changes. */
  readonly about?: Pick<Exception, 'resource' | 'resourceId'>;
  /** What begins with it. */
  readonly followed?: readonly Followed[];
}

/**
 * Ends it. Refused to the actor who explained it or moved its money, and while money waits in a closed account: nobody
 * would see it again.
 */
export function approveException(input: ApproveException): Command<Stored | Refusal> {
  const { actor, waiting, target, about, followed = [] } = input;
  const touches = [
    ...(waiting?.accountId ? [{ table: accounts, ids: [waiting.accountId] }] : []),
    ...(target ? targetTouches(target) : []),
    ...(about ? creditTouches(about) : []),
    ...followed.flatMap((one) => one.touches),
  ];
  return changeOf(
    exceptionResource,
    { ...input, id: input.exceptionId, action: 'approve', ifMatchParam: '/version', touches },
    (draft, exception): Stored | Refusal => {
      const { handledBy, status } = exception;
      if (handledBy !== null && isSameActor(handledBy, actor))
        return {
          refused: 'self_approval_forbidden',
          detail: `Who ${status === 'adjusted' ? 'moved the money' : 'explained the exception'} does not approve it.`,
          facts: { current_status: status },
        };
      if (status === 'explained' && waiting !== null && isLeftWaiting(draft, waiting))
        return {
          refused: 'state_conflict',
          detail: 'Its money still waits in the closed account. Move it with move_to; another person then approves.',
          facts: {
            current_status: status,
            allowed_actions: allowedActions(exception).filter((action) => action !== 'approve'),
          },
        };
      const entries = bookApproved(draft, exception, target);
      if ('refused' in entries) return entries;
      const approved = approve(draft, exception, actor, { entries });
      for (const one of followed) one.begin(draft);
      return storedView(draft, exceptionResource, approved);
    },
  );
}

/** What was to go to an account. None where nothing is booked in this book. */
function bookApproved(draft: Draft, exception: Exception, target: Target | undefined): readonly Entry[] | Refusal {
  const { status, targetAccountId } = exception;
  if (status !== 'adjusted' || targetAccountId === null) return [];
  if (targetAccountId !== target?.accountId) throw new StaleRead('It is to go elsewhere by now.');
  if (allocateApproved(draft, exception)) return [];
  const booked = bookTarget(draft, exception);
  return 'refused' in booked ? booked : [booked];
}

function isLeftWaiting(draft: Draft, { accountId }: WaitingMoney): boolean {
  if (accountId === null) return false;
  const account = draft.account(accountId);
  return account.status === 'closed' && posted(account) > 0n;
}

/**
 * Ends an exception in one step, by an operator's booking on evidence. For the command that books it, which declares
 * the exception. One that has ended stays unchanged.
 */
export function resolveByOperator(
  draft: Draft,
  exception: Exception,
  by: {
    readonly actor: string;
    /** Where another person has decided what is booked. Left out: the same. */
    readonly handledBy?: string;
    readonly entryIds: readonly Uuid[];
    readonly evidenceSha256: Buffer;
  },
): void {
  if (isEnded(exception)) return;
  const { actor, handledBy = actor, entryIds, evidenceSha256 } = by;
  const sha256 = evidenceSha256.toString('hex');
  // The first of the two steps emits no event.
  const before = shownBy(draft, exceptionResource, exception);
  const adjusted = advance(draft, exceptionResource, exception, {
    status: 'adjusted',
    evidence: withEvidence(exception.evidence, { type: 'file', sha256, actor, at: draft.moment.book }),
    entryIds: [...exception.entryIds, ...entryIds],
    targetAccountId: null,
    targetBookId: null,
    handledBy,
  });
  approve(draft, adjusted, actor, { before });
}

/** Ends an exception that one person resolves without a booking: nothing is left for a second one to judge in this book. */
export function endWithoutBooking(
  draft: Draft,
  exception: Exception,
  by: { readonly actor: string; readonly approvedBy: string; readonly reason: string; readonly salt: Buffer },
): Exception {
  const before = shownBy(draft, exceptionResource, exception);
  const adjusted = advance(draft, exceptionResource, exception, {
    status: 'adjusted',
    reason: by.reason,
    textSalt: exception.textSalt ?? by.salt,
    targetAccountId: null,
    targetBookId: null,
    handledBy: by.actor,
  });
  return approve(draft, adjusted, by.approvedBy, { before });
}

function approve(
  draft: Draft,
  exception: Exception,
  actor: string,
  { before, entries }: { readonly before?: ShownMembers; readonly entries?: readonly Entry[] } = {},
): Exception {
  return advance(
    draft,
    exceptionResource,
    exception,
    { status: 'approved', approvedBy: actor, resolvedAt: draft.moment.book },
    { event: 'exception.resolved', before, entries },
  );
}

export type ExceptionRuntime = OnceRuntime & { pool: Pool };

interface ExceptionRequest extends Asked {
  readonly exceptionId: Uuid;
  readonly ifMatch?: number;
}

export async function findException(pool: Pool, { bookId, exceptionId }: ExceptionRequest): Promise<Exception> {
  const exception = await exceptions.find(pool, bookId, exceptionId);
  if (!exception) throw new ApiError('resource_not_found', { param: 'id' });
  return exception;
}

interface AssignRequest extends ExceptionRequest {
  readonly organisationId: Uuid;
  readonly personId: Uuid;
}

/** A person may leave after the assignment: a repeat of the request is answered from its key. */
export const requestAssign: UseCase<ExceptionRuntime, AssignRequest> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    await findException(pool, input);
    const person = await findPersonOf(pool, input.organisationId, input.personId);
    if (person?.kind !== 'person' || person.endedAt !== null)
      throw new ApiError('resource_not_found', {
        param: '/person',
        detail: 'There is no such person in this organisation, or the person has ended.',
      });
    return { command: assignException(input) };
  },
};

/**
 * What a request asks that only a person does: explain, move, approve. Four eyes are those of two people, and whose a
 * service's key is unknown.
 */
export interface PersonsRequest extends ExceptionRequest {
  readonly ownerKind: Principal['ownerKind'];
}

export function requirePerson({ ownerKind }: Pick<PersonsRequest, 'ownerKind'>): void {
  if (ownerKind === 'person') return;
  throw new ApiError('permission_denied', {
    detail: 'Only a person does this, and the key belongs to a service. Use a key that belongs to a person.',
  });
}

export const requestExplanation: UseCase<ExceptionRuntime, PersonsRequest & { readonly reason: string }> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    await findException(pool, input);
    requirePerson(input);
    return { command: explainException(input) };
  },
};

export type ApprovalRuntime = ExceptionRuntime & { readonly followsApproval: readonly ApprovalFollow[] };

interface ApproveRequest extends PersonsRequest {
  /** The version that the person has looked at. */
  readonly version: number;
}

export const requestApproval: UseCase<ApprovalRuntime, ApproveRequest> = {
  keyFirst: true,
  async prepare({ pool, followsApproval }, input): Promise<Prepared> {
    const exception = await findException(pool, input);
    const { version, waiting } = exception;
    requirePerson(input);
    const { ifMatch = input.version } = input;
    if (ifMatch !== input.version)
      throw new ApiError('version_mismatch', {
        param: '/version',
        detail: 'If-Match names another one.',
        facts: { version },
      });
    if (exception.status === 'adjusted') await requireUnmatched(pool, input.bookId, exception);
    const target = targetOf(input.bookId, exception);
    // Where its money goes by then is compared with what is read here.
    const followed = await followedBy(followsApproval, pool, { bookId: input.bookId, approved: [exception] });
    return { command: approveException({ ...input, waiting, target, about: exception, followed, ifMatch }) };
  },
};
