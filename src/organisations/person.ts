/**
 * A person or a service of an organisation: the owner of an API key. Every key belongs to one of them. A service may
 * not decide what is a person's to decide.
 * Next: person-store.ts (rows), issue-api-key.ts (the keys).
 */
import type { OwnerKind } from '../values/actor.ts';
import type { Instant } from '../values/clock.ts';
import { deriveId, newId, publicId, type Uuid } from '../values/ids.ts';

export interface Person {
  readonly organisationId: Uuid;
  readonly id: Uuid;
  readonly kind: OwnerKind;
  /** Null once a person's name is erased. */
  readonly name: string | null;
  readonly createdAt: Instant;
  /** From then on the person has no keys and gets no more. */
  readonly endedAt: Instant | null;
}

/** The owner of a key. */
export type KeyOwner = Pick<Person, 'id' | 'kind' | 'name'>;

/** A new person. Two people may have the same name. */
export function newPerson(organisationId: Uuid, name: string, at: Instant): Person {
  return { organisationId, id: newId(), kind: 'person', name, createdAt: at, endedAt: null };
}

/**
 * The service of a name: the same each time. So a key from before keys had owners belongs to this service
 * before the service has a row.
 */
export function serviceOf(organisationId: Uuid, name: string, at: Instant): Person {
  const id = deriveId('service', organisationId, name);
  return { organisationId, id, kind: 'service', name, createdAt: at, endedAt: null };
}

/** The owner of a key, from its row: without an `ownerId`, the service of the key's name. */
export function keyOwner(key: {
  organisationId: Uuid;
  name: string;
  createdAt: Instant;
  ownerId: Uuid | null;
  ownerKind: OwnerKind | null;
  ownerName: string | null;
}): KeyOwner {
  if (key.ownerId !== null) return { id: key.ownerId, kind: key.ownerKind ?? 'service', name: key.ownerName };
  const { id, kind, name } = serviceOf(key.organisationId, key.name, key.createdAt);
  return { id, kind, name };
}

/** `person_…` or `svc_…`. */
export function shownPersonId({ kind, id }: Pick<Person, 'kind' | 'id'>): string {
  return publicId(kind, id);
}
