import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Payment, PaymentStatus } from './payment.ts';
import { payments } from './payment-table.ts';

export interface PaymentFilter {
  /** The account that they are for. */
  readonly accountId?: Uuid;
  readonly statuses?: readonly PaymentStatus[];
  readonly createdGte?: Instant;
  readonly createdLt?: Instant;
  readonly externalId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * A page of payments, newest first. Indexes: payments_by_account, payments_by_external_id, payments_by_status, metadata_index; else
 * payments_pkey.
 */
export function listPayments(
  db: Queryable,
  bookId: BookId,
  { accountId, statuses, createdGte, createdLt, externalId, metadata }: PaymentFilter,
  page: PageRequest,
): Promise<Page<Payment>> {
  const among = { account_id: valuesOf(accountId), external_id: valuesOf(externalId), status: statuses };
  const filter = { among, created: { gte: createdGte, lt: createdLt }, metadata };
  return listRows(db, { table: payments, object: 'payment' }, { bookId, filter, page });
}

const valuesOf = (value: string | undefined) => (value === undefined ? undefined : [value]);
