/**
 * Everything that changes a webhook endpoint, as commands. Each is decided over the row as the commit finds it; a refusal
 * is an answer. `commandId` on the row tells a try after a lost answer that it has been here before.
 */
import type { Instant } from '../clock.ts';
import { newId, publicId, type Uuid } from '../ids.ts';
import type { Command, Refusal } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import {
  changedEndpoint,
  type DisabledReason,
  ENDPOINTS_PER_BOOK_MAX,
  endpointActions,
  endpointView,
  TEST_EVENT,
  type WebhookEndpoint,
} from './endpoint.ts';
import { endpointTallies, TALLY_ID, webhookEndpoints } from './endpoint-store.ts';
import { refuseUrl } from './endpoint-url.ts';
import type { AllowList } from './public-address.ts';

export type EndpointAnswer = WebhookEndpoint | Refusal;

export interface CreateEndpoint {
  /** Minted by the caller, so that its answer can be asked for. */
  endpointId: Uuid;
  requestId: Uuid;
  url: string;
  events: readonly string[];
  description: string | null;
  metadata: Record<string, string>;
  secretSealed: Buffer;
  allow: AllowList;
}

/** Refuses `webhook_url_forbidden` and `limit_exceeded`. What is no URL at all is refused before it comes here. */
export function createEndpoint(input: CreateEndpoint): Command<EndpointAnswer> {
  const commandId = newId();
  return {
    id: commandId,
    name: 'webhook_endpoint.create',
    requestId: input.requestId,
    touches: [
      { table: webhookEndpoints, ids: [input.endpointId] },
      { table: endpointTallies, ids: [TALLY_ID] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, { id: commandId, requestId: input.requestId, moment });
      const known = draft.get(webhookEndpoints, input.endpointId);
      if (known) return draft.finish(known);
      const refusal = refuseUrl(input.url, { mode: draft.book.mode, allow: input.allow });
      if (refusal) return draft.finish(refusal);
      const { count } = draft.get(endpointTallies, TALLY_ID)!;
      if (count >= ENDPOINTS_PER_BOOK_MAX) return draft.finish(tooMany());
      const endpoint: WebhookEndpoint = {
        id: input.endpointId,
        url: input.url,
        description: input.description,
        events: [...new Set(input.events)],
        status: 'enabled',
        disabledReason: null,
        secretSealed: input.secretSealed,
        previousSecretSealed: null,
        previousSecretUntil: null,
        failingSince: null,
        metadata: input.metadata,
        commandId,
        version: 1,
        createdAt: moment,
        updatedAt: moment,
      };
      draft.put(webhookEndpoints, endpoint.id, endpoint);
      draft.put(endpointTallies, TALLY_ID, { count: count + 1 });
      return draft.finish(endpoint);
    },
  };
}

/** What every change names: the endpoint, the request, and the version the caller has seen (If-Match), if it says so. */
export interface EndpointChange {
  endpointId: Uuid;
  requestId: Uuid;
  ifVersion?: number;
}

export interface UpdateEndpoint extends EndpointChange {
  /** Left out: stays as it is. */
  url?: string;
  events?: readonly string[];
  description?: string | null;
  /** Takes the place of all that was there. */
  metadata?: Record<string, string>;
  allow: AllowList;
}

/** Another URL begins anew: what failed at the old one is forgotten. */
export function updateEndpoint(input: UpdateEndpoint): Command<EndpointAnswer> {
  return changeEndpoint('update', input, ({ draft, endpoint, change }) => {
    const refusal =
      input.url === undefined ? undefined : refuseUrl(input.url, { mode: draft.book.mode, allow: input.allow });
    if (refusal) return refusal;
    const moved = input.url !== undefined && input.url !== endpoint.url;
    return change({
      url: input.url ?? endpoint.url,
      failingSince: moved ? null : endpoint.failingSince,
      events: input.events === undefined ? endpoint.events : [...new Set(input.events)],
      description: input.description === undefined ? endpoint.description : input.description,
      metadata: input.metadata ?? endpoint.metadata,
    });
  });
}

export function enableEndpoint(input: EndpointChange): Command<EndpointAnswer> {
  return changeEndpoint('enable', input, ({ change }) =>
    change({ status: 'enabled', disabledReason: null, failingSince: null }),
  );
}

/** Its owner switches it off. Nothing is sent from now on; deliveries that fall due meanwhile are canceled. */
export function disableEndpoint(input: EndpointChange): Command<EndpointAnswer> {
  return changeEndpoint('disable', input, ({ draft, change }) => disabled(draft, change, 'requested'));
}

export interface DisableFailingEndpoint extends EndpointChange {
  reason: Exclude<DisabledReason, 'requested'>;
  /** The URL that failed: an endpoint that has moved on since is left alone. */
  failedUrl: string;
}

/** We switch it off: it said it is gone, or nothing has arrived for days. Not needed any more: nothing happens. */
export function disableFailingEndpoint(input: DisableFailingEndpoint): Command<EndpointAnswer> {
  return changeEndpoint('disable', input, ({ draft, endpoint, change }) =>
    endpoint.url === input.failedUrl ? disabled(draft, change, input.reason) : endpoint,
  );
}

/** Its secrets go with it; its row stays for the deliveries that refer to it. */
export function deleteEndpoint(input: EndpointChange): Command<EndpointAnswer> {
  return changeEndpoint('delete', input, ({ change }) =>
    change({ status: 'deleted', secretSealed: null, previousSecretSealed: null, previousSecretUntil: null }),
  );
}

export interface RotateSecret extends EndpointChange {
  secretSealed: Buffer;
  /** By the wall clock, as everything about delivering: the secret before signs beside the new one until then. */
  previousSecretUntil: Instant;
}

/** A second rotation within the overlap drops the oldest of the three secrets: two sign at most. */
export function rotateSecret(input: RotateSecret): Command<EndpointAnswer> {
  return changeEndpoint('rotate_secret', input, ({ draft, endpoint, change }) => {
    const rotated = change({
      secretSealed: input.secretSealed,
      previousSecretSealed: endpoint.secretSealed,
      previousSecretUntil: input.previousSecretUntil,
    });
    announce(draft, 'webhook_endpoint.secret_rotated', rotated);
    return rotated;
  });
}

/** Sends `webhook.test` to this endpoint and to no other, whatever its filter. */
export function sendTestEvent(input: EndpointChange): Command<EndpointAnswer> {
  return changeEndpoint('send_test_event', input, ({ draft, endpoint, commandId }) => {
    // Neither a new version nor a new time: it did not change. But a repeated command must know that it was here.
    const touched = { ...endpoint, commandId };
    draft.put(webhookEndpoints, touched.id, touched);
    announce(draft, TEST_EVENT, touched);
    return touched;
  });
}

interface Change {
  draft: Draft;
  endpoint: WebhookEndpoint;
  commandId: Uuid;
  /** Puts the endpoint one step on. */
  change: (to: Partial<WebhookEndpoint>) => WebhookEndpoint;
}

/** The ladder that every change climbs: known already, not there, another version, not allowed now; then the change. */
function changeEndpoint(
  action: string,
  input: EndpointChange,
  decide: (change: Change) => EndpointAnswer,
): Command<EndpointAnswer> {
  const commandId = newId();
  return {
    id: commandId,
    name: `webhook_endpoint.${action}`,
    requestId: input.requestId,
    touches: [{ table: webhookEndpoints, ids: [input.endpointId] }],
    decide(state, moment) {
      const draft = new Draft(state, { id: commandId, requestId: input.requestId, moment });
      const endpoint = draft.get(webhookEndpoints, input.endpointId);
      if (endpoint?.commandId === commandId) return draft.finish(endpoint);
      if (!endpoint || endpoint.status === 'deleted') return draft.finish(notFound(input.endpointId));
      if (input.ifVersion !== undefined && input.ifVersion !== endpoint.version)
        return draft.finish(otherVersion(endpoint));
      if (!endpointActions(endpoint).includes(action)) return draft.finish(notNow(endpoint, action));
      const change = (to: Partial<WebhookEndpoint>) => {
        const changed = changedEndpoint(endpoint, to, { commandId, moment });
        draft.put(webhookEndpoints, changed.id, changed);
        return changed;
      };
      return draft.finish(decide({ draft, endpoint, commandId, change }));
    },
  };
}

function disabled(draft: Draft, change: Change['change'], reason: DisabledReason): WebhookEndpoint {
  const endpoint = change({ status: 'disabled', disabledReason: reason });
  announce(draft, 'webhook_endpoint.disabled', endpoint, { status: 'enabled' });
  return endpoint;
}

function announce(
  draft: Draft,
  type: string,
  endpoint: WebhookEndpoint,
  previousAttributes?: Record<string, unknown>,
): void {
  draft.emit({
    type,
    objectId: endpoint.id,
    objectSequence: endpoint.version,
    object: endpointView(endpoint, { livemode: draft.livemode }),
    previousAttributes,
  });
}

function notFound(id: Uuid): Refusal {
  return {
    refused: 'resource_not_found',
    detail: `There is no webhook endpoint ${publicId('webhookEndpoint', id)} in this book.`,
  };
}

function otherVersion({ version }: WebhookEndpoint): Refusal {
  return { refused: 'version_mismatch', param: 'If-Match', facts: { current_version: version } };
}

function notNow(endpoint: WebhookEndpoint, action: string): Refusal {
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
