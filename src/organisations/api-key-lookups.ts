/**
 * Asks the database for keys, one statement at a time, with all keys that were requested meanwhile, each once. Any
 * number of requests with any number of made-up keys occupies one connection.
 */
import type { Pool } from '../db/pool.ts';
import { timedQuery } from '../db/timed-query.ts';
import { type ApiKeyOfBook, findApiKeysByHash } from './api-key-store.ts';
import { MAX_AGE_MS } from './key-stamp.ts';

export interface LookedUp {
  /** Null when no such key exists. */
  readonly key: ApiKeyOfBook | null;
  /** The stamp of all keys when this one was read. */
  readonly stamp: string | null;
  /** Monotonic milliseconds, just before the database was asked. */
  readonly askedAt: number;
}

export interface LookupsOptions {
  pool: Pool;
  /** Monotonic milliseconds. */
  now: () => number;
  /** Called with each answer before the callers that wait for it. */
  onAnswer: (stamp: string | null, askedAt: number) => void;
}

/** Finds a key by its hash. Throws the errors of Postgres and of the pool. */
export type LookUp = (hash: Buffer) => Promise<LookedUp>;

interface Lookup {
  name: string;
  hash: Buffer;
  promise: Promise<LookedUp>;
  resolve(found: LookedUp): void;
  reject(error: unknown): void;
  /** Unset while the lookup waits for its turn. */
  sentAt?: number;
}

/** The most keys in one statement. */
const MAX_LOOKUPS = 500;

export function createLookups({ pool, now, onAnswer }: LookupsOptions): LookUp {
  /** Lookups that wait or are under way. */
  const open = new Map<string, Lookup>();
  let waiting: Lookup[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_LOOKUPS);
      waiting = waiting.slice(MAX_LOOKUPS);
      try {
        const { answer, askedAt } = await timedQuery(pool, now, (db, sentAt) => {
          for (const lookup of batch) lookup.sentAt = sentAt;
          return findApiKeysByHash(
            db,
            batch.map(({ hash }) => hash),
          );
        });
        const byHash = new Map(answer.keys.map((key) => [nameOf(key.hash), key]));
        onAnswer(answer.stamp, askedAt);
        for (const { name, resolve } of batch) resolve({ key: byHash.get(name) ?? null, stamp: answer.stamp, askedAt });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      for (const lookup of batch) if (open.get(lookup.name) === lookup) open.delete(lookup.name);
    }
    running = false;
  }

  /** Joining a lookup is as good as an answer from memory, unless its answer has been under way for too long. */
  const mayBeJoined = ({ sentAt }: Lookup) => sentAt === undefined || now() - sentAt < MAX_AGE_MS;

  return (hash) => {
    const name = nameOf(hash);
    const already = open.get(name);
    if (already && mayBeJoined(already)) return already.promise;
    const lookup = { name, hash } as Lookup;
    lookup.promise = new Promise((resolve, reject) => Object.assign(lookup, { resolve, reject }));
    open.set(name, lookup);
    waiting.push(lookup);
    if (!running) void run();
    return lookup.promise;
  };
}

/** A hash as the key of a Map. */
export function nameOf(hash: Buffer): string {
  return hash.toString('latin1');
}
