import { build, type Page, type PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Walk, WalkedList } from '../../db/walk.ts';
import { walkOf } from '../../db/walk-by-time.ts';
import type { AccountStatus } from '../../ledger/account/account.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { metadataWalks } from '../../ledger/resources/metadata-store.ts';
import type { Instant } from '../../values/clock.ts';
import {
  CUSTOMER_ACCOUNT_JOIN,
  CUSTOMER_ACCOUNT_SELECT,
  type CustomerAccount,
  customerAccountFromRow,
} from './customer-account-store.ts';

export interface AccountFilter {
  statuses?: readonly AccountStatus[];
  currency?: string;
  createdGte?: Instant;
  createdLt?: Instant;
  externalId?: string;
  metadata?: Record<string, string>;
}

/**
 * A page of accounts, newest first. Indexes: account_profiles_by_external_id, metadata_index_pkey, accounts_by_status
 * (accounts that are not open) and account_profiles_by_currency. The rarest filter is walked; without one,
 * account_profiles_pkey. Throws ApiError `cursor_invalid` for a cursor that is no account of a customer.
 */
export async function listAccounts(
  db: Queryable,
  bookId: BookId,
  filter: AccountFilter,
  page: PageRequest,
): Promise<Page<CustomerAccount>> {
  const { statuses, currency, externalId, metadata } = filter;
  const created = { gte: filter.createdGte, lt: filter.createdLt };
  const all = { table: 'account_profiles', id: 'account_id', equal: { book_id: bookId } };
  const walks: Walk[] = metadataWalks(bookId, 'account', metadata);
  if (externalId !== undefined) walks.unshift({ ...all, among: { column: 'external_id', values: [externalId] } });
  if (statuses?.length && !statuses.includes('open')) walks.push(notOpen(bookId, statuses));
  if (currency !== undefined) walks.push({ ...all, among: { column: 'currency', values: [currency] } });
  const list: WalkedList = {
    all,
    walks,
    // The metadata index keeps pairs that an update has replaced. Open accounts have no index by status.
    rechecked: statuses !== undefined || metadata !== undefined,
    row(candidate) {
      const query = build
        .select(build.raw(`${CUSTOMER_ACCOUNT_SELECT}, COALESCE(octet_length(p.metadata::text), 0) AS bytes`))
        .from(build.raw(CUSTOMER_ACCOUNT_JOIN))
        .where({ 'p.book_id': bookId, 'p.account_id': candidate });
      if (statuses?.length) query.whereIn('a.status', [...statuses]);
      if (currency !== undefined) query.where('p.currency', currency);
      if (externalId !== undefined) query.where('p.external_id', externalId);
      if (metadata !== undefined) query.whereRaw('p.metadata @> ?::jsonb', [JSON.stringify(metadata)]);
      return query;
    },
  };
  const { rows, ...end } = await walkOf<{ is_default: boolean }>(db, { ...list, created }, page);
  return { rows: rows.map(customerAccountFromRow), ...end };
}

/** Index: accounts_by_status, which also has the book's chart accounts. Those have no profile. */
function notOpen(bookId: BookId, statuses: readonly AccountStatus[]): Walk {
  return {
    table: 'accounts',
    id: 'id',
    equal: { book_id: bookId },
    among: { column: 'status', values: statuses },
    predicate: "status <> 'open'",
  };
}
