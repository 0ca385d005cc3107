/** The keys that sign the events of an endpoint. */
import type { SecretBox } from '../../db/secret-box.ts';
import { OpenedKeys } from '../../outside/connections/opened-keys.ts';
import type { Instant } from '../../values/clock.ts';
import { type SignedMessage, type SigningKey, sign, signAsymmetric } from '../../values/standard-webhooks.ts';
import type { DeliveryEndpoint } from '../deliveries/delivery.ts';
import { signingKeyPlace } from '../endpoints/endpoint-options.ts';
import { earlierSecretPlace, previousSecretPlace, secretPlace } from '../endpoints/endpoint-secret.ts';

type Secrets = Pick<
  DeliveryEndpoint,
  | 'bookId'
  | 'id'
  | 'secretSealed'
  | 'previousSecretSealed'
  | 'previousSecretUntil'
  | 'earlierSecrets'
  | 'signatures'
  | 'signingKeySealed'
>;

export class SigningKeys {
  readonly #opened: OpenedKeys;

  constructor(secretBox: SecretBox) {
    this.#opened = new OpenedKeys(secretBox);
  }

  /** The value of `webhook-signature`: the signatures that the endpoint asks for. Throws when a secret cannot be opened. */
  sign(endpoint: Secrets, message: SignedMessage, now: Instant): string {
    const { bookId, id, signatures = ['v1'], signingKeySealed = null } = endpoint;
    const signed: string[] = [];
    if (signatures.includes('v1')) signed.push(sign(message, this.of(endpoint, now)));
    if (signatures.includes('v1a')) {
      if (signingKeySealed === null) throw new Error('The endpoint has no signing key');
      const key = this.#opened.openPrivate({ sealed: signingKeySealed, place: signingKeyPlace(bookId, id) });
      signed.push(signAsymmetric(message, key));
    }
    return signed.join(' ');
  }

  /** The keys that sign at this moment, the newest first. Throws when a secret cannot be opened. */
  of(endpoint: Secrets, now: Instant): SigningKey[] {
    const { bookId, id, secretSealed, previousSecretSealed, previousSecretUntil, earlierSecrets = [] } = endpoint;
    if (secretSealed === null) throw new Error('The endpoint has no secret');
    const keys = [this.#opened.open({ sealed: secretSealed, place: secretPlace(bookId, id) })];
    if (previousSecretSealed !== null && previousSecretUntil !== null && previousSecretUntil > now)
      keys.push(this.#opened.open({ sealed: previousSecretSealed, place: previousSecretPlace(bookId, id) }));
    for (const { sealed, until } of earlierSecrets)
      if (until > now) keys.push(this.#opened.open({ sealed, place: earlierSecretPlace(bookId, id) }));
    return keys;
  }
}
