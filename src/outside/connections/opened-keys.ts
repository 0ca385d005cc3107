/**
 * A cache of opened secrets: opening one costs more than signing with it. The cache key is the sealed form and its place. So
 * a rotation needs no invalidation, and a sealed secret copied to another row is not found.
 */
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import { createPrivateSigningKey, createSigningKey, type SigningKey } from '../../values/standard-webhooks.ts';

/** A signing secret as it is stored. */
export interface SealedKey {
  readonly sealed: Buffer;
  readonly place: SealedPlace;
}

/** Most keys in the cache. */
const CACHED_MAX = 2_000;

export class OpenedKeys {
  readonly #secretBox: SecretBox;
  readonly #opened = new BoundedMap<string, SigningKey>(CACHED_MAX);

  constructor(secretBox: SecretBox) {
    this.#secretBox = secretBox;
  }

  /** Throws SecretBoxError when the secret cannot be opened. */
  open(key: SealedKey): SigningKey {
    return this.#openAs(key, createSigningKey);
  }

  /** The same of an Ed25519 key. */
  openPrivate(key: SealedKey): SigningKey {
    return this.#openAs(key, createPrivateSigningKey);
  }

  #openAs({ sealed, place }: SealedKey, create: (secret: string) => SigningKey): SigningKey {
    const name = `${place.bookId} ${place.rowId} ${place.column} ${sealed.toString('latin1')}`;
    const known = this.#opened.get(name);
    if (known) return known;
    const key = create(this.#secretBox.open(sealed, place));
    this.#opened.set(name, key);
    return key;
  }
}
