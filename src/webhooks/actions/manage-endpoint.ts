/**
 * Everything that changes a webhook endpoint, as commands. Each is decided over the row as the commit finds it; a refusal
 * is an answer. Answers are what the API sends and what is stored under an idempotency key.
 */

import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedAs, storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { differenceFrom } from '../../ledger/events/previous-attributes.ts';
import { type Change, changeOf, stateConflict } from '../../ledger/resources/change-of.ts';
import { advance, announce } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { refuseUrl, requireUrl } from '../../outside/connections/endpoint-url.ts';
import { formatInstant, type Instant } from '../../values/clock.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import type { AllowList } from '../../values/public-address.ts';
import { hasFailedForDays } from '../deliveries/failing-streak.ts';
import {
  type DisabledReason,
  ENDPOINTS_PER_BOOK_MAX,
  type EndpointAction,
  PREVIOUS_SECRETS_MAX,
  TEST_EVENT,
  type WebhookEndpoint,
} from '../endpoints/endpoint.ts';
import { changeOfOptions, type EndpointOptions, NO_OPTIONS } from '../endpoints/endpoint-options.ts';
import { endpointResource } from '../endpoints/endpoint-resource.ts';
import {
  concealedAnswer,
  earlierSecretPlace,
  type NewSecret,
  previousSecretPlace,
  sealNewSecret,
  secretPlace,
} from '../endpoints/endpoint-secret.ts';
import { endpointTallies, getEndpoint, TALLY_ID } from '../endpoints/endpoint-store.ts';
import { webhookEndpoints } from '../endpoints/endpoint-table.ts';
import { recoverDisabled } from '../replays/ask-replay.ts';

export interface CreateEndpoint extends NewSecret, EndpointOptions {
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
 * `limit_exceeded`. Throws `parameter_invalid` for text that is no URL: requireUrl refuses it before the book is read.
 */
export function createEndpoint(input: CreateEndpoint): Command<Stored | Refusal> {
  const id = newId();
  const endpointId = newId();
  const textSalt = newSalt();
  const options = { ...NO_OPTIONS, ...changeOfOptions(input, { ...input, endpointId })(NO_OPTIONS) };
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
        earlierSecrets: [],
        ...options,
        disabledAt: null,
        failingSince: null,
        failedOtherAt: null,
        metadata: input.metadata,
        textSalt,
        version: 1,
        createdAt: moment.book,
        updatedAt: moment.book,
      };
      draft.put(webhookEndpoints, endpoint.id, endpoint);
      draft.put(endpointTallies, TALLY_ID, { count: count + 1 });
      const body = concealedAnswer(endpoint, draft, answerSealed);
      return draft.finish(storedAs(endpointResource, endpoint, { status: 201, body }));
    },
  };
}

export interface EndpointChange extends Change {
  readonly endpointId: Uuid;
}

export interface UpdateEndpoint extends EndpointChange {
  /** Made by changeOfOptions. */
  changeOptions?: (before: WebhookEndpoint) => Partial<WebhookEndpoint>;
  /** Omitted: unchanged. */
  url?: string;
  events?: readonly string[];
  description?: string | null;
  /** Replaces all metadata. */
  metadata?: Record<string, string>;
  allow: AllowList;
  ports?: readonly number[];
}

/**
 * Another URL begins anew: failures of the old one are forgotten. The current URL may stay, whatever is allowed by now.
 * A request that changes nothing writes nothing.
 */
export function updateEndpoint(input: UpdateEndpoint): Command<Stored | Refusal> {
  return changeEndpoint('update', input, (draft, endpoint) => {
    const url = input.url ?? endpoint.url;
    const refusal = url === endpoint.url ? undefined : refuseUrl(url, { ...input, mode: draft.book.mode });
    if (refusal) return refusal;
    const change = differenceFrom(endpoint, {
      url,
      failingSince: url === endpoint.url ? endpoint.failingSince : null,
      events: input.events === undefined ? endpoint.events : [...new Set(input.events)],
      description: input.description === undefined ? endpoint.description : input.description,
      metadata: input.metadata ?? endpoint.metadata,
      ...input.changeOptions?.(endpoint),
    });
    return storedView(draft, endpointResource, change ? advance(draft, endpointResource, endpoint, change) : endpoint);
  });
}

/** With `recover`, what it missed is delivered: see recoverDisabled. */
export function enableEndpoint(input: EndpointChange & { recover?: boolean }): Command<Stored | Refusal> {
  return changeEndpoint('enable', input, (draft, endpoint) => {
    const change = { status: 'enabled', disabledReason: null, failingSince: null, disabledAt: null } as const;
    const enabled = advance(draft, endpointResource, endpoint, change);
    if (input.recover) recoverDisabled(draft, { before: endpoint, enabled, requestId: input.requestId });
    return storedView(draft, endpointResource, enabled);
  });
}

/** The owner disables the endpoint. Nothing more is sent, and deliveries that fall due meanwhile are canceled. */
export function disableEndpoint(input: EndpointChange): Command<Stored | Refusal> {
  return changeEndpoint('disable', input, (draft, endpoint) => switchOff(draft, endpoint, 'requested'));
}

export interface DisableFailingEndpoint extends EndpointChange {
  reason: Exclude<DisabledReason, 'requested'>;
  /** The URL that failed. An endpoint that has another URL by now stays enabled. */
  failedUrl: string;
  /** When the attempt began that failed. It is recorded before this command. */
  failedAt: Instant;
  /** The attempts of a delivery have ended, which disables an ordered endpoint: it would skip that delivery. */
  exhausted?: boolean;
}

/** Disables an endpoint that answered 410 Gone, whose streak of failures has lasted for days, or that is ordered and did not
 * take a delivery. Refuses `state_conflict` otherwise. */
export function disableFailingEndpoint(input: DisableFailingEndpoint): Command<Stored | Refusal> {
  return changeEndpoint('disable', input, (draft, endpoint) => {
    const skips = input.exhausted === true && endpoint.ordered;
    const applies = input.reason === 'gone' || skips || hasFailedForDays(endpoint, input.failedAt);
    return applies && endpoint.url === input.failedUrl
      ? switchOff(draft, endpoint, input.reason)
      : stateConflict(draft, endpointResource, endpoint, 'disable');
  });
}

/** Deletes the endpoint's secrets too. Its row stays, because deliveries refer to it. */
export function deleteEndpoint(input: EndpointChange): Command<Stored | Refusal> {
  return changeEndpoint('delete', input, (draft, endpoint) => {
    const deleted = advance(draft, endpointResource, endpoint, {
      status: 'deleted',
      secretSealed: null,
      previousSecretSealed: null,
      previousSecretUntil: null,
      earlierSecrets: [],
      headers: null,
      headersSealed: null,
      signingKeySealed: null,
      publicKey: null,
    });
    const view = {
      id: publicId('webhookEndpoint', endpoint.id),
      object: 'webhook_endpoint',
      livemode: draft.livemode,
      deleted: true,
    };
    return storedAs(endpointResource, deleted, { status: 200, body: writeJson(view) });
  });
}

export interface RotateSecret extends EndpointChange, NewSecret {
  /** Wall-clock time, like all times of deliveries. Until then the previous secret signs beside the new one. */
  previousSecretUntil: Instant;
}

/**
 * The answer carries the new secret sealed: send it through revealedAnswer. The secret before it signs until
 * `previousSecretUntil`, and each earlier one until its own end, which an answer has promised. Refuses `state_conflict`
 * where more than PREVIOUS_SECRETS_MAX would sign beside the new one.
 */
export function rotateSecret(input: RotateSecret): Command<Stored | Refusal> {
  const { bookId, endpointId, secretBox } = input;
  const id = newId();
  const { secretSealed, answerSealed } = sealNewSecret(input, { commandId: id, endpointId });
  const toPrevious = secretBox.mover(secretPlace(bookId, endpointId), previousSecretPlace(bookId, endpointId));
  const toEarlier = secretBox.mover(previousSecretPlace(bookId, endpointId), earlierSecretPlace(bookId, endpointId));
  const rotate = (draft: Draft, endpoint: WebhookEndpoint) => {
    const { wall } = draft;
    const {
      secretSealed: current,
      previousSecretSealed: sealed,
      previousSecretUntil: until,
      earlierSecrets,
    } = endpoint;
    const previous = sealed && until !== null && until > wall ? [{ sealed: toEarlier(sealed), until }] : [];
    const earlier = [...previous, ...earlierSecrets.filter((secret) => secret.until > wall)];
    const ends = [
      ...(input.previousSecretUntil > wall ? [input.previousSecretUntil] : []),
      ...earlier.map((e) => e.until),
    ];
    if (ends.length > PREVIOUS_SECRETS_MAX) return tooManySecrets(draft, endpoint, ends);
    const change = {
      secretSealed,
      previousSecretSealed: current && toPrevious(current),
      previousSecretUntil: input.previousSecretUntil,
      earlierSecrets: earlier,
    };
    const rotated = advance(draft, endpointResource, endpoint, change, { event: 'webhook_endpoint.secret_rotated' });
    const body = concealedAnswer(rotated, draft, answerSealed);
    return storedAs(endpointResource, rotated, { status: 200, body });
  };
  return changeEndpoint('rotate_secret', input, rotate, id);
}

/** Sends `webhook.test` to this endpoint and to no other, whatever its filter. The answer is the event. */
export function sendTestEvent(input: EndpointChange): Command<Stored | Refusal> {
  return changeEndpoint('test', input, (draft, endpoint) => {
    const body = announce(draft, endpointResource, endpoint, { event: TEST_EVENT });
    return storedAs(endpointResource, endpoint, { status: 202, body });
  });
}

function changeEndpoint(
  action: EndpointAction,
  { endpointId: id, requestId, actor, ifMatch }: EndpointChange,
  decide: (draft: Draft, endpoint: WebhookEndpoint) => Stored | Refusal,
  commandId?: Uuid,
): Command<Stored | Refusal> {
  return changeOf(endpointResource, { id, action, requestId, actor, ifMatch, commandId }, decide);
}

function switchOff(draft: Draft, endpoint: WebhookEndpoint, reason: DisabledReason): Stored {
  const change = { status: 'disabled', disabledReason: reason, disabledAt: draft.moment.book } as const;
  const disabled = advance(draft, endpointResource, endpoint, change, { event: 'webhook_endpoint.disabled' });
  return storedView(draft, endpointResource, disabled);
}

/** The newest end is the requested one. */
function tooManySecrets(draft: Draft, endpoint: WebhookEndpoint, [, ...ends]: readonly Instant[]): Refusal {
  return {
    ...stateConflict(draft, endpointResource, endpoint, 'rotate_secret'),
    detail: `${PREVIOUS_SECRETS_MAX} earlier secrets still sign, the first of them until ${formatInstant(Math.min(...ends))}. Rotate after that, or with \`overlap_seconds\` 0.`,
  };
}

function tooMany(): Refusal {
  return {
    refused: 'limit_exceeded',
    detail: `A book has at most ${ENDPOINTS_PER_BOOK_MAX} webhook endpoints; delete one that is no longer needed.`,
    facts: { limit: ENDPOINTS_PER_BOOK_MAX },
  };
}

type EndpointUpdateRequest = Asked &
  Omit<UpdateEndpoint, 'changeOptions'> &
  EndpointOptions & { readonly secretBox: SecretBox };

/** Text that is no URL is a request error, which is not stored under a key. */
export const requestEndpointUpdate: UseCase<OnceRuntime & { pool: Pool }, EndpointUpdateRequest> = {
  async prepare({ pool }, input) {
    const { bookId, endpointId, url } = input;
    const endpoint = await getEndpoint(pool, bookId, endpointId);
    if (!endpoint) throw new ApiError('resource_not_found', { param: 'id' });
    // The one that it has may stay: an earlier version may have accepted it.
    if (url !== undefined && url !== endpoint.url) requireUrl(url);
    return { command: updateEndpoint({ ...input, changeOptions: changeOfOptions(input, input) }) };
  },
};
