/** Messages of partners as received: stored before they are read, until they are acknowledged and their retention has passed. */
import { hash } from 'node:crypto';
import { plainArray } from '../../db/columns.ts';
import type { Pool } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PartnerMessage, PartnerNotice } from '../party/partner.ts';

/**
 * Stores a message once. `known` for one that is stored already, and `conflict` where its id is stored with another
 * body. Index: partner_notices_by_webhook_id.
 */
export async function keepPartnerNotice(
  pool: Pool,
  { partner, webhookId, body }: PartnerMessage,
  { id, now }: { id: Uuid; now: Instant },
): Promise<'kept' | 'known' | 'conflict'> {
  const digest = hash('sha256', body, 'buffer');
  const { rowCount } = await pool.query(
    `INSERT INTO partner_notices (partner, id, webhook_id, body_digest, body, received_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (partner, webhook_id) WHERE webhook_id IS NOT NULL DO NOTHING`,
    [partner, id, webhookId, digest, Buffer.from(body), new Date(now)],
  );
  if (rowCount === 1) return 'kept';
  const { rows } = await pool.query<{ same: boolean }>(
    'SELECT body_digest = $3 AS same FROM partner_notices WHERE partner = $1 AND webhook_id = $2',
    [partner, webhookId, digest],
  );
  return rows[0]?.same === true ? 'known' : 'conflict';
}

/** The oldest that are not acknowledged: ids are time-ordered. Index: partner_notices_open. */
export async function openPartnerNotices(
  pool: Pool,
  partner: string,
  { limit, behind }: { limit: number; behind: Uuid },
): Promise<PartnerNotice[]> {
  const { rows } = await pool.query<{ id: Uuid; body: Buffer; received_at: Instant }>(
    `SELECT id, body, received_at FROM partner_notices
     WHERE partner = $1 AND acknowledged_at IS NULL AND id > $3 ORDER BY id LIMIT $2`,
    [partner, limit, behind],
  );
  return rows.map((row) => ({ id: row.id, body: row.body.toString(), receivedAt: row.received_at }));
}

/** What is forgotten keeps its digest: the same message is still known, and another one under its id a conflict. Index: partner_notices_pkey. */
export async function acknowledgePartnerNotices(
  pool: Pool,
  partner: string,
  ids: readonly Uuid[],
  { at, forget = false }: { readonly at: Instant; readonly forget?: boolean | undefined },
): Promise<void> {
  await pool.query(
    `UPDATE partner_notices SET acknowledged_at = $3${forget ? ", body = ''" : ''}
     WHERE partner = $1 AND id = ANY ($2::uuid[]) AND acknowledged_at IS NULL`,
    [partner, plainArray(ids), new Date(at)],
  );
}

/**
 * Deletes a page of messages acknowledged before. Retention is at least a day, so that a message cannot come again
 * under a timestamp that is still valid. Indexes: partner_notices_acknowledged, partner_notices_pkey.
 */
export async function deletePartnerNotices(
  pool: Pool,
  { before, limit }: { before: Instant; limit: number },
): Promise<number> {
  const { rowCount } = await pool.query(
    `WITH aged AS MATERIALIZED (
       SELECT partner, id FROM partner_notices WHERE acknowledged_at < $1 ORDER BY acknowledged_at LIMIT $2)
     DELETE FROM partner_notices USING aged WHERE partner_notices.partner = aged.partner AND partner_notices.id = aged.id`,
    [new Date(before), limit],
  );
  return rowCount ?? 0;
}
