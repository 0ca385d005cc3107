/** The rows of webhook endpoints, deleted ones too: commands load them, and the decision refuses them. */

import { column, type RowOf } from '../db/declared-columns.ts';
import { newSalt } from '../ledger/rows/personal-text.ts';
import { WRITE_ORDER } from '../ledger/rows/table.ts';
import { tableOf } from '../ledger/rows/table-of.ts';
import type { Instant } from '../values/clock.ts';
import type { EarlierSecret, WebhookEndpoint } from './endpoint.ts';

const AGAIN = `webhook_endpoints.url = v.url AND (webhook_endpoints.status = v.status OR v.status <> 'enabled')`;

/** As `earlier_secrets` holds it: the sealed bytes in base64, the end in milliseconds. */
export interface StoredSecret {
  readonly sealed: string;
  readonly until: Instant;
}

type EndpointRow = Omit<RowOf<WebhookEndpoint>, 'earlier_secrets'> & {
  earlier_secrets: readonly StoredSecret[] | null;
};

function storedSecret({ sealed, until }: EarlierSecret): StoredSecret {
  return { sealed: sealed.toString('base64'), until };
}

/** Null for none, as in a row of release 0.2.0. */
function storedSecrets(secrets: readonly EarlierSecret[]): StoredSecret[] | null {
  return secrets.length === 0 ? null : secrets.map(storedSecret);
}

export function readSecrets(stored: readonly StoredSecret[] | null): EarlierSecret[] {
  return (stored ?? []).map(({ sealed, until }) => ({ sealed: Buffer.from(sealed, 'base64'), until }));
}

export const webhookEndpoints = tableOf<WebhookEndpoint>({
  name: 'webhook_endpoints',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  /**
   * `failing_since` and `failed_other_at` belong to the deliverer, which writes them without the book's lock: a command never writes back what it
   * read. Another URL, or being enabled again, is a new beginning: what waits is attempted at once.
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
    column('earlier_secrets', 'jsonb', ({ earlierSecrets }) => storedSecrets(earlierSecrets), {
      notPersonal: 'facts',
      changes: true,
    }),
    column('failing_since', 'timestamptz'),
    column('failed_other_at', 'timestamptz'),
    column('metadata', 'jsonb', { changes: true, personal: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
  fromRow: (row: EndpointRow) => ({
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    status: row.status,
    disabledReason: row.disabled_reason,
    secretSealed: row.secret_sealed,
    previousSecretSealed: row.previous_secret_sealed,
    previousSecretUntil: row.previous_secret_until,
    earlierSecrets: readSecrets(row.earlier_secrets),
    failingSince: row.failing_since,
    failedOtherAt: row.failed_other_at,
    metadata: row.metadata,
    // A row of release 0.2.0, and an erased one, has none: it is given one with its next change.
    textSalt: row.text_salt ?? newSalt(),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }),
});
