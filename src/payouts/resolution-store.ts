/** How a person ended a payout that its rail left unknown, with the evidence. */
import type { Instant } from '../clock.ts';
import { byteaArray, column, instantArray, plainArray, rowsOf, textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { type Table, WRITE_ORDER } from '../ledger/table.ts';

export interface PayoutResolution {
  readonly payoutId: Uuid;
  readonly outcome: 'paid' | 'failed';
  /** `operator:NAME`. */
  readonly actor: string;
  readonly evidenceName: string;
  readonly evidenceSha256: Buffer;
  readonly evidence: Buffer;
  readonly createdAt: Instant;
}

/** By the payout's id: a payout is resolved once. */
export const payoutResolutions: Table<PayoutResolution> = {
  name: 'payout_resolutions',
  writeOrder: WRITE_ORDER.resourceChildren,
  /** Index: payout_resolutions_pkey. */
  async load(trx, bookId, ids) {
    const { rows } = await trx.query({
      name: 'payout_resolutions.load',
      text: `SELECT payout_id, outcome, actor, evidence_name, evidence_sha256, evidence, created_at FROM payout_resolutions
        WHERE book_id = $1 AND payout_id = ANY ($2::uuid[])`,
      values: [bookId, plainArray(ids)],
    });
    return new Map(
      rows.map((row): [Uuid, PayoutResolution] => [
        row.payout_id,
        {
          payoutId: row.payout_id,
          outcome: row.outcome,
          actor: row.actor,
          evidenceName: row.evidence_name,
          evidenceSha256: row.evidence_sha256,
          evidence: row.evidence,
          createdAt: row.created_at,
        },
      ]),
    );
  },
  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'payout_resolutions.insert',
      text: `INSERT INTO payout_resolutions (book_id, payout_id, outcome, actor, evidence_name, evidence_sha256, evidence, created_at)
        SELECT $1, ${rowsOf('uuid', 'text', 'text', 'text', 'bytea', 'bytea', 'timestamptz')}`,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.payoutId)),
        textArray(column(rows, (row) => row.outcome)),
        textArray(column(rows, (row) => row.actor)),
        textArray(column(rows, (row) => row.evidenceName)),
        byteaArray(column(rows, (row) => row.evidenceSha256)),
        byteaArray(column(rows, (row) => row.evidence)),
        instantArray(column(rows, (row) => row.createdAt)),
      ],
    });
  },
  update() {
    return Promise.reject(new Error('A resolution never changes'));
  },
};

/** The book of a payout, whichever it is: one probe of payouts_pkey a book. */
export async function findBookOfPayout(pool: Pool, payoutId: Uuid): Promise<BookId | undefined> {
  const { rows } = await pool.query<{ id: BookId }>(
    `SELECT books.id FROM books CROSS JOIN LATERAL (
       SELECT FROM payouts WHERE payouts.book_id = books.id AND payouts.id = $1 OFFSET 0) AS found LIMIT 1`,
    [payoutId],
  );
  return rows[0]?.id;
}
