import type { Pool } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';

/** What was submitted to a bank, with the payout that it is of. */
export interface CheckedInstruction {
  readonly endToEndId: string;
  readonly rail: string;
  /** Null while it is known of a file in sent/ alone. */
  readonly originator: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly payout: { readonly rail: string; readonly amount: bigint; readonly currency: string } | null;
}

/** A page in the order of ids. Each payout is found by its own book's key. Indexes: bank_instructions_pkey, payouts_end_to_end_id. */
export async function readInstructions(
  pool: Pool,
  bookId: BookId,
  { after = '', limit }: { after: string | undefined; limit: number },
): Promise<CheckedInstruction[]> {
  const { rows } = await pool.query<{
    end_to_end_id: string;
    rail: string;
    originator: string | null;
    amount: bigint;
    currency: string;
    payout_rail: string | null;
    payout_amount: bigint | null;
    payout_currency: string | null;
  }>(
    `SELECT i.end_to_end_id, i.rail, i.originator, i.amount, i.currency, p.rail AS payout_rail, p.amount AS payout_amount,
       p.currency AS payout_currency
     FROM (SELECT end_to_end_id, rail, originator, amount, currency FROM bank_instructions
           WHERE book_id = $1 AND end_to_end_id > $2 ORDER BY end_to_end_id LIMIT $3) i
     LEFT JOIN LATERAL (SELECT rail, amount, currency FROM payouts
                        WHERE book_id = i.originator AND end_to_end_id = i.end_to_end_id LIMIT 1) p ON true
     ORDER BY i.end_to_end_id`,
    [bookId, after, limit],
  );
  return rows.map((row) => ({
    endToEndId: row.end_to_end_id,
    rail: row.rail,
    originator: row.originator,
    amount: row.amount,
    currency: row.currency,
    payout:
      row.payout_rail === null
        ? null
        : { rail: row.payout_rail, amount: row.payout_amount!, currency: row.payout_currency! },
  }));
}
