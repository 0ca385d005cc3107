/** Notices of the sandbox acquirer, until they are acknowledged. */

import { plainArray } from '../db/columns.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { AcquirerNotice } from './acquirer.ts';

interface NoticeRow {
  id: string;
  originator: string;
  reference: string;
  kind: AcquirerNotice['kind'];
  amount: bigint | null;
  code: string | null;
  acquirer_reference: string;
  instructed: bigint;
  currency: string;
  created_at: Instant;
}

const toNotice = (row: NoticeRow): AcquirerNotice => ({
  id: row.id,
  originator: row.originator,
  endToEndId: row.reference,
  kind: row.kind,
  amount: row.amount,
  code: row.code,
  reference: row.acquirer_reference,
  confirmed: { amount: row.instructed, currency: row.currency },
  createdAt: row.created_at,
});

const NOTICE = `n.id, n.originator, n.reference, n.kind, n.amount, n.code,
  coalesce(n.dispute, i.acquirer_reference) AS acquirer_reference, i.amount AS instructed,
  i.currency, n.created_at`;

/** SQL of the acquirer's own id of a dispute, from the notice that opens it. */
export function disputeIdSql(noticeId: string): string {
  return `'SBD' || upper(replace(${noticeId}::text, '-', ''))`;
}

/** Oldest first: ids are time-ordered. Index: notices_open. */
export async function openNotices(pool: Pool, limit: number, behind: Uuid): Promise<AcquirerNotice[]> {
  const { rows } = await pool.query<NoticeRow>(
    `SELECT ${NOTICE} FROM sandbox_acquirer.notices AS n JOIN sandbox_acquirer.instructions AS i USING (originator, reference)
     WHERE n.acknowledged_at IS NULL AND n.id > $2 ORDER BY n.id LIMIT $1`,
    [limit, behind],
  );
  return rows.map(toNotice);
}

/** The notice of this id, if it is about this instruction. Index: notices_pkey. */
export async function findNotice(
  pool: Pool,
  { id, originator, reference }: { id: Uuid; originator: string; reference: string },
): Promise<AcquirerNotice | undefined> {
  const { rows } = await pool.query<NoticeRow>(
    `SELECT ${NOTICE} FROM sandbox_acquirer.notices AS n JOIN sandbox_acquirer.instructions AS i USING (originator, reference)
     WHERE n.id = $1 AND n.originator = $2 AND n.reference = $3`,
    [id, originator, reference],
  );
  return rows[0] && toNotice(rows[0]);
}

export async function readNotice(db: Queryable, id: Uuid): Promise<AcquirerNotice | undefined> {
  const { rows } = await db.query<NoticeRow>(
    `SELECT ${NOTICE} FROM sandbox_acquirer.notices AS n JOIN sandbox_acquirer.instructions AS i USING (originator, reference)
     WHERE n.id = $1`,
    [id],
  );
  return rows[0] && toNotice(rows[0]);
}

export async function acknowledgeNotices(pool: Pool, ids: readonly Uuid[], at: Instant): Promise<void> {
  await pool.query(
    'UPDATE sandbox_acquirer.notices SET acknowledged_at = $2 WHERE id = ANY ($1::uuid[]) AND acknowledged_at IS NULL',
    [plainArray(ids), new Date(at)],
  );
}
