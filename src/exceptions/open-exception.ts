/** Opens an exception: a row, and an event. For commands of any group; the command declares the id, or mints it. */

import type { Command } from '../ledger/command/command.ts';
import { Draft } from '../ledger/command/draft.ts';
import { begin } from '../ledger/resources/resource.ts';
import { newId, type ResourceName, type Uuid } from '../values/ids.ts';
import type { ProposedMatch, WaitingMoney } from './exception.ts';
import type { ExceptionKind } from './exception-kind.ts';
import { exceptionResource } from './exception-resource.ts';
import { exceptions } from './exception-table.ts';

export interface OpenException {
  readonly id: Uuid;
  readonly kind: ExceptionKind;
  /** A notice that cannot be booked is no object of the API, and no line of a clearing file, no file and no credit of a bank is. */
  readonly resource:
    | ResourceName
    | 'rail_notice'
    | 'clearing_line'
    | 'bank_file'
    | 'inbound_credit'
    | 'given_credit'
    | 'opening_file'
    | 'write_off';
  readonly resourceId: Uuid;
  /** In words, without personal text. */
  readonly detail: string;
  /** Money that a person may move to another account. */
  readonly waiting?: WaitingMoney | undefined;
  readonly proposals?: readonly ProposedMatch[];
}

export function openException(
  draft: Draft,
  { id, kind, resource, resourceId, detail, waiting, proposals }: OpenException,
): void {
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
    targetAccountId: null,
    targetBookId: null,
    proposals: proposals ?? [],
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

/** A command that only opens an exception, once: an existing one stays unchanged. For findings outside of a command. */
export function openOnce(exception: OpenException): Command<void> {
  const origin = { id: newId(), requestId: newId() };
  return {
    ...origin,
    name: 'exception.open',
    touches: [{ table: exceptions, ids: [exception.id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      if (draft.get(exceptions, exception.id) === undefined) openException(draft, exception);
      return draft.finish(undefined);
    },
  };
}
