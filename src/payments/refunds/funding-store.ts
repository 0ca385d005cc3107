import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { CAPTURES_MAX } from '../payment/payment.ts';

/**
 * Shares that a refund may take from beside the payment's own: more days than money waits for a release. What gives it back touches
 * each of them and the ready one of its day, so twice those and what 50 captures wait in (an ordinary share and a reserve each), and
 * the captures: 2 * (300 + 2 * 50) + 50 = 850. A command touches 1,000 rows at most, and has a few of its own.
 */
export const SHARES_MAX = 300;

/** The captures of a payment that succeeded. Index: payment_operations_by_payment. */
export async function listCapturesToRefund(
  db: Queryable,
  bookId: BookId,
  paymentId: Uuid,
): Promise<PaymentOperation[]> {
  const { rows } = await db.query({
    name: 'payment_operations.captures',
    text: `SELECT ${paymentOperations.selected()} FROM payment_operations
      WHERE book_id = $1 AND payment_id = $2 AND kind = 'capture' AND status = 'succeeded' ORDER BY id LIMIT ${CAPTURES_MAX}`,
    values: [bookId, paymentId],
  });
  return rows.map(paymentOperations.fromRow);
}

/**
 * The open shares of an account that hold something, the last to be released first, and reserves behind all others. Index:
 * payment_shares_open. The amount is no part of the index: a capture that adds to a share would write it each time, where its
 * update is one within the page (HOT).
 */
export async function listOpenShares(db: Queryable, bookId: BookId, accountId: Uuid): Promise<Uuid[]> {
  const { rows } = await db.query<{ id: Uuid }>({
    name: 'payment_shares.open_of_account',
    text: `SELECT id FROM payment_shares WHERE book_id = $1 AND account_id = $2 AND status = 'open' AND amount > 0
      ORDER BY is_reserve, available_on DESC, id DESC LIMIT ${SHARES_MAX}`,
    values: [bookId, accountId],
  });
  return rows.map(({ id }) => id);
}
