/**
 * Versions of a subject's controls within a command: a further one is made, one comes into force, one is retired. The row of what is in
 * force changes with them, so that an authorization reads one row a scope.
 */

import type { Refusal, Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { advance, begin } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import { type Controls, type ControlsEnforced, putInForce } from './controls.ts';
import type { ControlsContent } from './controls-content.ts';
import { controlsResource } from './controls-resource.ts';
import { type ControlsInForce, cardControls, controlsInForce, type StoredControls } from './controls-table.ts';

/** Whose controls they are. */
export type ControlsSubject = Pick<StoredControls, 'scope' | 'subjectId' | 'cardId' | 'accountId'>;

/** `known`: what was in force when the subject was read; undefined for one that had no controls. */
export function controlsTouches(subjectId: Uuid, known?: ControlsInForce): Touch[] {
  const inForce = [known?.active, known?.shadow].flatMap((version) => (version ? [version.id] : []));
  return [
    { table: controlsInForce, ids: [subjectId] },
    { table: cardControls, ids: inForce },
  ];
}

/** What is in force of a subject; of one that never had controls nothing is. */
function inForceOf(draft: Draft, { subjectId, scope }: Pick<StoredControls, 'subjectId' | 'scope'>): ControlsInForce {
  return draft.get(controlsInForce, subjectId) ?? { subjectId, scope, versions: 0, active: null, shadow: null };
}

export interface NewControls {
  readonly id: Uuid;
  readonly content: ControlsContent;
  readonly requestId: Uuid;
}

/** Puts a further version and announces it. The command declares `controlsTouches`. */
export function makeControls(draft: Draft, subject: ControlsSubject, made: NewControls): StoredControls {
  const known = inForceOf(draft, subject);
  const { book: now } = draft.moment;
  const version: StoredControls = {
    id: made.id,
    scope: subject.scope,
    subjectId: subject.subjectId,
    ordinal: known.versions + 1,
    status: 'draft',
    content: made.content,
    countedSince: null,
    cardId: subject.cardId,
    accountId: subject.accountId,
    requestId: made.requestId,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  begin(draft, controlsResource, version, 'card_controls.created');
  draft.put(controlsInForce, subject.subjectId, { ...known, versions: version.ordinal });
  return version;
}

const EVENTS = { shadow: 'card_controls.shadowed', active: 'card_controls.activated' } as const;

/**
 * Puts a version into force, and retires the one whose place it takes. Refuses `version_mismatch` for one that is older than the active one.
 * `read`: what was in force when the subject was read, whose rows the command touches. Throws StaleRead where that is overtaken.
 */
export function enforce(
  draft: Draft,
  version: StoredControls,
  { status, read }: { readonly status: 'shadow' | 'active'; readonly read: ControlsInForce | undefined },
): StoredControls | Refusal {
  const inForce = inForceOf(draft, version);
  const step = putInForce(version, status, { inForce, now: draft.moment.book });
  if (step === 'version_mismatch') return olderThanActive(version, inForce.active!);
  if (step.retires !== null) retire(draft, storedIn(draft, step.retires, read));
  const enforced = advance(draft, controlsResource, version, step.change, { event: EVENTS[status] });
  const left = inForceOf(draft, version);
  const inPlace = withPlace(draft, enforced, left);
  // The version that was tried out decides now.
  const shadow = left.shadow?.id === version.id ? null : left.shadow;
  draft.put(
    controlsInForce,
    version.subjectId,
    status === 'active' ? { ...left, active: inPlace, shadow } : { ...left, shadow: inPlace },
  );
  return enforced;
}

/** Its event is the newest of the book. A version that was tried out keeps the place that it has. */
function withPlace({ book }: Draft, enforced: StoredControls, { shadow }: ControlsInForce): ControlsEnforced {
  const { id, scope, subjectId, ordinal, status, content, countedSince } = enforced;
  const countedBehind = shadow?.id === id ? shadow.countedBehind : book.eventSequence;
  // Written out: the row has nothing else of a version, and a commit beside this one sees the row as it is read.
  return { id, scope, subjectId, ordinal, status, content, countedSince, countedBehind };
}

/** Ends a version, in whatever status it is. */
export function retire(draft: Draft, version: StoredControls): StoredControls {
  const inForce = inForceOf(draft, version);
  const isNot = (one: Controls | null) => (one?.id === version.id ? null : one);
  draft.put(controlsInForce, version.subjectId, {
    ...inForce,
    active: isNot(inForce.active),
    shadow: isNot(inForce.shadow),
  });
  return advance(draft, controlsResource, version, { status: 'retired' }, { event: 'card_controls.retired' });
}

/** Throws StaleRead for a version that came into force since its subject was read. */
function storedIn(draft: Draft, { id }: Controls, read: ControlsInForce | undefined): StoredControls {
  if (read?.active?.id !== id && read?.shadow?.id !== id)
    throw new StaleRead('The controls have changed meanwhile. Send the request again.');
  return draft.get(cardControls, id)!;
}

function olderThanActive({ ordinal, version }: StoredControls, active: Controls): Refusal {
  return {
    refused: 'version_mismatch',
    param: 'id',
    detail: `Version ${ordinal} is older than version ${active.ordinal}, which is active. Make a new version of it.`,
    facts: { version },
  };
}
