/**
 * The secret by which the endpoint of a program knows who asks: sealed in the program's row, and in the answer that shows it
 * (idempotency/answer-secret.ts).
 */
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import { answerSecretPlace } from '../../idempotency/answer-secret.ts';
import { internalKey } from '../../idempotency/idempotency-key.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { SealedKey } from '../../outside/connections/opened-keys.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { newSecret } from '../../values/standard-webhooks.ts';
import type { StoredProgram } from './program-table.ts';

export function programSecretPlace(
  bookId: BookId,
  column: 'secret_sealed' | 'previous_secret_sealed' = 'secret_sealed',
): SealedPlace {
  return { bookId, table: 'card_programs', column, rowId: bookId };
}

/** A new secret, sealed twice. */
export interface SealedSecret {
  readonly forRow: Buffer;
  readonly forAnswer: Buffer;
}

export function sealNewSecret(
  secretBox: SecretBox,
  { bookId, idempotencyKey, commandId }: { bookId: BookId; idempotencyKey: string | null; commandId: Uuid },
): SealedSecret {
  const secret = newSecret();
  return {
    forRow: secretBox.seal(secret, programSecretPlace(bookId)),
    forAnswer: secretBox.seal(secret, answerSecretPlace(bookId, idempotencyKey ?? internalKey(commandId))),
  };
}

/** The secrets that sign at a moment of the world, the newest first. Empty for a program that never had an endpoint. */
export function signingSecrets(
  own: Pick<StoredProgram, 'id' | 'secretSealed' | 'previousSecretSealed' | 'previousSecretUntil'>,
  now: Instant,
): SealedKey[] {
  const { id, secretSealed, previousSecretSealed, previousSecretUntil } = own;
  if (secretSealed === null) return [];
  const secrets = [{ sealed: secretSealed, place: programSecretPlace(id) }];
  if (previousSecretSealed !== null && previousSecretUntil !== null && previousSecretUntil > now)
    secrets.push({ sealed: previousSecretSealed, place: programSecretPlace(id, 'previous_secret_sealed') });
  return secrets;
}
