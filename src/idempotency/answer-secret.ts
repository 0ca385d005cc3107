/**
 * Answers that show a secret: to the creation of a webhook endpoint, to a program's first endpoint, to rotations, to new API keys. An answer is stored under
 * its idempotency key, and no secret is stored in plain text. So the answer is stored with the secret sealed for it, and the secret is opened
 * when the answer is sent. A replay gives the same bytes, also after another rotation.
 */
import type { SealedPlace, SecretBox } from '../db/secret-box.ts';
import type { BookId } from '../ledger/book/book.ts';
import { toJson } from '../values/json.ts';

/** By object: the member of its answers that may be a secret. */
const SECRETS: Readonly<Record<string, string>> = {
  webhook_endpoint: 'secret',
  card_program: 'decision_secret',
  api_key: 'secret',
};

/** The secret in the answer that is stored under this idempotency key. */
export function answerSecretPlace(bookId: BookId, key: string): SealedPlace {
  return { bookId, table: 'idempotency_keys', column: 'body', rowId: key };
}

/** The text to be sent, from the one that was stored. Text without a secret (a refusal) is sent as it is. */
export function revealedAnswer(stored: string, secretBox: SecretBox, place: SealedPlace): string {
  const found = findSecret(stored);
  if (found === undefined) return stored;
  const { answer, member, sealed } = found;
  return toJson({ ...answer, [member]: secretBox.open(Buffer.from(sealed, 'base64'), place) });
}

/** The secret in a stored answer as it is sealed, in base64; undefined where the answer shows none. */
export function concealedSecret(stored: string): string | undefined {
  return findSecret(stored)?.sealed;
}

function findSecret(stored: string): { answer: object; member: string; sealed: string } | undefined {
  const answer = JSON.parse(stored) as Record<string, unknown>;
  const member = typeof answer.object === 'string' ? SECRETS[answer.object] : undefined;
  const sealed = member === undefined ? undefined : answer[member];
  return typeof sealed === 'string' ? { answer, member: member!, sealed } : undefined;
}
