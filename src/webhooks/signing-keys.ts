/**
 * A cache of opened secrets: opening one costs more than signing with it. The cache key is the sealed form and its place. So
 * a rotation needs no invalidation, and a sealed secret copied to another row is not found.
 */

import type { SealedPlace, SecretBox } from '../db/secret-box.ts';
import type { Instant } from '../values/clock.ts';
import { createSigningKey, type SigningKey } from '../values/standard-webhooks.ts';
import type { DeliveryEndpoint } from './delivery.ts';
import { earlierSecretPlace, previousSecretPlace, secretPlace } from './endpoint-secret.ts';

/** Most keys in the cache. Beyond it, the oldest makes room. */
const CACHED_MAX = 2_000;

type Secrets = Pick<
  DeliveryEndpoint,
  'bookId' | 'id' | 'secretSealed' | 'previousSecretSealed' | 'previousSecretUntil' | 'earlierSecrets'
>;

export class SigningKeys {
  readonly #secretBox: SecretBox;
  readonly #opened = new Map<string, SigningKey>();

  constructor(secretBox: SecretBox) {
    this.#secretBox = secretBox;
  }

  /** The keys that sign at this moment, the newest first. Throws when a secret cannot be opened. */
  of(endpoint: Secrets, now: Instant): SigningKey[] {
    const { bookId, id, secretSealed, previousSecretSealed, previousSecretUntil, earlierSecrets = [] } = endpoint;
    if (secretSealed === null) throw new Error('The endpoint has no secret');
    const keys = [this.#open(secretSealed, secretPlace(bookId, id))];
    if (previousSecretSealed !== null && previousSecretUntil !== null && previousSecretUntil > now)
      keys.push(this.#open(previousSecretSealed, previousSecretPlace(bookId, id)));
    for (const { sealed, until } of earlierSecrets)
      if (until > now) keys.push(this.#open(sealed, earlierSecretPlace(bookId, id)));
    return keys;
  }

  #open(sealed: Buffer, place: SealedPlace): SigningKey {
    const name = `${place.bookId} ${place.rowId} ${place.column} ${sealed.toString('latin1')}`;
    const known = this.#opened.get(name);
    if (known) return known;
    const key = createSigningKey(this.#secretBox.open(sealed, place));
    if (this.#opened.size >= CACHED_MAX) this.#opened.delete(this.#opened.keys().next().value!);
    this.#opened.set(name, key);
    return key;
  }
}
