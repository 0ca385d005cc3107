import type { Resource, Shown } from '../ledger/resources/resource.ts';
import { formatInstant, formatInstantOrNull, type Instant } from '../values/clock.ts';
import { publicId } from '../values/ids.ts';
import { standingOf } from './api-key.ts';
import { apiKeys, type StoredKey } from './api-key-table.ts';

export const API_KEY_ACTIONS = ['roll', 'revoke'] as const;
export type ApiKeyAction = (typeof API_KEY_ACTIONS)[number];
export const API_KEY_STATUSES = ['active', 'expired', 'revoked'] as const;

export const apiKeyResource: Resource<StoredKey, Shown> = {
  name: 'api_key',
  noun: 'key',
  table: apiKeys,
  parent: null,
  events: ['api_key.created', 'api_key.rolled', 'api_key.revoked'],
  books: false,
  changed: (key, change) => ({ ...key, ...change }),
  allowedActions: (key, { wall }) => actionsOn(key, wall),
  statusOf: (key, { wall }) => statusOf(key, wall),
  view: apiKeyView,
};

function statusOf(key: StoredKey, at: Instant): (typeof API_KEY_STATUSES)[number] {
  const standing = standingOf(key, at);
  return standing === 'good' ? 'active' : standing;
}

function actionsOn(key: StoredKey, at: Instant): ApiKeyAction[] {
  const byStatus = { active: ['roll', 'revoke'], expired: ['revoke'], revoked: [] } as const;
  return [...byStatus[statusOf(key, at)]];
}

/** Without the secret, which two answers alone show (change-api-key.ts). `wall` is the time of the world, in which keys end. */
export function apiKeyView(key: StoredKey, { livemode, wall }: Shown) {
  return {
    id: publicId('apiKey', key.id),
    object: 'api_key',
    livemode,
    status: statusOf(key, wall),
    name: key.name,
    owner: key.ownerId === null ? null : publicId(key.ownerKind ?? 'service', key.ownerId),
    key: `${key.prefix}…${key.lastFour}`,
    scopes: key.scopes,
    made_over_api: key.madeOverApi,
    allowed_ips: key.allowedIps,
    writes_per_second: key.writesPerSecond,
    reads_per_second: key.readsPerSecond,
    expires_at: formatInstantOrNull(key.expiresAt),
    revoked_at: formatInstantOrNull(key.revokedAt),
    last_used_at: formatInstantOrNull(key.lastUsedAt),
    allowed_actions: actionsOn(key, wall),
    version: key.version,
    created_at: formatInstant(key.createdAt),
    updated_at: formatInstant(key.updatedAt),
  };
}
