/**
 * Authentication: turns the key of a request into the book that it opens. The answer almost always comes from memory, where
 * it counts until any key is changed (key-stamp.ts): a revocation takes effect within a second in every process.
 */
import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Pool } from '../db/pool.ts';
import { classifyFailure } from '../db/postgres-errors.ts';
import { ApiError } from '../errors/errors.ts';
import type { BookId, Mode } from '../ledger/book/book.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import type { OwnerKind } from '../values/actor.ts';
import { BoundedMap } from '../values/bounded-map.ts';
import type { Clock } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import { hashApiKey, isAddressAllowed, looksLikeApiKey, plainAddress, standingOf } from './api-key.ts';
import { createLookups, type LookedUp, nameOf } from './api-key-lookups.ts';
import type { ApiKeyOfBook } from './api-key-store.ts';
import { createApiKeyUses } from './api-key-uses.ts';
import { watchKeyStamp } from './key-stamp.ts';

/** The access that a valid key gives. */
export interface Principal {
  readonly keyId: Uuid;
  /** Who acts with the key: a person or a service. */
  readonly ownerKind: OwnerKind;
  readonly ownerId: Uuid;
  readonly bookId: BookId;
  readonly organisationId: Uuid;
  readonly mode: Mode;
  readonly scopes: readonly string[];
  readonly madeOverApi: boolean;
  readonly writesPerSecond: number | null;
  readonly readsPerSecond: number | null;
}

export interface Authenticator {
  /**
   * Throws ApiError: `api_key_invalid` (unknown or revoked), `api_key_expired`, `ip_not_allowed`, and
   * `service_unavailable` when no answer in memory is valid and the database does not answer.
   */
  authenticate(token: string, ip: string): Promise<Principal>;
  /** Ends the readings of the stamp, and writes the last uses that are still in memory. */
  close(): Promise<void>;
}

export interface AuthenticatorOptions {
  pool: Pool;
  clock: Clock;
  log?: Logger;
  /** Monotonic milliseconds: the age of remembered answers. */
  now?: () => number;
  /** How long a noted use waits before it is written. */
  flushUsesAfterMs?: number;
}

interface Remembered extends LookedUp {
  readonly principal: Principal | null;
}

/**
 * How long an answer is remembered. The stamp shows whether it is right, so this only bounds the effect of a change
 * that did not move the stamp. A quiet book asks once a minute.
 */
const REMEMBER_MS = 60_000;
/** Unknown keys are remembered apart, so that guessing cannot evict the keys in use. */
const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 10_000;

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { pool, clock, log, now = () => performance.now(), flushUsesAfterMs = 5_000 } = options;
  const known = new BoundedMap<string, Remembered>(MAX_KNOWN);
  const unknown = new BoundedMap<string, Remembered>(MAX_UNKNOWN);
  const uses = createApiKeyUses({ pool, log, flushAfterMs: flushUsesAfterMs });
  const onFailure = log ? warnSeldom(log, 'the stamp of API keys was not read') : () => undefined;
  const keyStamp = watchKeyStamp({ pool, now, idleAfterMs: REMEMBER_MS, onFailure });
  const lookUp = createLookups({ pool, now, onAnswer: keyStamp.record });

  async function find(hash: Buffer): Promise<Remembered> {
    const name = nameOf(hash);
    const stamp = keyStamp.current();
    const counts = (remembered: Remembered | undefined) =>
      remembered && remembered.stamp === stamp && now() - remembered.askedAt < REMEMBER_MS ? remembered : undefined;
    const hit = counts(known.get(name)) ?? counts(unknown.get(name));
    if (hit) return hit;
    const found = await lookUp(hash).catch((error: unknown) => {
      throw unavailableOr(error);
    });
    const remembered = { ...found, principal: found.key && principalOf(found.key) };
    if (found.key) unknown.delete(name);
    else known.delete(name);
    (found.key ? known : unknown).set(name, remembered);
    return remembered;
  }

  return {
    async authenticate(token, ip) {
      if (!looksLikeApiKey(token)) throw new ApiError('api_key_invalid');
      const hash = hashApiKey(token);
      const { key, principal } = await find(hash);
      if (!key || !principal || !timingSafeEqual(key.hash, hash)) throw new ApiError('api_key_invalid');
      const at = clock.now();
      const standing = standingOf(key, at);
      if (standing === 'revoked') throw new ApiError('api_key_invalid');
      if (standing === 'expired') throw new ApiError('api_key_expired');
      if (!isAddressAllowed(ip, key.allowedIps)) throw addressRefused(ip);
      uses.note({ bookId: key.bookId, id: key.id, at });
      return principal;
    },
    close() {
      keyStamp.close();
      return uses.close();
    },
  };
}

function principalOf(key: ApiKeyOfBook): Principal {
  return {
    keyId: key.id,
    ownerKind: key.owner.kind,
    ownerId: key.owner.id,
    bookId: key.bookId,
    organisationId: key.organisationId,
    mode: key.mode,
    scopes: key.scopes,
    madeOverApi: key.madeOverApi,
    writesPerSecond: key.writesPerSecond,
    readsPerSecond: key.readsPerSecond,
  };
}

/** Names the address as it arrived here, which a proxy that is not trusted may have made its own. */
function addressRefused(ip: string): ApiError {
  if (isIP(plainAddress(ip)) === 0)
    return new ApiError('ip_not_allowed', {
      detail: 'The API key is for certain addresses, and the proxy in front names no address of the caller.',
    });
  return new ApiError('ip_not_allowed', { detail: `The API key may not be used from ${plainAddress(ip)}.` });
}

function unavailableOr(error: unknown): unknown {
  if (classifyFailure(error) !== 'transient') return error;
  return new ApiError('service_unavailable', {
    detail: 'The API key cannot be checked just now.',
    headers: { 'Retry-After': '1' },
  });
}
