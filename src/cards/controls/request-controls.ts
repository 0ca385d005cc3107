/** What a request about controls becomes: its subject is read, and which of its versions are in force. */
import { accountProfiles } from '../../accounts/account/account-profile-table.ts';
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { type ChangeRequest, changeOf } from '../../ledger/resources/change-of.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { cards } from '../card/card-table.ts';
import { requireContent } from './content-errors.ts';
import type { ControlsAction } from './controls.ts';
import type { ControlsContent } from './controls-content.ts';
import { controlsResource } from './controls-resource.ts';
import { type ControlsInForce, cardControls, controlsInForce, type StoredControls } from './controls-table.ts';
import { type ControlsSubject, controlsTouches, enforce, makeControls, retire } from './make-controls.ts';

interface Reads {
  readonly pool: Pool;
}

/** Whose controls are asked for. */
export type SubjectInput =
  | { readonly scope: 'card'; readonly cardId: Uuid; readonly param: string }
  | { readonly scope: 'account'; readonly accountId: Uuid; readonly param: string }
  | { readonly scope: 'program' };

export interface ControlsInput extends Asked {
  readonly subject: SubjectInput;
  readonly content: ControlsContent;
  /** Of the new version. */
  readonly status: 'draft' | 'shadow' | 'active';
}

export const requestControls: UseCase<Reads, ControlsInput> = {
  async prepare({ pool }, input) {
    requireContent(input.content);
    const subject = await readSubject(pool, input);
    const read = await controlsInForce.find(pool, input.bookId, subject.subjectId);
    return { command: controlsCommand(input, { subject, read }) };
  },
};

/** `read`: what was in force when the subject was read. */
export function controlsCommand(
  { content, status, requestId, actor }: Pick<ControlsInput, 'content' | 'status' | 'requestId' | 'actor'>,
  { subject, read }: { readonly subject: ControlsSubject; readonly read: ControlsInForce | undefined },
): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId, actor };
  const made = { id: newId(), content, requestId };
  return {
    ...origin,
    name: 'card_controls.create',
    touches: controlsTouches(subject.subjectId, read),
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const version = makeControls(draft, subject, made);
      // The newest version is older than none.
      const kept = status === 'draft' ? version : (enforce(draft, version, { status, read }) as StoredControls);
      return draft.finish<Stored>({ ...storedView(draft, controlsResource, kept), status: 201 });
    },
  };
}

/** Throws ApiError `resource_not_found`. Controls of a card belong to its line. */
export async function readSubject(
  pool: Pool,
  { bookId, subject }: Pick<ControlsInput, 'bookId' | 'subject'>,
): Promise<ControlsSubject> {
  switch (subject.scope) {
    case 'card': {
      const card = await cards.find(pool, bookId, subject.cardId);
      if (!card) throw new ApiError('resource_not_found', { param: subject.param });
      return { scope: 'card', subjectId: card.lineId, cardId: card.id, accountId: null };
    }
    case 'account': {
      const { accountId, param } = subject;
      if (!(await accountProfiles.find(pool, bookId, accountId))) throw new ApiError('resource_not_found', { param });
      return { scope: 'account', subjectId: accountId, cardId: null, accountId };
    }
    case 'program':
      return { scope: 'program', subjectId: bookId, cardId: null, accountId: null };
  }
}

export interface ControlsActionInput extends Asked {
  readonly controlsId: Uuid;
  readonly ifMatch?: number | undefined;
}

export const requestShadow = acting('shadow');
export const requestActivation = acting('activate');
export const requestRetirement = acting('retire');

function acting(action: ControlsAction): UseCase<Reads, ControlsActionInput> {
  return {
    async prepare({ pool }, input) {
      const version = await cardControls.find(pool, input.bookId, input.controlsId);
      if (!version) throw new ApiError('resource_not_found', { param: 'id' });
      const { subjectId } = version;
      const read = await controlsInForce.find(pool, input.bookId, subjectId);
      return { command: controlsActionCommand(action, input, { subjectId, read }) };
    },
  };
}

export function controlsActionCommand(
  action: ControlsAction,
  {
    controlsId,
    requestId,
    actor,
    ifMatch,
  }: Pick<ControlsActionInput, 'controlsId' | 'requestId' | 'actor' | 'ifMatch'>,
  { subjectId, read }: { readonly subjectId: Uuid; readonly read: ControlsInForce | undefined },
): Command<Stored | Refusal> {
  const touches = controlsTouches(subjectId, read);
  const request: ChangeRequest = { id: controlsId, action, requestId, actor, ifMatch, touches };
  return changeOf<StoredControls, Stored>(controlsResource, request, (draft, current) => {
    const decided =
      action === 'retire'
        ? retire(draft, current)
        : enforce(draft, current, { status: action === 'shadow' ? 'shadow' : 'active', read });
    return 'refused' in decided ? decided : storedView(draft, controlsResource, decided);
  });
}
