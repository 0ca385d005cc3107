/**
 * Keys are made, rolled and revoked by commands. Each is decided over rows that are locked (api-key-table.ts): the key that asks, the
 * key that it is about, and its owner. So no key is made by a key that was revoked meanwhile, and none for a person who has ended.
 *
 * An answer shows the secret of a new key. Only its SHA-256 is stored, and the answer is kept with the secret sealed
 * (idempotency/answer-secret.ts), so that a repeat gives the same bytes.
 */
import type { SecretBox } from '../db/secret-box.ts';
import { ApiError } from '../errors/errors.ts';
import { answerSecretPlace } from '../idempotency/answer-secret.ts';
import { internalKey, type Stored } from '../idempotency/idempotency-key.ts';
import { storedAs, storedView } from '../idempotency/stored-view.ts';
import type { BookId, Mode } from '../ledger/book/book.ts';
import type { Command, Refusal, Touch } from '../ledger/command/command.ts';
import { Draft } from '../ledger/command/draft.ts';
import { changeOf } from '../ledger/resources/change-of.ts';
import { advance, begin } from '../ledger/resources/resource.ts';
import type { Instant } from '../values/clock.ts';
import { newId, type Uuid } from '../values/ids.ts';
import { writeJson } from '../values/json.ts';
import { apiKeyPrefix, generateApiKey, hashApiKey, standingOf } from './api-key.ts';
import { type ApiKeyAction, apiKeyResource, apiKeyView } from './api-key-resource.ts';
import { apiKeys, keyOwners, type StoredKey } from './api-key-table.ts';
import { type BookRates, faultOfRights, faultOfScopes, type KeyRights, type RightsFault } from './key-rights.ts';
import { type Person, serviceOf } from './person.ts';

interface AskingKey {
  readonly keyId: Uuid;
  /** Of its book. */
  readonly rates: BookRates;
}

interface Asker {
  readonly requestId: Uuid;
  readonly actor: string;
  readonly bookId: BookId;
  readonly organisationId: Uuid;
  readonly mode: Mode;
  /** Who gives the rights: a key, or the operator at a terminal (issue-api-key.ts). */
  readonly giver: 'operator' | AskingKey;
  /** The caller's idempotency key, under which the answer is stored; null without one. */
  readonly idempotencyKey: string | null;
  readonly secretBox: SecretBox;
}

/** What is left out is as the asking key has it; the operator's keys have no bounds of their own then. */
export interface CreateApiKey extends Asker {
  readonly name: string;
  /** Left out: the key belongs to the service of its name. */
  readonly personId?: Uuid | undefined;
  readonly scopes: readonly string[];
  readonly allowedIps?: readonly string[] | undefined;
  readonly writesPerSecond?: number | undefined;
  readonly readsPerSecond?: number | undefined;
  readonly expiresAt?: Instant | undefined;
}

/** The answer carries the secret sealed: send it through revealedAnswer. Throws `permission_denied` for rights beyond those of the asking key. */
export function createApiKey(input: CreateApiKey): Command<Stored | Refusal> {
  const { requestId, actor, organisationId, name, personId, giver } = input;
  const id = newId();
  const secret = newKeySecret(input, id);
  const ownerId = personId ?? serviceOf(organisationId, name, 0).id;
  return {
    id,
    name: 'api_key.create',
    requestId,
    actor,
    touches: touched([ownerId], asking(giver)),
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId, actor }, moment);
      const rights = rightsGiven(draft, input);
      requireFuture(rights.expiresAt, draft.wall);
      const owner = ownerOf(draft, input, ownerId);
      if ('refused' in owner) return new Draft(state, { id, requestId, actor }, moment).finish<Refusal>(owner);
      const key = newKey(secret, draft, { ...rights, name, ownerId: owner.id, ownerKind: owner.kind });
      return draft.finish(shownWithSecret(draft, key, { status: 201, secret }));
    },
  };
}

export interface ChangeApiKey extends Asker {
  readonly id: Uuid;
  readonly ifMatch?: number | undefined;
}

export interface RollApiKey extends ChangeApiKey {
  /** As the row has it: it is locked before the key is. Null in a key from before keys had owners. */
  readonly ownerId: Uuid | null;
  /** How long the old key goes on. */
  readonly overlapMs: number;
}

/**
 * A successor with the same rights and owner. The old key goes on for the overlap, and never beyond its own end; without one it is
 * revoked. A key rolls itself, or one whose rights are within its own; that of a person only with a key of that person.
 */
export function rollApiKey(input: RollApiKey): Command<Stored | Refusal> {
  const commandId = newId();
  const secret = newKeySecret(input, commandId);
  return changed('roll', { ...input, commandId }, input.ownerId === null ? [] : [input.ownerId], (draft, old) => {
    requireMayRoll(draft, old, input);
    const { hash: _, revokedAt: __, ...kept } = old;
    const next = newKey(secret, draft, kept);
    const until = draft.wall + input.overlapMs;
    const end =
      input.overlapMs > 0 ? { expiresAt: Math.min(old.expiresAt ?? until, until) } : { revokedAt: draft.wall };
    const answer = shownWithSecret(draft, next, { status: 200, secret });
    advance(draft, apiKeyResource, old, end, announced(draft, 'api_key.rolled'));
    return answer;
  });
}

/** From now on every process refuses the key within a second (key-stamp.ts). */
export function revokeApiKey(input: ChangeApiKey): Command<Stored | Refusal> {
  return changed('revoke', input, [], (draft, key) => {
    if (input.giver !== 'operator') askingKey(draft, input.giver);
    const step = announced(draft, 'api_key.revoked');
    return storedView(draft, apiKeyResource, advance(draft, apiKeyResource, key, { revokedAt: draft.wall }, step));
  });
}

function changed(
  action: ApiKeyAction,
  { id, requestId, actor, ifMatch, giver, commandId }: ChangeApiKey & { commandId?: Uuid },
  owners: readonly Uuid[],
  decide: (draft: Draft, key: StoredKey) => Stored | Refusal,
): Command<Stored | Refusal> {
  const change = {
    id,
    action,
    requestId,
    actor,
    ...(ifMatch !== undefined && { ifMatch }),
    ...(commandId && { commandId }),
  };
  return {
    ...changeOf(apiKeyResource, change, decide),
    touches: touched(owners, [...new Set([...asking(giver), id])]),
  };
}

/** Owners first: see api-key-table.ts. */
function touched(owners: readonly Uuid[], keys: readonly Uuid[]): Touch[] {
  return [
    { table: keyOwners, ids: owners },
    { table: apiKeys, ids: keys },
  ];
}

function asking(giver: Asker['giver']): Uuid[] {
  return giver === 'operator' ? [] : [giver.keyId];
}

/** Throws ApiError where the asking key has ended since the request was let in. */
function askingKey(draft: Draft, { keyId }: AskingKey): StoredKey {
  const key = draft.get(apiKeys, keyId);
  const standing = key ? standingOf(key, draft.wall) : 'revoked';
  if (key && standing === 'good') return key;
  throw new ApiError(standing === 'expired' ? 'api_key_expired' : 'api_key_invalid');
}

/** Throws ApiError `permission_denied` for rights that this giver does not give. */
function rightsGiven(draft: Draft, { mode, giver, ...wanted }: CreateApiKey): KeyRights {
  const own = giver === 'operator' ? undefined : askingKey(draft, giver);
  const rights: KeyRights = {
    mode,
    scopes: [...new Set(wanted.scopes)],
    madeOverApi: own !== undefined,
    allowedIps: wanted.allowedIps ?? own?.allowedIps ?? [],
    writesPerSecond: wanted.writesPerSecond ?? own?.writesPerSecond ?? null,
    readsPerSecond: wanted.readsPerSecond ?? own?.readsPerSecond ?? null,
    expiresAt: wanted.expiresAt ?? own?.expiresAt ?? null,
  };
  refuse(faultOf(rights, { mode, giver, own }));
  return rights;
}

function requireMayRoll(draft: Draft, old: StoredKey, { mode, giver }: Asker): void {
  const own = giver === 'operator' ? undefined : askingKey(draft, giver);
  if (own?.id === old.id) return;
  if (own && old.ownerKind === 'person' && own.ownerId !== old.ownerId)
    throw new ApiError('permission_denied', { detail: "A person's key is rolled by a key of that person." });
  refuse(faultOf({ ...old, mode }, { mode, giver, own, keeps: true }));
}

function faultOf(
  wanted: KeyRights,
  { mode, giver, own, keeps }: Pick<Asker, 'mode' | 'giver'> & { own: StoredKey | undefined; keeps?: true },
): RightsFault | undefined {
  if (giver === 'operator' || own === undefined) return faultOfScopes(wanted, 'operator', keeps);
  return faultOfRights(wanted, { ...own, mode }, { rates: giver.rates, ...(keeps && { keeps }) });
}

function refuse(fault: RightsFault | undefined): void {
  if (fault === undefined) return;
  const { detail, scope } = fault;
  throw new ApiError('permission_denied', { detail, ...(scope && { facts: { required_scope: scope } }) });
}

function requireFuture(expiresAt: Instant | null, now: Instant): void {
  if (expiresAt === null || expiresAt > now) return;
  throw new ApiError('parameter_invalid', { param: '/expires_at', detail: 'A key cannot expire before it is made.' });
}

function ownerOf(draft: Draft, { organisationId, name, personId }: CreateApiKey, ownerId: Uuid): Person | Refusal {
  const known = draft.get(keyOwners, ownerId);
  if (personId === undefined)
    return known ?? draft.put(keyOwners, ownerId, serviceOf(organisationId, name, draft.wall));
  const fault = (detail: string): Refusal => ({ refused: 'resource_not_found', param: '/person', detail });
  if (known?.kind !== 'person') return fault('There is no such person in this organisation.');
  return known.endedAt === null ? known : fault('This person has ended, and gets no more keys.');
}

interface KeySecret {
  readonly keyId: Uuid;
  readonly prefix: string;
  readonly lastFour: string;
  readonly hash: Buffer;
  /** For the answer. */
  readonly sealed: Buffer;
}

function newKeySecret({ bookId, mode, idempotencyKey, secretBox }: Asker, commandId: Uuid): KeySecret {
  const token = generateApiKey(mode);
  const sealed = secretBox.seal(token, answerSecretPlace(bookId, idempotencyKey ?? internalKey(commandId)));
  return { keyId: newId(), prefix: apiKeyPrefix(mode), lastFour: token.slice(-4), hash: hashApiKey(token), sealed };
}

type OfNewKey = Pick<StoredKey, 'name' | 'scopes' | 'allowedIps' | 'writesPerSecond' | 'readsPerSecond' | 'expiresAt'> &
  Pick<StoredKey, 'ownerId' | 'ownerKind'> & { readonly madeOverApi?: boolean };

function newKey({ keyId: id, prefix, lastFour, hash }: KeySecret, { wall }: Draft, given: OfNewKey): StoredKey {
  return {
    id,
    name: given.name,
    hash,
    prefix,
    lastFour,
    scopes: given.scopes,
    madeOverApi: given.madeOverApi ?? false,
    allowedIps: given.allowedIps,
    writesPerSecond: given.writesPerSecond,
    readsPerSecond: given.readsPerSecond,
    expiresAt: given.expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    ownerId: given.ownerId,
    ownerKind: given.ownerKind,
    version: 1,
    createdAt: wall,
    updatedAt: wall,
  };
}

function shownWithSecret(
  draft: Draft,
  key: StoredKey,
  { status, secret }: { status: number; secret: KeySecret },
): Stored {
  if (draft.forms.keysOverApi) begin(draft, apiKeyResource, key, 'api_key.created');
  else draft.put(apiKeys, key.id, key);
  const body = writeJson({ ...apiKeyView(key, draft), secret: secret.sealed.toString('base64') });
  return storedAs(apiKeyResource, key, { status, body });
}

/** The operator's commands emit them where the forms have them. */
function announced({ forms }: Draft, event: string): { event?: string } {
  return forms.keysOverApi ? { event } : {};
}
