import { existsSql } from '../../db/keyed-table.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Until } from '../../group/until.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { DeclaredResource } from '../../ledger/resources/declared-resource.ts';
import type { Uuid } from '../../values/ids.ts';

export interface KeyRow {
  readonly key: string;
  readonly status: number | null;
  readonly body: string | null;
  readonly resource: string | null;
  readonly resourceId: Uuid | null;
  readonly voided: boolean;
  /** Null for a resource that no group declares. */
  readonly hasResource: boolean | null;
  /** Whether the event that the body refers to is one about the resource. Null for a body that refers to none. */
  readonly hasEvent: boolean | null;
}

interface KeyColumns {
  key: string;
  status: number | null;
  body: string | null;
  resource: string | null;
  resource_id: string | null;
  voided: boolean;
  has_resource: boolean | null;
  has_event: boolean | null;
}

/** As idempotency/event-answer.ts writes it. */
const REFERRED = `substring(k.body FROM '^\\{"\\$event":"([0-9]{1,18})"\\}$')::bigint`;

/**
 * Reads a page of keys, each with whether its resource exists. One statement and so one moment: key and resource are
 * written in one commit. Keys that were made behind `until` are passed over: callers choose keys, and new ones may come
 * ahead of every page. Indexes: idempotency_keys_pkey, events_pkey and the primary keys of the resources.
 */
export async function readKeys(
  db: Queryable,
  bookId: BookId,
  page: { after: string | undefined; limit: number; until?: Until | undefined; resources: readonly DeclaredResource[] },
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyColumns>({
    name: 'verify.keys',
    text: `SELECT k.key, k.status, k.body, k.resource, k.resource_id, k.voided_at IS NOT NULL AS voided,
        ${existsSql(page.resources, { name: 'k.resource', id: 'k.resource_id' })} AS has_resource,
        CASE WHEN ${REFERRED} IS NOT NULL THEN
          EXISTS (SELECT FROM events e WHERE e.book_id = $1 AND e.sequence = ${REFERRED} AND e.object_id IS NOT DISTINCT FROM k.resource_id)
        END AS has_event
      FROM (SELECT * FROM idempotency_keys WHERE book_id = $1 AND key > COALESCE($2::text, '')
          AND ($4::timestamptz IS NULL OR created_at <= $4) ORDER BY key LIMIT $3) k
      ORDER BY k.key`,
    values: [bookId, page.after ?? null, page.limit, page.until === undefined ? null : new Date(page.until.at)],
  });
  return rows.map((row) => ({
    key: row.key,
    status: row.status,
    body: row.body,
    resource: row.resource,
    resourceId: row.resource_id,
    voided: row.voided,
    hasResource: row.has_resource,
    hasEvent: row.has_event,
  }));
}
