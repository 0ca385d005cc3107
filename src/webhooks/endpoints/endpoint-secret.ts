/**
 * The secrets of an endpoint as they are sealed (db/secret-box.ts): for its row, and for the two answers that show one, to creation and to
 * rotation (idempotency/answer-secret.ts).
 */
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import { answerSecretPlace } from '../../idempotency/answer-secret.ts';
import { internalKey } from '../../idempotency/idempotency-key.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Shown } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import { type WrittenJson, writeJson } from '../../values/json.ts';
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
