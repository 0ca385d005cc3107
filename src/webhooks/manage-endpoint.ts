/**
 * Everything that changes a webhook endpoint, as commands. Each is decided over the row as the commit finds it; a refusal
 * is an answer. Answers are what the API sends and what is stored under an idempotency key.
 */
import type { Instant } from '../clock.ts';
import type { Stored } from '../idempotency/idempotency-key.ts';
import { newId, publicId, type Uuid } from '../ids.ts';
import { type WrittenJson, writeJson } from '../json.ts';
import type { Command, Refusal } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import { newSalt } from '../ledger/personal-text.ts';
import {
  changedEndpoint,
  type DisabledReason,
  ENDPOINTS_PER_BOOK_MAX,
  type EndpointAction,
  endpointActions,
  endpointView,
  TEST_EVENT,
  type WebhookEndpoint,
} from './endpoint.ts';
import { concealedAnswer, type NewSecret, previousSecretPlace, sealNewSecret, secretPlace } from './endpoint-secret.ts';
import { endpointTallies, TALLY_ID } from './endpoint-store.ts';
import { webhookEndpoints } from './endpoint-table.ts';
import { refuseUrl } from './endpoint-url.ts';
import type { AllowList } from './public-address.ts';

export interface CreateEndpoint extends NewSecret {
  requestId: Uuid;
  actor: string;
  url: string;
  /** At least one filter (event-filter.ts). */
  events: readonly string[];
  description: string | null;
  metadata: Record<string, string>;
  allow: AllowList;
  ports?: readonly number[];
}

/**
 * The answer carries the secret sealed: send it through revealedAnswer. Refuses `webhook_url_forbidden` and
 * `limit_exceeded`. What is no URL at all (`parameter_invalid`) is better refused with refuseUrl before it comes here.
 */
export function createEndpoint(input: CreateEndpoint): Command<Stored | Refusal> {
  const id = newId();
  const endpointId = newId();
  const textSalt = newSalt();
  const { secretSealed, answerSealed } = sealNewSecret(input, { commandId: id, endpointId });
  return {
    id,
    name: 'webhook_endpoint.create',
    requestId: input.requestId,
    actor: input.actor,
    touches: [{ table: endpointTallies, ids: [TALLY_ID] }],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: input.requestId, actor: input.actor }, moment);
      const refusal = refuseUrl(input.url, { ...input, mode: draft.book.mode });
      if (refusal) return draft.finish<Refusal>(refusal);
      const { count } = draft.get(endpointTallies, TALLY_ID)!;
      if (count >= ENDPOINTS_PER_BOOK_MAX) return draft.finish<Refusal>(tooMany());
      const endpoint: WebhookEndpoint = {
        id: endpointId,
        url: input.url,
        description: input.description,
        events: [...new Set(input.events)],
        status: 'enabled',
        disabledReason: null,
        secretSealed,
        previousSecretSealed: null,
        previousSecretUntil: null,
        failingSince: null,
        metadata: input.metadata,
        textSalt,
        version: 1,
        createdAt: moment,
        updatedAt: moment,
      };
      draft.put(webhookEndpoints, endpoint.id, endpoint);
      draft.put(endpointTallies, TALLY_ID, { count: count + 1 });
      return draft.finish(
        answer(endpoint, { status: 201, body: concealedAnswer(endpoint, draft.livemode, answerSealed) }),
      );
    },
  };
}

/** What every change names. */
export interface EndpointChange {
  endpointId: Uuid;
  requestId: Uuid;
  /** Left out where we act on our own. */
  actor?: string;
  /** The version that the caller has seen. */
  ifMatch?: number;
}

export interface UpdateEndpoint extends EndpointChange {
  /** Left out: stays as it is. */
  url?: string;
  events?: readonly string[];
  description?: string | null;
  /** Takes the place of all that was there. */
  metadata?: Record<string, string>;
  allow: AllowList;
  ports?: readonly number[];
}

/** Another URL begins anew: what failed at the old one is forgotten. The one that it has may stay, whatever is allowed by now. */
export function updateEndpoint(input: UpdateEndpoint): Command<Stored | Refusal> {
  return changeEndpoint('update', input, (draft, endpoint) => {
    const refusal =
      input.url === undefined || input.url === endpoint.url
        ? undefined
        : refuseUrl(input.url, { ...input, mode: draft.book.mode });
    if (refusal) return refusal;
    const url = input.url ?? endpoint.url;
    const updated = changed(draft, endpoint, {
      url,
      failingSince: url === endpoint.url ? endpoint.failingSince : null,
      events: input.events === undefined ? endpoint.events : [...new Set(input.events)],
      description: input.description === undefined ? endpoint.description : input.description,
      metadata: input.metadata ?? endpoint.metadata,
    });
    return shown(draft, updated);
  });
}

export function enableEndpoint(input: EndpointChange): Command<Stored | Refusal> {
  return changeEndpoint('enable', input, (draft, endpoint) =>
    shown(draft, changed(draft, endpoint, { status: 'enabled', disabledReason: null, failingSince: null })),
  );
}

/** Its owner switches it off. Nothing is sent from now on; deliveries that fall due meanwhile are canceled. */
export function disableEndpoint(input: EndpointChange): Command<Stored | Refusal> {
  return changeEndpoint('disable', input, (draft, endpoint) => switchOff(draft, endpoint, 'requested'));
}

export interface DisableFailingEndpoint extends EndpointChange {
  reason: Exclude<DisabledReason, 'requested'>;
  /** The URL that failed: an endpoint that has moved on since is left alone. */
  failedUrl: string;
}

/** We switch it off: it said it is gone, or nothing has arrived for days. */
export function disableFailingEndpoint(input: DisableFailingEndpoint): Command<Stored | Refusal> {
  return changeEndpoint('disable', input, (draft, endpoint) =>
    endpoint.url === input.failedUrl ? switchOff(draft, endpoint, input.reason) : notNow(endpoint, 'disable'),
  );
}

/** Its secrets go with it; its row stays for the deliveries that refer to it. */
export function deleteEndpoint(input: EndpointChange): Command<Stored | Refusal> {
  return changeEndpoint('delete', input, (draft, endpoint) => {
    changed(draft, endpoint, {
      status: 'deleted',
      secretSealed: null,
      previousSecretSealed: null,
      previousSecretUntil: null,
    });
    const view = {
      id: publicId('webhookEndpoint', endpoint.id),
      object: 'webhook_endpoint',
      livemode: draft.livemode,
      deleted: true,
    };
    return answer(endpoint, { status: 200, body: writeJson(view) });
  });
}

export interface RotateSecret extends EndpointChange, NewSecret {
  /** By the wall clock, as everything about delivering: the secret before signs beside the new one until then. */
  previousSecretUntil: Instant;
}

/**
 * The answer carries the new secret sealed: send it through revealedAnswer. A second rotation within the overlap drops
 * the oldest of the three: two sign at most.
 */
export function rotateSecret(input: RotateSecret): Command<Stored | Refusal> {
  const { bookId, endpointId, secretBox } = input;
  const id = newId();
  const { secretSealed, answerSealed } = sealNewSecret(input, { commandId: id, endpointId });
  const toPrevious = secretBox.mover(secretPlace(bookId, endpointId), previousSecretPlace(bookId, endpointId));
  const rotate = (draft: Draft, endpoint: WebhookEndpoint) => {
    const rotated = changed(draft, endpoint, {
      secretSealed,
      previousSecretSealed: endpoint.secretSealed && toPrevious(endpoint.secretSealed),
      previousSecretUntil: input.previousSecretUntil,
    });
    announce(draft, 'webhook_endpoint.secret_rotated', rotated);
    return answer(rotated, { status: 200, body: concealedAnswer(rotated, draft.livemode, answerSealed) });
  };
  return changeEndpoint('rotate_secret', input, rotate, id);
}

/** Sends `webhook.test` to this endpoint and to no other, whatever its filter. The answer is the event. */
export function sendTestEvent(input: EndpointChange): Command<Stored | Refusal> {
  return changeEndpoint('test', input, (draft, endpoint) =>
    answer(endpoint, { status: 202, body: announce(draft, TEST_EVENT, endpoint) }),
  );
}

/** The ladder that every change climbs: is it there, is it the version that was seen, is it allowed now; then the change. */
function changeEndpoint(
  action: EndpointAction,
  input: EndpointChange,
  change: (draft: Draft, endpoint: WebhookEndpoint) => Stored | Refusal,
  id = newId(),
): Command<Stored | Refusal> {
  const { requestId, actor, endpointId, ifMatch } = input;
  return {
    id,
    name: `webhook_endpoint.${action}`,
    requestId,
    actor,
    touches: [{ table: webhookEndpoints, ids: [endpointId] }],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId, actor }, moment);
      const endpoint = draft.get(webhookEndpoints, endpointId);
      if (!endpoint || endpoint.status === 'deleted') return draft.finish<Refusal>({ refused: 'resource_not_found' });
      if (ifMatch !== undefined && ifMatch !== endpoint.version) return draft.finish<Refusal>(otherVersion(endpoint));
      if (!endpointActions(endpoint).includes(action)) return draft.finish<Refusal>(notNow(endpoint, action));
      return draft.finish(change(draft, endpoint));
    },
  };
}

function changed(draft: Draft, endpoint: WebhookEndpoint, change: Partial<WebhookEndpoint>): WebhookEndpoint {
  const next = changedEndpoint(endpoint, change, draft.moment);
  draft.put(webhookEndpoints, next.id, next);
  return next;
}

function switchOff(draft: Draft, endpoint: WebhookEndpoint, reason: DisabledReason): Stored {
  const disabled = changed(draft, endpoint, { status: 'disabled', disabledReason: reason });
  announce(draft, 'webhook_endpoint.disabled', disabled, { status: endpoint.status });
  return shown(draft, disabled);
}

function announce(
  draft: Draft,
  type: string,
  endpoint: WebhookEndpoint,
  previousAttributes?: Record<string, unknown>,
): WrittenJson {
  return draft.emitShown({
    type,
    objectId: endpoint.id,
    objectSequence: endpoint.version,
    object: endpointView(endpoint, draft.livemode),
    previousAttributes,
  });
}

function shown(draft: Draft, endpoint: WebhookEndpoint): Stored {
  return answer(endpoint, { status: 200, body: writeJson(endpointView(endpoint, draft.livemode)) });
}

function answer(endpoint: WebhookEndpoint, { status, body }: { status: number; body: WrittenJson }): Stored {
  return { status, body, resource: 'webhook_endpoint', resourceId: endpoint.id };
}

function otherVersion({ version }: WebhookEndpoint): Refusal {
  return {
    refused: 'version_mismatch',
    param: 'If-Match',
    detail: `The endpoint is at version ${version}.`,
    facts: { version },
  };
}

function notNow(endpoint: WebhookEndpoint, action: EndpointAction): Refusal {
  return {
    refused: 'state_conflict',
    detail: `An endpoint that is ${endpoint.status} does not allow ${action}.`,
    facts: { current_status: endpoint.status, allowed_actions: endpointActions(endpoint) },
  };
}

function tooMany(): Refusal {
  return {
    refused: 'limit_exceeded',
    detail: `A book has at most ${ENDPOINTS_PER_BOOK_MAX} webhook endpoints; delete one that is no longer needed.`,
    facts: { limit: ENDPOINTS_PER_BOOK_MAX },
  };
}
