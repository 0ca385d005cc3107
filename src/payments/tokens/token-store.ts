import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PaymentToken } from './payment-token.ts';
import { paymentTokens } from './payment-token-table.ts';

/** A token that is not deleted. Index: payment_tokens_pkey. */
export async function findToken(db: Queryable, bookId: BookId, id: Uuid): Promise<PaymentToken | undefined> {
  const token = await paymentTokens.find(db, bookId, id);
  return token?.status === 'deleted' ? undefined : token;
}

/**
 * A page of the tokens that are not deleted, newest first, of one customer where one is named. Indexes:
 * payment_tokens_by_customer_reference, payment_tokens_listed.
 */
export function listTokens(
  db: Queryable,
  bookId: BookId,
  { customerReference }: { customerReference?: string | undefined },
  page: PageRequest,
): Promise<Page<PaymentToken>> {
  const among = { customer_reference: customerReference === undefined ? undefined : [customerReference] };
  const listed = { table: paymentTokens, predicate: `status <> 'deleted'` };
  return listRows(db, listed, { bookId, filter: { among }, page });
}
