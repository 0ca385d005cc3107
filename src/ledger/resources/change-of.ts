/**
 * The command of an action on one object. Every action has the same guards: the object exists, its version is the one
 * that the caller has seen, its status allows the action; then the decision. A refusal keeps nothing of the draft.
 */
import { ApiError } from '../../errors/errors.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { Answered, Command, Refusal, Touch } from '../command/command.ts';
import { Draft } from '../command/draft.ts';
import type { Resource, Versioned } from './resource.ts';

/** Who changes an object, and which version of it the caller has seen. */
export interface Change {
  readonly requestId: Uuid;
  /** Omitted when the product acts by itself. */
  readonly actor?: string;
  /** From If-Match, unless `ifMatchParam` names another parameter. Omitted: any version. */
  readonly ifMatch?: number;
}

export interface ChangeRequest extends Change {
  /** The object's id. */
  readonly id: Uuid;
  /** One of the resource's actions. The command is named after it: `payout.cancel`. */
  readonly action: string;
  /** Rows that the decision reads or changes beside the object's own. */
  readonly touches?: readonly Touch[];
  /** Where the request names the version, for the refusal. */
  readonly ifMatchParam?: string;
  /** Generated here, unless a value was already sealed for a known id. */
  readonly commandId?: Uuid;
}

export function changeOf<Row extends Versioned, Answer extends Answered>(
  resource: Resource<Row>,
  input: ChangeRequest,
  decide: (draft: Draft, row: Row) => Answer | Refusal,
): Command<Answer | Refusal> {
  const { requestId, actor, action } = input;
  const origin = { id: input.commandId ?? newId(), requestId, actor };
  return {
    id: origin.id,
    name: `${resource.name}.${action}`,
    requestId,
    actor,
    touches: [{ table: resource.table, ids: [input.id] }, ...(input.touches ?? [])],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const row = draft.get(resource.table, input.id);
      const answer = row === undefined ? NOT_FOUND : (refuseChange(draft, resource, row, input) ?? decide(draft, row));
      if (answer.refused) return new Draft(state, origin, moment).finish(answer);
      return draft.finish(answer);
    },
  };
}

const NOT_FOUND: Refusal = { refused: 'resource_not_found', param: 'id' };

/** The guards before the decision. Undefined if the action is allowed. Throws ApiError where the obstacle ends by itself. */
export function refuseChange<Row extends Versioned>(
  draft: Draft,
  resource: Resource<Row>,
  row: Row,
  { ifMatch, ifMatchParam = 'If-Match', action }: ChangeRequest,
): Refusal | undefined {
  if (resource.isGone?.(row)) return NOT_FOUND;
  if (ifMatch !== undefined && ifMatch !== row.version) return versionMismatch(resource, row, ifMatchParam);
  if (resource.unlistedActions?.includes(action)) return undefined;
  if (actionsOf(draft, resource, row).includes(action)) return undefined;
  const conflict = stateConflict(draft, resource, row, action);
  if (resource.passes?.(row, action)) throw unkept(conflict);
  return conflict;
}

/** A refusal that is not kept under the idempotency key, since the same request may succeed in a moment. */
export function unkept({ refused, param, detail, facts }: Refusal): ApiError {
  return new ApiError(refused, { param, detail, facts, retryable: true, headers: { 'Retry-After': '1' } });
}

function versionMismatch<Row extends Versioned>(resource: Resource<Row>, { version }: Row, param: string): Refusal {
  return {
    refused: 'version_mismatch',
    param,
    detail: `The ${nounOf(resource)} is at version ${version}.`,
    facts: { version },
  };
}

/** The refusal of an action that the object does not allow now. Decisions may return it as well. */
export function stateConflict<Row extends Versioned>(
  draft: Draft,
  resource: Resource<Row>,
  row: Row,
  action: string,
): Refusal {
  const status = resource.statusOf?.(row, draft) ?? row.status;
  return {
    refused: 'state_conflict',
    detail: resource.whyNot?.(row, action) ?? `The ${nounOf(resource)} is ${status}.`,
    facts: { current_status: status, allowed_actions: actionsOf(draft, resource, row) },
  };
}

function actionsOf<Row extends Versioned>(draft: Draft, resource: Resource<Row>, row: Row): readonly string[] {
  return resource.allowedActions?.(row, draft) ?? [];
}

function nounOf({ noun, name }: { readonly noun?: string; readonly name: string }): string {
  return noun ?? name.replaceAll('_', ' ');
}
