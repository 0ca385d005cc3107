/**
 * The two answers that show a secret: to creation and to rotation. An answer is stored under its idempotency key, and no
 * secret stands in the database in the clear; so it is stored with the secret as it is sealed, and opened on its way out.
 * A replay gives the same bytes, also after another rotation.
 */
import type { SecretBox } from '../db/secret-box.ts';
import { toJson } from '../json.ts';
import { endpointView, type WebhookEndpoint } from './endpoint.ts';

/** The text to be stored. */
export function concealedAnswer(endpoint: WebhookEndpoint, livemode: boolean): string {
  return toJson({ ...endpointView(endpoint, livemode), secret: endpoint.secretSealed?.toString('base64') });
}

/** The text to be sent, from the one that was stored. Text without a secret (a refusal) is sent as it is. */
export function revealedAnswer(stored: string, secretBox: SecretBox): string {
  const answer = JSON.parse(stored) as { object?: unknown; secret?: unknown };
  if (answer.object !== 'webhook_endpoint' || typeof answer.secret !== 'string') return stored;
  return toJson({ ...answer, secret: secretBox.open(Buffer.from(answer.secret, 'base64')) });
}
