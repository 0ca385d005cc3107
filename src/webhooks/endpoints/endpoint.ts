/**
 * A webhook endpoint: a URL that receives events of its book, a filter over event types, and the secret that signs
 * them. Invariant: exactly the `enabled` endpoints get a delivery of each event that their filter matches, in the
 * event's own commit. The secret is shown by the answers that create and rotate it, and by their repeats. Next:
 * manage-endpoint.ts (its commands), endpoint-store.ts (its rows), delivery.ts (what it gets).
 */

import type { Subscriber } from '../../ledger/events/event.ts';
import type { Transitions } from '../../ledger/resources/resource.ts';
import { personal, type TextOwner } from '../../ledger/rows/personal-text.ts';
import { formatInstant, formatInstantOrNull, type Instant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { compileEventFilters } from '../events/event-filter.ts';

export type EndpointStatus =
  /** Gets events. The first status, and again when its owner enables it. */
  | 'enabled'
  /** Gets none: disabled by its owner or by us (DisabledReason). Deliveries that fall due meanwhile are canceled. */
  | 'disabled'
  /** Never shown again; its row stays for the deliveries that refer to it. Final. */
  | 'deleted';

export const ENDPOINT_TRANSITIONS: Transitions<EndpointStatus> = {
  enabled: ['disabled', 'deleted'],
  disabled: ['enabled', 'deleted'],
  deleted: [],
};

export type Signature =
  /** HMAC-SHA256 under the endpoint's secret. */
  | 'v1'
  /** Ed25519 under the endpoint's own key, whose public half is shown. */
  | 'v1a';

export const SIGNATURES: readonly Signature[] = ['v1', 'v1a'];

export type DisabledReason =
  /** Its owner requested it. */
  | 'requested'
  /** It answered 410 Gone. */
  | 'gone'
  /** Nothing arrived for five days, or an ordered endpoint did not take a delivery within its attempts. */
  | 'failing';

/** Endpoints of one book. Every event costs a row for each of them, within the book's lock. */
export const ENDPOINTS_PER_BOOK_MAX = 50;

/** How long the previous secret still signs after a rotation, by default. */
export const ROTATION_OVERLAP_DEFAULT_MS = 24 * 60 * 60 * 1_000;
/** A leaked secret must become invalid at some time. */
export const ROTATION_OVERLAP_MAX_MS = 7 * 24 * 60 * 60 * 1_000;

/** Secrets that sign beside the newest one at the same time. Each adds a signature to every delivery. */
export const PREVIOUS_SECRETS_MAX = 5;

export const TEST_EVENT = 'webhook.test';

/** A secret before the previous one, which signs until its own end. */
export interface EarlierSecret {
  readonly sealed: Buffer;
  /** Wall-clock time, like all times of deliveries. */
  readonly until: Instant;
}

export interface WebhookEndpoint {
  readonly id: Uuid;
  readonly url: string;
  readonly description: string | null;
  /** Filters, as event-filter.ts reads them. */
  readonly events: readonly string[];
  readonly status: EndpointStatus;
  readonly disabledReason: DisabledReason | null;
  /** Null once it is deleted. */
  readonly secretSealed: Buffer | null;
  /** Signs beside the new one until `previousSecretUntil`. */
  readonly previousSecretSealed: Buffer | null;
  readonly previousSecretUntil: Instant | null;
  /** Secrets before the previous one, newest first. Some may have ended. */
  readonly earlierSecrets: readonly EarlierSecret[];
  /** Deliveries are sent in the order of their events, one at a time. */
  readonly ordered: boolean;
  /** Most attempts that begin within a second. Null: as many as it takes. */
  readonly ratePerSecond: number | null;
  /** Custom headers with masked values. Null: none. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly headersSealed: Buffer | null;
  readonly signatures: readonly Signature[];
  /** The private key of `v1a`; null without that signature. */
  readonly signingKeySealed: Buffer | null;
  readonly publicKey: string | null;
  /** In the book's own time; null while it is enabled. */
  readonly disabledAt: Instant | null;
  /** Since when attempts fail, by the streak of failing-streak.ts. Written by delivery-store.ts, never by commands. */
  readonly failingSince: Instant | null;
  /** The last failure of another event than the last one's. Of an earlier streak if it is before `failingSince`. */
  readonly failedOtherAt: Instant | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  /** The salt of the references to description and metadata (ledger/rows/personal-text.ts). */
  readonly textSalt: Buffer;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const ENDPOINT_ACTIONS = [
  'update',
  'enable',
  'disable',
  'delete',
  'rotate_secret',
  'test',
  'resend',
  'recover',
  'replay_missing',
] as const;
export type EndpointAction = (typeof ENDPOINT_ACTIONS)[number];

export function endpointActions({ status }: Pick<WebhookEndpoint, 'status'>): EndpointAction[] {
  switch (status) {
    case 'enabled':
      return ['update', 'disable', 'delete', 'rotate_secret', 'test', 'resend', 'recover', 'replay_missing'];
    case 'disabled':
      return ['update', 'enable', 'delete', 'rotate_secret'];
    case 'deleted':
      return [];
  }
}

/**
 * The endpoint as a subscriber of events. A test event goes only to its own endpoint, whatever the filters match, and
 * waits behind nothing: it shows people whether they have repaired their receiver. An endpoint does not get the event
 * about its own disabling.
 */
export function subscriberOf(
  { id, events }: Pick<WebhookEndpoint, 'id' | 'events'>,
  behindFrom: bigint | null = null,
): Subscriber {
  const matches = compileEventFilters(events);
  return {
    id,
    behindFrom,
    wants(eventType, objectId) {
      if (eventType === TEST_EVENT) return objectId === id;
      if (eventType === 'webhook_endpoint.disabled' && objectId === id) return false;
      return matches(eventType);
    },
    isSentAtOnce: (eventType) => eventType === TEST_EVENT,
    jobOf: (eventSequence, eventType) => ({
      pool: 'webhooks',
      job: eventType === TEST_EVENT ? 'delivery.send_at_once' : 'delivery.send',
      id: `${eventSequence}:${id}`,
    }),
  };
}

/** Until when each earlier secret signs, newest first, without those that have ended at `now`. */
function previousSecretEnds(
  { previousSecretUntil, earlierSecrets }: Pick<WebhookEndpoint, 'previousSecretUntil' | 'earlierSecrets'>,
  now: Instant,
): Instant[] {
  return [previousSecretUntil, ...earlierSecrets.map(({ until }) => until)].filter(
    (until): until is Instant => until !== null && until > now,
  );
}

/**
 * An endpoint as the API and events show it, without its secret. `wall` is the time of the world, in which secrets end.
 * endpoint-secret.ts has the two answers that show a secret.
 */
export function endpointView(endpoint: WebhookEndpoint, { livemode, wall }: { livemode: boolean; wall: Instant }) {
  const ends = previousSecretEnds(endpoint, wall);
  const owner: TextOwner = { object: 'webhook_endpoint', objectId: endpoint.id, salt: endpoint.textSalt };
  return {
    id: publicId('webhookEndpoint', endpoint.id),
    object: 'webhook_endpoint',
    livemode,
    url: endpoint.url,
    description: personal(owner, 'description', endpoint.description),
    events: endpoint.events,
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    ordered: endpoint.ordered,
    rate_limit: endpoint.ratePerSecond === null ? null : { per_second: endpoint.ratePerSecond },
    headers: endpoint.headers ?? {},
    signatures: endpoint.signatures,
    public_key: endpoint.publicKey,
    failing_since: formatInstantOrNull(endpoint.failingSince),
    previous_secrets: ends.map((until) => ({ expires_at: formatInstant(until) })),
    previous_secret_expires_at: formatInstantOrNull(ends.length === 0 ? null : Math.max(...ends)),
    metadata: personal(owner, 'metadata', endpoint.metadata),
    allowed_actions: endpointActions(endpoint),
    version: endpoint.version,
    created_at: formatInstant(endpoint.createdAt),
    updated_at: formatInstant(endpoint.updatedAt),
  };
}
