/** What people do with an exception: one takes it, explains it, another approves. move-exception.ts moves what waits. */
import type { Stored } from '../idempotency/idempotency-key.ts';
import { storedView } from '../idempotency/stored-view.ts';
import { posted } from '../ledger/account.ts';
import { accounts } from '../ledger/account-table.ts';
import { type Change, changeOf } from '../ledger/change-of.ts';
import type { Command, Refusal } from '../ledger/command.ts';
import type { Draft } from '../ledger/draft.ts';
import type { ShownMembers } from '../ledger/events/event-form.ts';
import { newSalt } from '../ledger/rows/personal-text.ts';
import { advance, shownBy } from '../ledger/rows/resource.ts';
import type { Uuid } from '../values/ids.ts';
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

export interface HandleException extends Change {
  readonly exceptionId: Uuid;
  readonly actor: string;
}

/** Gives it to a person. An explanation that does not convince is sent back in this way. */
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
}

/** Ends it. Refused to whoever explained it or moved its money, and while money waits in a closed account: nobody would see it again. */
export function approveException(input: ApproveException): Command<Stored | Refusal> {
  const { actor, waiting } = input;
  const touches = waiting === null ? [] : [{ table: accounts, ids: [waiting.accountId] }];
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
      return storedView(draft, exceptionResource, approve(draft, exception, actor));
    },
  );
}

function isLeftWaiting(draft: Draft, { accountId }: WaitingMoney): boolean {
  const account = draft.account(accountId);
  return account.status === 'closed' && posted(account) > 0n;
}

/**
 * Ends an exception by what an operator booked on evidence, in one step. For the command that books it, which declares the
 * exception. One that has ended stays as it is.
 */
export function settleByOperator(
  draft: Draft,
  exception: Exception,
  by: { readonly actor: string; readonly entryIds: readonly Uuid[]; readonly evidenceSha256: Buffer },
): void {
  if (isEnded(exception)) return;
  const { actor, entryIds, evidenceSha256 } = by;
  const sha256 = evidenceSha256.toString('hex');
  // Nobody is told of the first of the two steps alone.
  const before = shownBy(draft, exceptionResource, exception);
  const adjusted = advance(draft, exceptionResource, exception, {
    status: 'adjusted',
    evidence: withEvidence(exception.evidence, { type: 'file', sha256, actor, at: draft.moment.book }),
    entryIds: [...exception.entryIds, ...entryIds],
    handledBy: actor,
  });
  approve(draft, adjusted, actor, before);
}

function approve(draft: Draft, exception: Exception, actor: string, before?: ShownMembers): Exception {
  return advance(
    draft,
    exceptionResource,
    exception,
    { status: 'approved', approvedBy: actor, resolvedAt: draft.moment.book },
    { event: 'exception.resolved', before },
  );
}
