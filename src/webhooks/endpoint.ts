/**
 * A webhook endpoint: a URL that wants events of its book, a filter of which, and the secret they are signed with.
 * Invariant: exactly the `enabled` ones get a delivery of each event that their filter lets through, in the event's own
 * commit. Its secret is shown when it is made and when it is rotated, and never again.
 * Next: manage-endpoint.ts (its commands), endpoint-store.ts (its rows), delivery.ts (what it gets).
 */
import { formatInstant, formatInstantOrNull, type Instant } from '../clock.ts';
import { publicId, type Uuid } from '../ids.ts';
import type { Subscriber } from '../ledger/event.ts';
import { personal, type TextOwner } from '../ledger/personal-text.ts';
import type { Transitions } from '../ledger/resource.ts';
import { compileEventFilters } from './event-filter.ts';

export type EndpointStatus =
  /** Gets events. Made so, or enabled again by its owner. */
  | 'enabled'
  /** Gets none: switched off by its owner, or by us (see DisabledReason). Deliveries that fall due meanwhile are canceled. */
  | 'disabled'
  /** Never shown again; its row stays for the deliveries that refer to it. Final. */
  | 'deleted';

export const ENDPOINT_TRANSITIONS: Transitions<EndpointStatus> = {
  enabled: ['disabled', 'deleted'],
  disabled: ['enabled', 'deleted'],
  deleted: [],
};

export type DisabledReason =
  /** Its owner asked for it. */
  | 'requested'
  /** It answered 410 Gone. */
  | 'gone'
  /** Nothing arrived for five days. */
  | 'failing';

/** Endpoints of one book. Every event costs a row for each of them, within the book's lock. */
export const ENDPOINTS_PER_BOOK_MAX = 50;

/** How long the secret before still signs after a rotation, when the caller does not say. */
export const ROTATION_OVERLAP_DEFAULT_MS = 24 * 60 * 60 * 1_000;
/** A secret that leaked must stop being good some day. */
export const ROTATION_OVERLAP_MAX_MS = 7 * 24 * 60 * 60 * 1_000;

export const TEST_EVENT = 'webhook.test';

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
  /** Since when nothing arrived; null when the last delivery did. Kept by delivery-store.ts, never by commands. */
  readonly failingSince: Instant | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  /** Hides description and metadata behind their references (ledger/personal-text.ts). */
  readonly textSalt: Buffer;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type EndpointAction = 'update' | 'enable' | 'disable' | 'delete' | 'rotate_secret' | 'test';

export function endpointActions({ status }: Pick<WebhookEndpoint, 'status'>): EndpointAction[] {
  switch (status) {
    case 'enabled':
      return ['update', 'disable', 'delete', 'rotate_secret', 'test'];
    case 'disabled':
      return ['update', 'enable', 'delete', 'rotate_secret'];
    case 'deleted':
      return [];
  }
}

/**
 * The endpoint as the committer asks it. A test event is for its own object alone, whatever the filter says; and nobody
 * is told over a switched-off line that the line was switched off.
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
  };
}

/** How the API and events show an endpoint. Without its secret: see endpoint-secret.ts for the two answers that have it. */
export function endpointView(endpoint: WebhookEndpoint, livemode: boolean) {
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
    failing_since: formatInstantOrNull(endpoint.failingSince),
    previous_secret_expires_at: formatInstantOrNull(endpoint.previousSecretUntil),
    metadata: personal(owner, 'metadata', endpoint.metadata),
    allowed_actions: endpointActions(endpoint),
    version: endpoint.version,
    created_at: formatInstant(endpoint.createdAt),
    updated_at: formatInstant(endpoint.updatedAt),
  };
}
