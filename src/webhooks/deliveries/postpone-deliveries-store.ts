/** Due deliveries as the sweeper postpones them (operations/due-store.ts), and the backlogs that they join. */

import { instantArray, plainArray } from '../../db/columns.ts';
import type { Pool } from '../../db/pool.ts';
import type { DueRow } from '../../group/moved-rows.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

/** Of a delivery `open`. Index: webhook_endpoints_pkey. */
export const ITS_ENDPOINT_IS_DUE =
  'EXISTS (SELECT FROM webhook_endpoints w WHERE w.book_id = open.book_id AND w.id = open.endpoint_id AND w.due_at IS NOT NULL)';

/**
 * Postpones deliveries by compare-and-set, as rows of other tables are. Deliveries of an endpoint that is behind join its backlog: they
 * are due with their endpoint, and have no due time of their own. Their ids are not among those returned.
 */
export async function postponeDueDeliveries(
  pool: Pool,
  { bookId, due, until }: { bookId: Uuid; due: readonly DueRow[]; until: Instant },
): Promise<string[]> {
  const keys = due.map((row) => row.id.split(':'));
  const { rows: postponed } = await pool.query<{ id: string }>(
    `WITH behind AS (
       -- Held until the end: none catches up between this look and the deliveries that join.
       SELECT id FROM webhook_endpoints
       WHERE book_id = $1 AND id = ANY ($3::uuid[]) AND behind_since IS NOT NULL AND due_at IS NOT NULL
       ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
     ), free AS (
       SELECT delivery.place FROM unnest($2::bigint[], $3::uuid[], $4::timestamptz[]) AS seen (event_sequence, endpoint_id, due_at)
       CROSS JOIN LATERAL (SELECT ctid AS place FROM webhook_deliveries
         WHERE book_id = $1 AND endpoint_id = seen.endpoint_id AND event_sequence = seen.event_sequence
           AND due_at IS NOT DISTINCT FROM seen.due_at AND stuck_at IS NULL
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS delivery
     ), moved AS (
       UPDATE webhook_deliveries SET due_at = CASE WHEN endpoint_id = ANY (ARRAY (SELECT id FROM behind)) THEN NULL ELSE $5::timestamptz END
       WHERE book_id IS NOT DISTINCT FROM $1 AND ctid = ANY (ARRAY (SELECT place FROM free))
       RETURNING event_sequence, endpoint_id, endpoint_id = ANY (ARRAY (SELECT id FROM behind)) AS waits
     ), lowered AS (
       -- Who drains it may be past them: told by joined_from (keepBacklog, clearBacklog).
       UPDATE webhook_endpoints w SET waiting_from = LEAST(w.waiting_from, first.event_sequence),
         joined_from = LEAST(w.joined_from, first.event_sequence)
       FROM (SELECT endpoint_id, min(event_sequence) AS event_sequence FROM moved WHERE waits GROUP BY endpoint_id) AS first
       WHERE w.book_id = $1 AND w.id = first.endpoint_id
     )
     SELECT event_sequence || ':' || endpoint_id AS id FROM moved WHERE NOT waits`,
    [
      bookId,
      plainArray(keys.map(([sequence]) => sequence!)),
      plainArray(keys.map(([, endpointId]) => endpointId!)),
      instantArray(due.map((row) => row.dueAt)),
      new Date(until),
    ],
  );
  return postponed.map(({ id }) => id);
}
