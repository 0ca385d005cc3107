/** Opens an exception: a row, and an event. For commands of any group; the command declares the id, or mints it. */
import type { ResourceName, Uuid } from '../ids.ts';
import type { Draft } from '../ledger/draft.ts';
import { begin } from '../ledger/resource.ts';
import type { WaitingMoney } from './exception.ts';
import { exceptionResource } from './exception-resource.ts';

export interface OpenException {
  readonly id: Uuid;
  readonly kind: string;
  readonly resource: ResourceName;
  readonly resourceId: Uuid;
  /** In words, without personal text. */
  readonly detail: string;
  /** What a person may move to another account. */
  readonly waiting?: WaitingMoney | undefined;
}

export function openException(draft: Draft, { id, kind, resource, resourceId, detail, waiting }: OpenException): void {
  const first = {
    id,
    kind,
    resource,
    resourceId,
    detail,
    status: 'open',
    assigneeId: null,
    reason: null,
    textSalt: null,
    evidence: [],
    entryIds: [],
    waiting: waiting ?? null,
    handledBy: null,
    approvedBy: null,
    announced: true,
    version: 1,
    createdAt: draft.moment.book,
    updatedAt: draft.moment.book,
    resolvedAt: null,
  } as const;
  begin(draft, exceptionResource, first, 'exception.opened');
}
