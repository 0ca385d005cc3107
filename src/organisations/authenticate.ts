/**
 * Authentication: turns the key of a request into the book that it opens. The answer almost always comes from memory
 * and is at most `cacheMs` old, so a revocation takes effect that soon in every process.
 */
import { timingSafeEqual } from 'node:crypto';
import type { OwnerKind } from '../actor.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { classifyFailure } from '../db/postgres-errors.ts';
import { ApiError } from '../errors.ts';
import type { Uuid } from '../ids.ts';
import type { BookId, Mode } from '../ledger/book.ts';
import type { Logger } from '../log.ts';
import { hashApiKey, isAddressAllowed, looksLikeApiKey, standingOf } from './api-key.ts';
import { type ApiKeyOfBook, findApiKeysByHash } from './api-key-store.ts';
import { createApiKeyUses } from './api-key-uses.ts';

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
  readonly writesPerSecond: number | null;
  readonly readsPerSecond: number | null;
}

export interface Authenticator {
  /**
   * Throws ApiError: `api_key_invalid` (unknown or revoked), `api_key_expired`, `ip_not_allowed`, and `service_unavailable`
   * when the key is not in memory and the database cannot be asked.
   */
  authenticate(token: string, ip: string): Promise<Principal>;
  /** Writes the last uses that are still in memory. */
  close(): Promise<void>;
}

export interface AuthenticatorOptions {
  pool: Pool;
  clock: Clock;
  log?: Logger;
  /** The greatest age of an answer from memory: a revocation takes effect this much later at most. */
  cacheMs?: number;
  /** How long a noted use waits before it is written. */
  flushUsesAfterMs?: number;
}

interface Remembered {
  /** Null when no such key exists. */
  key: ApiKeyOfBook | null;
  principal: Principal | null;
  /** Monotonic milliseconds, read before the database was asked. */
  askedAt: number;
}

/** Unknown keys are remembered apart, so that guessing cannot evict the keys in use. */
const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 10_000;
/** The most keys in one statement. */
const MAX_LOOKUPS = 500;

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { pool, clock, log, cacheMs = 2_000, flushUsesAfterMs = 5_000 } = options;
  const known = new BoundedMap<string, Remembered>(MAX_KNOWN);
  const unknown = new BoundedMap<string, Remembered>(MAX_UNKNOWN);
  const uses = createApiKeyUses({ pool, log, flushAfterMs: flushUsesAfterMs });
  const look = createLookups(pool);

  const fresh = (remembered: Remembered | undefined) =>
    remembered && performance.now() - remembered.askedAt < cacheMs ? remembered : undefined;

  async function find(hash: Buffer): Promise<Remembered> {
    const name = hash.toString('latin1');
    const hit = fresh(known.get(name)) ?? fresh(unknown.get(name));
    if (hit) return hit;
    const remembered = await look(name, hash);
    if (remembered.key) unknown.delete(name);
    else known.delete(name);
    (remembered.key ? known : unknown).set(name, remembered);
    return remembered;
  }

  return {
    async authenticate(token, ip) {
      if (!looksLikeApiKey(token)) throw new ApiError('api_key_invalid');
      const hash = hashApiKey(token);
      const { key, principal } = await find(hash);
      if (!key || !principal || !timingSafeEqual(key.hash, hash)) throw new ApiError('api_key_invalid');
      const now = clock.now();
      const standing = standingOf(key, now);
      if (standing === 'revoked') throw new ApiError('api_key_invalid');
      if (standing === 'expired') throw new ApiError('api_key_expired');
      if (!isAddressAllowed(ip, key.allowedIps)) throw new ApiError('ip_not_allowed');
      uses.note({ bookId: key.bookId, id: key.id, at: now });
      return principal;
    },
    close: () => uses.close(),
  };
}

/**
 * Asks the database for keys, one statement at a time, with all keys that were requested meanwhile, each once. Any
 * number of requests with any number of made-up keys occupies one connection.
 */
function createLookups(pool: Pool): (name: string, hash: Buffer) => Promise<Remembered> {
  interface Lookup {
    name: string;
    hash: Buffer;
    promise: Promise<Remembered>;
    resolve(remembered: Remembered): void;
    reject(error: unknown): void;
  }
  /** Look-ups that wait or are under way. Joining one is as good as an answer from memory: it is no older. */
  const open = new Map<string, Lookup>();
  let waiting: Lookup[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_LOOKUPS);
      waiting = waiting.slice(MAX_LOOKUPS);
      const askedAt = performance.now();
      try {
        const keys = await findApiKeysByHash(
          pool,
          batch.map(({ hash }) => hash),
        );
        const byHash = new Map(keys.map((key) => [key.hash.toString('latin1'), key]));
        for (const { name, resolve } of batch) {
          const key = byHash.get(name) ?? null;
          resolve({ key, principal: key && principalOf(key), askedAt });
        }
      } catch (error) {
        for (const { reject } of batch) reject(unavailableOr(error));
      }
      for (const { name } of batch) open.delete(name);
    }
    running = false;
  }

  return (name, hash) => {
    const already = open.get(name);
    if (already) return already.promise;
    const lookup = { name, hash } as Lookup;
    lookup.promise = new Promise((resolve, reject) => Object.assign(lookup, { resolve, reject }));
    open.set(name, lookup);
    waiting.push(lookup);
    if (!running) void run();
    return lookup.promise;
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
    writesPerSecond: key.writesPerSecond,
    readsPerSecond: key.readsPerSecond,
  };
}

function unavailableOr(error: unknown): unknown {
  if (classifyFailure(error) !== 'transient') return error;
  return new ApiError('service_unavailable', {
    detail: 'The API key cannot be checked just now.',
    headers: { 'Retry-After': '1' },
  });
}
