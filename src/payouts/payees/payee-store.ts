import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Instant } from '../../values/clock.ts';
import type { Payee, PayeeStatus } from './payee.ts';
import { payees } from './payee-table.ts';

export interface PayeeFilter {
  readonly statuses?: readonly PayeeStatus[] | undefined;
  readonly created?: { readonly gte?: Instant | undefined; readonly lt?: Instant | undefined } | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** A page of payees, newest first. Indexes: payees_by_external_id, payees_by_status, payees_by_created, metadata_index; else payees_pkey. */
export function listPayees(
  db: Queryable,
  bookId: BookId,
  { statuses, created, externalId, metadata }: PayeeFilter,
  page: PageRequest,
): Promise<Page<Payee>> {
  const among = { external_id: externalId === undefined ? undefined : [externalId], status: statuses };
  return listRows(
    db,
    { table: payees, object: 'payee' },
    { bookId, filter: { among, created: { gte: created?.gte, lt: created?.lt }, metadata }, page },
  );
}
