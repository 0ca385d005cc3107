/**
 * Opened secrets, kept for as long as they are used: opening one costs more than signing with it. Known by their sealed
 * form, so that a rotation needs no invalidation.
 */
import type { Instant } from '../clock.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { DeliveryEndpoint } from './delivery.ts';
import { createSigningKey, type SigningKey } from './signature.ts';

/** Endpoints in use at one time; beyond it, the one that has been there longest makes room. */
const CACHED_MAX = 2_000;

type Secrets = Pick<DeliveryEndpoint, 'secretSealed' | 'previousSecretSealed' | 'previousSecretUntil'>;

export class SigningKeys {
  readonly #secretBox: SecretBox;
  readonly #opened = new Map<string, SigningKey>();

  constructor(secretBox: SecretBox) {
    this.#secretBox = secretBox;
  }

  /** The keys that sign at this moment, the newest first. Throws when a secret cannot be opened. */
  of({ secretSealed, previousSecretSealed, previousSecretUntil }: Secrets, now: Instant): SigningKey[] {
    if (secretSealed === null) throw new Error('The endpoint has no secret');
    const keys = [this.#open(secretSealed)];
    if (previousSecretSealed !== null && previousSecretUntil !== null && previousSecretUntil > now)
      keys.push(this.#open(previousSecretSealed));
    return keys;
  }

  #open(sealed: Buffer): SigningKey {
    const name = sealed.toString('latin1');
    const known = this.#opened.get(name);
    if (known) return known;
    const key = createSigningKey(this.#secretBox.open(sealed));
    if (this.#opened.size >= CACHED_MAX) this.#opened.delete(this.#opened.keys().next().value!);
    this.#opened.set(name, key);
    return key;
  }
}
