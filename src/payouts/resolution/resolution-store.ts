/** How a person ended a payout that its rail left unknown, with the evidence. */

import { column } from '../../db/declared-columns.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import type { SealedPlace } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface PayoutResolution {
  readonly payoutId: Uuid;
  readonly outcome: 'paid' | 'failed';
  /** `operator:NAME`. */
  readonly actor: string;
  readonly evidenceName: string;
  readonly evidenceSha256: Buffer;
  /** As it was given: before texts were kept apart, and null once it is erased. */
  readonly evidence: Buffer | null;
  /** The file's base64, sealed. */
  readonly evidenceSealed: Buffer | null;
  readonly createdAt: Instant;
}

/** What a payout's evidence is sealed for. */
export function evidencePlace(bookId: BookId, payoutId: Uuid): SealedPlace {
  return { bookId, table: 'payout_resolutions', column: 'evidence_sealed', rowId: payoutId };
}

/** By the payout's id: a payout is resolved once. */
export const payoutResolutions = tableOf<PayoutResolution>({
  name: 'payout_resolutions',
  key: 'payout_id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('payout_id', 'uuid'),
    column('outcome', 'code'),
    column('actor', 'text', { notPersonal: 'actor' }),
    column('evidence_name', 'text', { personal: true }),
    column('evidence_sha256', 'bytea'),
    column('evidence', 'bytea', { personal: true }),
    column('evidence_sealed', 'bytea', { sealed: true, personal: true }),
    column('created_at', 'timestamptz'),
  ],
});

/** The book of a payout, whichever it is: one probe of payouts_pkey a book. */
export async function findBookOfPayout(pool: Pool, payoutId: Uuid): Promise<BookId | undefined> {
  const { rows } = await pool.query<{ id: BookId }>(
    `SELECT books.id FROM books CROSS JOIN LATERAL (
       SELECT FROM payouts WHERE payouts.book_id = books.id AND payouts.id = $1 OFFSET 0) AS found LIMIT 1`,
    [payoutId],
  );
  return rows[0]?.id;
}

/**
 * Exceptions that ended with their payout before they had stages are approved, by the operator who ended it. Their rows name
 * nobody, and no event was emitted. Run at each migration, by the owner's role; reads all exceptions.
 */
export async function nameOperatorsOfExceptions(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE exceptions SET stage = 'approved', handled_by = NULL, approved_by = (
       SELECT r.actor FROM payout_resolutions r
       WHERE r.book_id = exceptions.book_id AND r.payout_id = exceptions.resource_id AND exceptions.resource = 'payout')
     WHERE status = 'resolved' AND stage <> 'approved'`,
  );
}

/** How a person resolved a payout, with name and SHA-256 of the evidence, as its timeline shows it. Index: payout_resolutions_pkey. */
export async function readOperatorReason(
  db: Queryable,
  bookId: BookId,
  payoutId: Uuid,
): Promise<{ evidence: string; evidence_sha256: string } | undefined> {
  const { rows } = await db.query<{ evidence_name: string; sha256: string }>({
    name: 'timeline.resolution',
    text: `SELECT evidence_name, encode(evidence_sha256, 'hex') AS sha256 FROM payout_resolutions
      WHERE book_id = $1 AND payout_id = $2`,
    values: [bookId, payoutId],
  });
  return rows[0] && { evidence: rows[0].evidence_name, evidence_sha256: rows[0].sha256 };
}
