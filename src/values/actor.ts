/**
 * The actor: a person or a service with its key, an operator at a terminal, or the product itself. Events and evidence
 * store an actor as one line of text, which the events' digest covers, so a stored line never changes:
 *
 *   person:person_…:key_…   service:svc_…:key_…   operator:NAME   system   worker:ledger   rail:NAME
 *
 * A line from before keys had owners is `api_key:key_…`: the owner is looked up where the actor is shown.
 */
import { parsePublicId, publicId, type Uuid } from './ids.ts';

export type OwnerKind = 'person' | 'service';

export type Actor =
  | { readonly type: OwnerKind; readonly id: Uuid; readonly keyId: Uuid }
  /** A person with access to the machines, by the name that they gave. */
  | { readonly type: 'operator'; readonly name: string }
  /** The product. `part` is the part that acted, such as `rail:sandbox`, where it is named. */
  | { readonly type: 'system'; readonly part: string | null };

/** A key whose owner the text does not name. */
export interface ActorByKey {
  readonly type: 'api_key';
  readonly keyId: Uuid;
}

export interface ActorView {
  type: Actor['type'];
  id: string | null;
  key: string | null;
}

const OPERATOR = 'operator:';
const SYSTEM = 'system';

export function encodeActor(actor: Actor): string {
  switch (actor.type) {
    case 'operator':
      return `${OPERATOR}${actor.name}`;
    case 'system':
      return actor.part ?? SYSTEM;
    default:
      return `${actor.type}:${publicId(actor.type, actor.id)}:${publicId('apiKey', actor.keyId)}`;
  }
}

/** Text of no other form names a part of the product. */
export function parseActor(text: string): Actor | ActorByKey {
  if (text === SYSTEM) return { type: 'system', part: null };
  if (text.startsWith(OPERATOR)) return { type: 'operator', name: text.slice(OPERATOR.length) };
  const [type, first, second = ''] = text.split(':');
  if (type === 'api_key') {
    const keyId = parsePublicId('apiKey', first ?? '');
    if (keyId !== undefined) return { type, keyId };
  }
  if (type === 'person' || type === 'service') {
    const [id, keyId] = [parsePublicId(type, first ?? ''), parsePublicId('apiKey', second)];
    if (id !== undefined && keyId !== undefined) return { type, id, keyId };
  }
  return { type: 'system', part: text };
}

/** An actor as the API shows it. A key without a known owner is a service's: a service has fewer rights than a person. */
export function viewOfActor(
  actor: Actor | ActorByKey,
  owners: ReadonlyMap<Uuid, { readonly kind: OwnerKind; readonly id: Uuid }>,
): ActorView {
  switch (actor.type) {
    case 'operator':
      return { type: 'operator', id: actor.name, key: null };
    case 'system':
      return { type: 'system', id: actor.part, key: null };
    case 'api_key': {
      const owner = owners.get(actor.keyId);
      const key = publicId('apiKey', actor.keyId);
      if (!owner) return { type: 'service', id: null, key };
      return { type: owner.kind, id: publicId(owner.kind, owner.id), key };
    }
    default:
      return { type: actor.type, id: publicId(actor.type, actor.id), key: publicId('apiKey', actor.keyId) };
  }
}
