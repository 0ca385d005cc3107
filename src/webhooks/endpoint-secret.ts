/**
 * The two answers that show a secret: to creation and to rotation. An answer is stored under its idempotency key, and no
 * secret is stored in plain text. So the answer is stored with the secret sealed for it, and the secret is opened when the
 * answer is sent. A replay gives the same bytes, also after another rotation. Also here: the places that secrets are sealed
 * for (db/secret-box.ts).
 */
import type { SealedPlace, SecretBox } from '../db/secret-box.ts';
import { internalKey } from '../idempotency/idempotency-key.ts';
import type { BookId } from '../ledger/book.ts';
import type { Shown } from '../ledger/rows/resource.ts';
import type { Uuid } from '../values/ids.ts';
import { toJson, type WrittenJson, writeJson } from '../values/json.ts';
import { endpointView, type WebhookEndpoint } from './endpoint.ts';

export function secretPlace(bookId: BookId, endpointId: Uuid): SealedPlace {
  return { bookId, table: 'webhook_endpoints', column: 'secret_sealed', rowId: endpointId };
}

export function previousSecretPlace(bookId: BookId, endpointId: Uuid): SealedPlace {
  return { bookId, table: 'webhook_endpoints', column: 'previous_secret_sealed', rowId: endpointId };
}

/** All secrets of `earlier_secrets` of an endpoint. */
export function earlierSecretPlace(bookId: BookId, endpointId: Uuid): SealedPlace {
  return { bookId, table: 'webhook_endpoints', column: 'earlier_secrets', rowId: endpointId };
}

/** The secret in the answer that is stored under this idempotency key. */
export function answerSecretPlace(bookId: BookId, key: string): SealedPlace {
  return { bookId, table: 'idempotency_keys', column: 'body', rowId: key };
}

/** A new secret, to be sealed twice: for the endpoint's row, and for the answer that shows it. */
export interface NewSecret {
  bookId: BookId;
  /** The caller's idempotency key, under which the answer is stored; null without one. */
  idempotencyKey: string | null;
  /** In plain text. */
  secret: string;
  secretBox: SecretBox;
}

/** The sealed secrets: for the endpoint's row, and for the row of the idempotency key with the answer. */
export function sealNewSecret(
  { bookId, idempotencyKey, secret, secretBox }: NewSecret,
  { commandId, endpointId }: { commandId: Uuid; endpointId: Uuid },
): { secretSealed: Buffer; answerSealed: Buffer } {
  const storedUnder = answerSecretPlace(bookId, idempotencyKey ?? internalKey(commandId));
  return {
    secretSealed: secretBox.seal(secret, secretPlace(bookId, endpointId)),
    answerSealed: secretBox.seal(secret, storedUnder),
  };
}

/** The text to be stored. `secretSealed` is sealed for its idempotency key. */
export function concealedAnswer(endpoint: WebhookEndpoint, shown: Shown, secretSealed: Buffer): WrittenJson {
  return writeJson({ ...endpointView(endpoint, shown), secret: secretSealed.toString('base64') });
}

/** The text to be sent, from the one that was stored. Text without a secret (a refusal) is sent as it is. */
export function revealedAnswer(stored: string, secretBox: SecretBox, place: SealedPlace): string {
  const sealed = concealedSecret(stored);
  if (sealed === undefined) return stored;
  return toJson({ ...JSON.parse(stored), secret: secretBox.open(Buffer.from(sealed, 'base64'), place) });
}

/** The secret in a stored answer as it is sealed, in base64; undefined where the answer shows none. */
export function concealedSecret(stored: string): string | undefined {
  const answer = JSON.parse(stored) as { object?: unknown; secret?: unknown };
  return answer.object === 'webhook_endpoint' && typeof answer.secret === 'string' ? answer.secret : undefined;
}
