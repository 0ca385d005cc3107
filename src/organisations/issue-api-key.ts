/** Makes and replaces keys. Only here does a key exist in plain text, to be shown once. */

import type { Pool, Transaction } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { BookId, Mode } from '../ledger/book.ts';
import type { Clock, Instant } from '../values/clock.ts';
import { newId, type Uuid } from '../values/ids.ts';
import {
  type ApiKey,
  ApiKeyRuleBroken,
  apiKeyPrefix,
  generateApiKey,
  hashApiKey,
  parseAllowedIps,
  parseScopes,
  standingOf,
} from './api-key.ts';
import { expireApiKey, findApiKey, insertApiKey, revokeApiKey } from './api-key-store.ts';
import { findOrganisationOfBook } from './organisation-store.ts';
import { type KeyOwner, serviceOf } from './person.ts';
import { insertPeople, lockPerson } from './person-store.ts';

export interface IssuedApiKey {
  key: ApiKey;
  /** The key in plain text. It cannot be shown again. */
  token: string;
}

export interface IssueApiKey {
  bookId: BookId;
  mode: Mode;
  name: string;
  /** The person whose key it is. Left out, the key belongs to the service of its name, which is made where there is none. */
  personId?: Uuid | undefined;
  scopes: readonly string[];
  allowedIps?: readonly string[];
  writesPerSecond?: number | null;
  readsPerSecond?: number | null;
  expiresAt?: Instant | null;
}

/**
 * Throws ApiKeyRuleBroken for invalid scopes and addresses, for an expiry that has passed, and for a person who does not
 * belong to the book's organisation or has ended.
 */
export function issueApiKey(pool: Pool, clock: Clock, request: IssueApiKey): Promise<IssuedApiKey> {
  return inTransaction(pool, async (trx) => {
    const issued = await prepare(trx, clock, request);
    await insertApiKey(trx, issued.key);
    return issued;
  });
}

/** A key that is not stored yet, and its owner: a person who cannot end before it is. */
async function prepare(trx: Transaction, clock: Clock, request: IssueApiKey): Promise<IssuedApiKey> {
  const now = clock.now();
  const expiresAt = request.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= now) throw new ApiKeyRuleBroken('A key cannot expire before it is made.');
  const token = generateApiKey(request.mode);
  const key: ApiKey = {
    bookId: request.bookId,
    id: newId(),
    name: request.name,
    owner: await ownerOf(trx, request, now),
    hash: hashApiKey(token),
    prefix: apiKeyPrefix(request.mode),
    lastFour: token.slice(-4),
    scopes: parseScopes(request.scopes),
    allowedIps: parseAllowedIps(request.allowedIps ?? []),
    writesPerSecond: request.writesPerSecond ?? null,
    readsPerSecond: request.readsPerSecond ?? null,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  };
  return { key, token };
}

async function ownerOf(trx: Transaction, { bookId, name, personId }: IssueApiKey, now: Instant): Promise<KeyOwner> {
  const organisationId = await findOrganisationOfBook(trx, bookId);
  if (organisationId === undefined) throw new ApiKeyRuleBroken('There is no such book.');
  if (personId === undefined) {
    const service = serviceOf(organisationId, name, now);
    await insertPeople(trx, [service]);
    return service;
  }
  const person = await lockPerson(trx, organisationId, personId);
  if (person?.kind !== 'person') throw new ApiKeyRuleBroken('There is no such person in this organisation.');
  if (person.endedAt !== null) throw new ApiKeyRuleBroken('This person has ended, and gets no more keys.');
  return person;
}

/**
 * Makes a successor of a key, with the same rights and owner. The old key stays valid for the overlap, so that it can be replaced
 * without a gap; with no overlap it is revoked at once. Throws ApiKeyRuleBroken when the old key does not exist, or is
 * revoked or expired.
 */
export async function rollApiKey(
  pool: Pool,
  clock: Clock,
  { id, overlapMs }: { id: Uuid; overlapMs: number },
): Promise<IssuedApiKey> {
  return inTransaction(pool, async (trx) => {
    const old = await findApiKey(trx, id);
    if (!old) throw new ApiKeyRuleBroken('There is no such key.');
    const now = clock.now();
    const standing = standingOf(old, now);
    if (standing !== 'good') throw new ApiKeyRuleBroken(`This key is ${standing}; create a new one.`);
    const { owner } = old;
    // Before the old key is written: ending a person locks the person first, too.
    const issued = await prepare(trx, clock, { ...old, personId: owner.kind === 'person' ? owner.id : undefined });
    const ended =
      overlapMs > 0
        ? await expireApiKey(trx, { bookId: old.bookId, id, at: now + overlapMs })
        : await revokeApiKey(trx, { bookId: old.bookId, id, at: now });
    // Revoked between the read and the write: a successor would undo that revocation.
    if (!ended) throw new ApiKeyRuleBroken('This key has just been revoked; create a new one.');
    // After the old key is locked: both writes lock the stamp of all keys, and whoever has it waits for no key.
    await insertApiKey(trx, issued.key);
    return issued;
  });
}
