import type { Queryable } from '../../db/pool.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Payment } from '../payment/payment.ts';
import { payments } from '../payment/payment-table.ts';

/** A payment as its page needs it. */
export interface Checkout {
  readonly bookId: BookId;
  readonly mode: Mode;
  /** The organisation that is paid. */
  readonly merchant: string;
  readonly payment: Payment;
}

/** The payment whose page has a token of this digest. Indexes: payments_by_checkout, books_pkey, organisations_pkey. */
export async function findCheckout(db: Queryable, digest: Buffer): Promise<Checkout | undefined> {
  const { rows } = await db.query({
    name: 'payments.by_checkout',
    text: `SELECT p.*, b.mode AS book_mode, o.name AS merchant FROM (
        SELECT book_id, ${payments.selected()} FROM payments WHERE checkout_digest = $1
      ) AS p JOIN books AS b ON b.id = p.book_id JOIN organisations AS o ON o.id = b.organisation_id`,
    values: [digest],
  });
  const [row] = rows;
  return row && { bookId: row.book_id, mode: row.book_mode, merchant: row.merchant, payment: payments.fromRow(row) };
}
