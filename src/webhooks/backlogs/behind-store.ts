/** Endpoints that are behind, over all books, for metrics. */

import { COUNT_LIMIT } from '../../db/count-limit.ts';
import type { Pool } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';

/**
 * Counts endpoints that are behind, up to COUNT_LIMIT, and finds since when the first of them is. Index:
 * webhook_endpoints_due.
 */
export async function readEndpointsBehind(pool: Pool): Promise<{ endpoints: number; oldestSince: Instant | null }> {
  const { rows } = await pool.query<{ endpoints: bigint; oldest: Instant | null }>(
    `SELECT count(*) AS endpoints, min(behind_since) AS oldest
     FROM (SELECT behind_since FROM webhook_endpoints WHERE due_at IS NOT NULL LIMIT ${COUNT_LIMIT}) AS due
     WHERE behind_since IS NOT NULL`,
  );
  return { endpoints: Number(rows[0]!.endpoints), oldestSince: rows[0]!.oldest };
}

/**
 * Counts deliveries that wait for endpoints that are behind, up to COUNT_LIMIT. Indexes: webhook_endpoints_due,
 * webhook_deliveries_open.
 */
export async function countDeliveriesWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ waiting: bigint }>(
    `SELECT count(*) AS waiting FROM (
       SELECT FROM (SELECT book_id, id, waiting_from FROM webhook_endpoints WHERE due_at IS NOT NULL LIMIT 1000) AS w
       CROSS JOIN LATERAL (SELECT FROM webhook_deliveries d WHERE d.book_id = w.book_id AND d.endpoint_id = w.id
         AND d.event_sequence >= w.waiting_from AND d.status <> 'delivered' AND d.status = 'pending' LIMIT ${COUNT_LIMIT}) AS d
       LIMIT ${COUNT_LIMIT}) AS waiting`,
  );
  return Number(rows[0]!.waiting);
}
