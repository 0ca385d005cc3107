/** Accounts of a book's chart, each with its own row or the profile of its customer. */
import { accountProfiles } from '../../accounts/account/account-profile-table.ts';
import { build, type Page, type PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Walk, WalkedList } from '../../db/walk.ts';
import { walkOf } from '../../db/walk-by-time.ts';
import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Origin } from '../../ledger/account/chart-names.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { ChartAccount } from './chart-account-view.ts';
import { ownAccounts } from './own-account-table.ts';

/** Indexes: the primary keys. */
export async function findChartAccount(db: Queryable, bookId: BookId, id: Uuid): Promise<ChartAccount | undefined> {
  const account = await accounts.find(db, bookId, id);
  return account && (await withRows(db, bookId, [account]))[0];
}

async function withRows(db: Queryable, bookId: BookId, found: readonly Account[]): Promise<ChartAccount[]> {
  const of = (code: string) => found.filter((account) => account.code === code).map(({ id }) => id);
  const [own, customers] = [of('own'), of('customer')];
  const [ownRows, profiles] = await Promise.all([
    own.length === 0 ? undefined : ownAccounts.load(db, bookId, own),
    customers.length === 0 ? undefined : accountProfiles.load(db, bookId, customers),
  ]);
  return found.map((account) => ({
    account,
    own: ownRows?.get(account.id),
    customer: profiles?.get(account.id),
  }));
}

export interface ChartAccountFilter {
  readonly origin?: Origin | undefined;
  readonly currency?: string | undefined;
  /** Of an own account. */
  readonly code?: string | undefined;
}

const IS_OF: Readonly<Record<Origin, string>> = {
  own: "a.code = 'own'",
  customer: "a.code = 'customer'",
  system: "a.code NOT IN ('own', 'customer')",
};

/**
 * A page of accounts in the order of their ids, the greatest first. Indexes: accounts_pkey, and own_accounts_pkey where only own
 * accounts are asked for. Throws ApiError `cursor_invalid` for a cursor that is no account of the list.
 */
export async function listChartAccounts(
  db: Queryable,
  bookId: BookId,
  { origin, currency, code }: ChartAccountFilter,
  page: PageRequest,
): Promise<Page<ChartAccount>> {
  const isOwn = origin === 'own' || code !== undefined;
  const equal = { book_id: bookId };
  const all: Walk = isOwn ? { table: 'own_accounts', id: 'account_id', equal } : { table: 'accounts', id: 'id', equal };
  const list: WalkedList = {
    all,
    walks: [],
    rechecked: origin !== undefined || currency !== undefined || code !== undefined,
    row(candidate) {
      const query = build('accounts as a')
        .select(build.raw(`${accounts.selected('a')}, 0 AS bytes`))
        .where({ 'a.book_id': bookId, 'a.id': candidate });
      if (currency !== undefined) query.where('a.currency', currency);
      if (origin !== undefined) query.whereRaw(IS_OF[origin]);
      if (code !== undefined)
        query.whereExists(
          build('own_accounts as o').where({ 'o.book_id': bookId, 'o.account_id': candidate, 'o.code': code }),
        );
      return query;
    },
  };
  const { rows, ...end } = await walkOf<object>(db, { ...list, created: {} }, page);
  return { rows: await withRows(db, bookId, rows.map(accounts.fromRow)), ...end };
}
