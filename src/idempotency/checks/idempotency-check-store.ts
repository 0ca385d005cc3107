import type { Queryable } from '../../db/pool.ts';
import type { Uuid } from '../../ids.ts';
import type { BookId } from '../../ledger/book.ts';

export interface KeyRow {
  readonly key: string;
  readonly status: number | null;
  readonly body: string | null;
  readonly resource: string | null;
  readonly resourceId: Uuid | null;
  readonly voided: boolean;
  /** Null for a resource whose table is not known here. */
  readonly hasResource: boolean | null;
}

interface KeyColumns {
  key: string;
  status: number | null;
  body: string | null;
  resource: string | null;
  resource_id: string | null;
  voided: boolean;
  has_resource: boolean | null;
}

/**
 * Reads a page of keys, each with whether its resource exists. One statement and so one moment: key and resource are
 * written in one commit. Indexes: idempotency_keys_pkey and the primary keys of the resources.
 */
export async function readKeys(
  db: Queryable,
  bookId: BookId,
  page: { after: string | undefined; limit: number },
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyColumns>({
    name: 'verify.keys',
    text: `SELECT k.key, k.status, k.body, k.resource, k.resource_id, k.voided_at IS NOT NULL AS voided,
        CASE k.resource
          WHEN 'payout' THEN EXISTS (SELECT FROM payouts r WHERE r.book_id = $1 AND r.id = k.resource_id)
          WHEN 'account' THEN EXISTS (SELECT FROM account_profiles r WHERE r.book_id = $1 AND r.account_id = k.resource_id)
          WHEN 'inbound_transfer' THEN EXISTS (SELECT FROM inbound_transfers r WHERE r.book_id = $1 AND r.id = k.resource_id)
          WHEN 'webhook_endpoint' THEN EXISTS (SELECT FROM webhook_endpoints r WHERE r.book_id = $1 AND r.id = k.resource_id)
        END AS has_resource
      FROM (SELECT * FROM idempotency_keys WHERE book_id = $1 AND key > COALESCE($2::text, '') ORDER BY key LIMIT $3) k
      ORDER BY k.key`,
    values: [bookId, page.after ?? null, page.limit],
  });
  return rows.map((row) => ({
    key: row.key,
    status: row.status,
    body: row.body,
    resource: row.resource,
    resourceId: row.resource_id,
    voided: row.voided,
    hasResource: row.has_resource,
  }));
}
