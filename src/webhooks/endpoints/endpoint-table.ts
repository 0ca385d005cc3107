/** The rows of webhook endpoints, deleted ones too: commands load them, and the decision refuses them. */

import { type Codec, column } from '../../db/declared-columns.ts';
import { SALT_FOR_NONE } from '../../ledger/rows/personal-text-table.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { EarlierSecret, WebhookEndpoint } from './endpoint.ts';

const AGAIN = `webhook_endpoints.url = v.url AND (webhook_endpoints.status = v.status OR v.status <> 'enabled')`;

/** As in `earlier_secrets`: the sealed bytes in base64, the end in milliseconds. */
export interface StoredSecret {
  readonly sealed: string;
  readonly until: Instant;
}

function storedSecret({ sealed, until }: EarlierSecret): StoredSecret {
  return { sealed: sealed.toString('base64'), until };
}

/** Null for an empty list, as in a row from before there were several. */
function storedSecrets(secrets: readonly EarlierSecret[]): StoredSecret[] | null {
  return secrets.length === 0 ? null : secrets.map(storedSecret);
}

export function readSecrets(stored: readonly StoredSecret[] | null): EarlierSecret[] {
  return (stored ?? []).map(({ sealed, until }) => ({ sealed: Buffer.from(sealed, 'base64'), until }));
}

const EARLIER_SECRETS: Codec<readonly EarlierSecret[]> = { store: storedSecrets, read: readSecrets };

export const webhookEndpoints = tableOf<WebhookEndpoint>({
  name: 'webhook_endpoints',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  /**
   * `failing_since` and `failed_other_at` belong to the deliverer, which writes them without the book's lock: a command
   * never writes back what it read. Another URL, or enabling, begins anew: waiting deliveries are attempted at once.
   */
  alsoSet: `failing_since = CASE WHEN ${AGAIN} THEN webhook_endpoints.failing_since END,
    retry_at = CASE WHEN webhook_endpoints.retry_at IS NULL OR (${AGAIN}) THEN webhook_endpoints.retry_at ELSE now() END,
    due_at = CASE WHEN webhook_endpoints.due_at IS NULL OR (${AGAIN}) THEN webhook_endpoints.due_at ELSE now() END`,
  columns: [
    column('id', 'uuid'),
    column('url', 'text', { notPersonal: 'address', changes: true, url: true }),
    column('description', 'text', { changes: true, personal: true }),
    column('events', 'text list', { notPersonal: 'facts', changes: true }),
    column('status', 'code', { changes: true }),
    column('disabled_reason', 'code', { changes: true }),
    column('secret_sealed', 'bytea', { changes: true, sealed: true }),
    column('previous_secret_sealed', 'bytea', { changes: true, sealed: true }),
    column('previous_secret_until', 'timestamptz', { changes: true }),
    column('earlier_secrets', 'jsonb', { codec: EARLIER_SECRETS, notPersonal: 'facts', changes: true }),
    column('ordered', 'boolean', { changes: true }),
    column('rate_per_second', 'integer', { changes: true }),
    column('headers', 'jsonb', { notPersonal: 'masked', changes: true }),
    column('headers_sealed', 'bytea', { changes: true, sealed: true }),
    column('signatures', 'text list', { notPersonal: 'facts', changes: true }),
    column('signing_key_sealed', 'bytea', { changes: true, sealed: true }),
    column('public_key', 'text', { notPersonal: 'facts', changes: true }),
    column('disabled_at', 'timestamptz', { changes: true }),
    column('failing_since', 'timestamptz'),
    column('failed_other_at', 'timestamptz'),
    column('metadata', 'jsonb', { changes: true, personal: true }),
    column('text_salt', 'bytea', { codec: SALT_FOR_NONE, changes: true }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
