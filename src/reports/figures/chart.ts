/** The accounts of a book at a place of its journal, page by page, with what they are. */
import type { Queryable } from '../../db/pool.ts';
import { type AccountType, SYSTEM_ACCOUNTS } from '../../ledger/account/chart-names.ts';
import {
  type AccountAtPlace,
  type JournalPlace,
  loadBalancesAt,
  readBalancesAt,
} from '../../ledger/balances/balances-at.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { loadOwnProfiles, type OwnProfile } from './chart-store.ts';

/** An account as reports name it. */
export interface NamedAccount {
  /** Of the chart; of an own account, its own one. */
  readonly code: string;
  /** For people; null for a customer. */
  readonly name: string | null;
  readonly type: AccountType;
}

export interface ChartEntry extends AccountAtPlace {
  readonly named: NamedAccount;
}

/** A page takes some 10 ms of accounts with a million lines each. */
const ACCOUNTS_PER_PAGE = 500;

export function nameOf({ code }: Pick<AccountAtPlace, 'code'>, own: OwnProfile | undefined): NamedAccount {
  if (code === 'own') return own!;
  if (code === 'customer') return { code, name: null, type: 'liability' };
  return { code, ...SYSTEM_ACCOUNTS[code] };
}

export interface ChartPage {
  readonly entries: readonly ChartEntry[];
  /** The last account that was read. */
  readonly last: Uuid;
}

/** Those of these ids that there are. */
export async function chartEntriesOf(
  db: Queryable,
  bookId: BookId,
  place: JournalPlace,
  ids: readonly Uuid[],
): Promise<ChartEntry[]> {
  return namedOf(db, bookId, await loadBalancesAt(db, bookId, place, ids));
}

async function namedOf(db: Queryable, bookId: BookId, accounts: readonly AccountAtPlace[]): Promise<ChartEntry[]> {
  const ids = accounts.filter(({ code }) => code === 'own').map(({ id }) => id);
  const own = await loadOwnProfiles(db, bookId, ids);
  return accounts.map((account) => ({ ...account, named: nameOf(account, own.get(account.id)) }));
}

/** In the order of their ids, behind `from`. Accounts without a line by then are among them. */
export async function* chartAt(
  db: Queryable,
  bookId: BookId,
  place: JournalPlace,
  { currency }: { readonly currency?: string | undefined } = {},
  from: Uuid = BEFORE_ALL_IDS,
): AsyncGenerator<ChartPage> {
  for (let after = from; ; ) {
    const page = await readBalancesAt(db, bookId, place, { after, limit: ACCOUNTS_PER_PAGE });
    const kept = currency === undefined ? page : page.filter((account) => account.currency === currency);
    yield { entries: await namedOf(db, bookId, kept), last: page.at(-1)?.id ?? after };
    if (page.length < ACCOUNTS_PER_PAGE) return;
    after = further('accounts of a report', after, page.at(-1)!.id);
  }
}
