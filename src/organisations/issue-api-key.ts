/**
 * Keys that the operator makes, rolls and revokes: by the commands that the API runs (change-api-key.ts), with the operator as the giver.
 * Only in what these functions resolve to does a key exist in plain text, to be shown once.
 */
import { randomBytes } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import { createSecretBox } from '../db/secret-box.ts';
import { answerSecretPlace, revealedAnswer } from '../idempotency/answer-secret.ts';
import { internalKey, type Stored } from '../idempotency/idempotency-key.ts';
import type { BookId, Mode } from '../ledger/book/book.ts';
import type { Command, Refusal } from '../ledger/command/command.ts';
import type { Committer } from '../ledger/commit/committer.ts';
import type { Instant } from '../values/clock.ts';
import { newId, parsePublicId, type Uuid } from '../values/ids.ts';
import { ApiKeyRuleBroken, parseAllowedIps, parseScopes } from './api-key.ts';
import { findApiKey } from './api-key-store.ts';
import { createApiKey, revokeApiKey as revokeCommand, rollApiKey as rollCommand } from './change-api-key.ts';
import { findOrganisationOfBook } from './organisation-store.ts';

export interface KeyIssuer {
  readonly db: Queryable;
  readonly committer: Committer;
  /** Of the operator (values/actor.ts). */
  readonly actor: string;
}

export interface IssuedApiKey {
  readonly id: Uuid;
  /** The key in plain text. It cannot be shown again. */
  readonly token: string;
}

export interface IssueApiKey {
  readonly bookId: BookId;
  readonly mode: Mode;
  readonly name: string;
  /** The person whose key it is. Left out, the key belongs to the service of its name, which is made if absent. */
  readonly personId?: Uuid | undefined;
  readonly scopes: readonly string[];
  readonly allowedIps?: readonly string[] | undefined;
  readonly writesPerSecond?: number | undefined;
  readonly readsPerSecond?: number | undefined;
  readonly expiresAt?: Instant | undefined;
}

/** Throws ApiKeyRuleBroken for invalid scopes and addresses, and for a person who does not belong to the organisation or has ended; ApiError for an expiry that has passed. */
export async function issueApiKey(issuer: KeyIssuer, request: IssueApiKey): Promise<IssuedApiKey> {
  const { bookId, mode, allowedIps, ...given } = request;
  const asker = await operatorOf(issuer, { bookId, mode });
  const rights = { scopes: parseScopes(given.scopes), allowedIps: allowedIps && parseAllowedIps(allowedIps) };
  return issued(issuer, asker, createApiKey({ ...asker, ...given, ...rights }));
}

/**
 * Makes a successor of a key, with the same rights and owner. The old key stays valid for the overlap, so that it can be replaced
 * without a gap; with no overlap it is revoked at once. Throws ApiKeyRuleBroken when the old key does not exist, or is
 * revoked or expired.
 */
export async function rollApiKey(
  issuer: KeyIssuer,
  { id, overlapMs }: { id: Uuid; overlapMs: number },
): Promise<IssuedApiKey> {
  const { bookId, mode, owner } = await knownKey(issuer.db, id);
  const asker = await operatorOf(issuer, { bookId, mode });
  return issued(issuer, asker, rollCommand({ ...asker, id, overlapMs, ownerId: owner.id }));
}

/** Whether the key was not revoked before. Throws ApiKeyRuleBroken when it does not exist. */
export async function revokeApiKey(issuer: KeyIssuer, id: Uuid): Promise<boolean> {
  const { bookId, mode } = await knownKey(issuer.db, id);
  const answer = await issuer.committer.submit(
    bookId,
    revokeCommand({ ...(await operatorOf(issuer, { bookId, mode })), id }),
  );
  return !answer.refused;
}

async function knownKey(db: Queryable, id: Uuid) {
  const key = await findApiKey(db, id);
  if (!key) throw new ApiKeyRuleBroken('There is no such key.');
  return key;
}

async function operatorOf({ db, actor }: KeyIssuer, { bookId, mode }: { bookId: BookId; mode: Mode }) {
  const organisationId = await findOrganisationOfBook(db, bookId);
  if (organisationId === undefined) throw new ApiKeyRuleBroken('There is no such book.');
  // The answer is stored nowhere. It carries the secret sealed all the same, by a key that is gone with it.
  const secretBox = createSecretBox(randomBytes(32).toString('base64'));
  const giver = 'operator' as const;
  return { requestId: newId(), actor, bookId, organisationId, mode, giver, idempotencyKey: null, secretBox };
}

async function issued(
  { committer }: KeyIssuer,
  { bookId, secretBox }: Awaited<ReturnType<typeof operatorOf>>,
  command: Command<Stored | Refusal>,
): Promise<IssuedApiKey> {
  const answer = await committer.submit(bookId, command);
  if (answer.refused) throw new ApiKeyRuleBroken(answer.detail ?? answer.refused);
  const shown = revealedAnswer(answer.body.text, secretBox, answerSecretPlace(bookId, internalKey(command.id)));
  const { id, secret } = JSON.parse(shown) as { id: string; secret: string };
  return { id: parsePublicId('apiKey', id)!, token: secret };
}
