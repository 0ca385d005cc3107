/** How a person ended a payout that its rail left unknown, with the evidence. */
import type { Instant } from '../clock.ts';
import { column } from '../db/declared-columns.ts';
import type { Pool } from '../db/pool.ts';
import type { SealedPlace } from '../db/secret-box.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { WRITE_ORDER } from '../ledger/table.ts';
import { tableOf } from '../ledger/table-of.ts';

export interface PayoutResolution {
  readonly payoutId: Uuid;
  readonly outcome: 'paid' | 'failed';
  /** `operator:NAME`. */
  readonly actor: string;
  readonly evidenceName: string;
  readonly evidenceSha256: Buffer;
  /** As it was given: until the contract to 0.3.0, and null once it is erased. */
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
    column('outcome', 'text'),
    column('actor', 'text'),
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
