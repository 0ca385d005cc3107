import type { Instant } from '../clock.ts';
import { build, createdBetween, keyset, type Page, type PageRequest, pageOf, runBuilt } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import type { AccountStatus } from '../ledger/account.ts';
import type { BookId } from '../ledger/book.ts';
import {
  CUSTOMER_ACCOUNT_JOIN,
  CUSTOMER_ACCOUNT_SELECT,
  type CustomerAccount,
  customerAccountFromRow,
} from './account-profile-store.ts';

export interface AccountFilter {
  statuses?: readonly AccountStatus[];
  currency?: string;
  createdGte?: Instant;
  createdLt?: Instant;
  externalId?: string;
  metadata?: Record<string, string>;
}

/** A page of accounts, newest first. Indexes: account_profiles_pkey, _by_currency, _by_external_id, metadata_index. */
export async function listAccounts(
  db: Queryable,
  bookId: BookId,
  filter: AccountFilter,
  page: PageRequest,
): Promise<Page<CustomerAccount>> {
  const query = build
    .select(build.raw(CUSTOMER_ACCOUNT_SELECT))
    .from(build.raw(CUSTOMER_ACCOUNT_JOIN))
    .where('p.book_id', bookId);
  if (filter.statuses?.length) query.whereIn('a.status', [...filter.statuses]);
  if (filter.currency !== undefined) query.where('p.currency', filter.currency);
  if (filter.externalId !== undefined) query.where('p.external_id', filter.externalId);
  for (const [key, value] of Object.entries(filter.metadata ?? {})) {
    query.whereRaw(
      "p.account_id IN (SELECT object_id FROM metadata_index WHERE book_id = ? AND object = 'account' AND key = ? AND value = ?)",
      [bookId, key, value],
    );
    // The index keeps pairs that an update has replaced; the row itself decides.
    query.whereRaw('p.metadata @> ?::jsonb', [JSON.stringify({ [key]: value })]);
  }
  createdBetween(
    query,
    { gte: filter.createdGte, lt: filter.createdLt },
    { id: 'p.account_id', createdAt: 'p.created_at' },
  );
  const rows = await runBuilt<Parameters<typeof customerAccountFromRow>[0]>(db, keyset(query, page, 'p.account_id'));
  return pageOf(rows.map(customerAccountFromRow), page);
}
