import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Book, BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Uuid } from '../../values/ids.ts';
import { hasOwnCounter } from '../controls/controls-content.ts';
import type { StoredControls } from '../controls/controls-table.ts';
import type { Program } from '../program/program.ts';
import { programInForce, programs } from '../program/program-table.ts';
import { counters, limitCounterId, type StoredCounter, scopeCounterId } from './counter-table.ts';

/** Versions of controls with all that their usage is worked out from. */
export interface UsageRead {
  readonly book: Book;
  readonly program: Program;
  /** By version: the account's, or of the program every currency in which the book has accounts. */
  readonly currencies: ReadonlyMap<Uuid, readonly string[]>;
  readonly counters: ReadonlyMap<Uuid, StoredCounter>;
}

/** Reads what a page of versions has used up. Indexes: card_counters_pkey, cards_pkey, account_profiles_pkey, default_accounts_pkey. */
export async function readUsage(
  db: Queryable,
  bookId: BookId,
  versions: readonly StoredControls[],
): Promise<UsageRead> {
  const book = await loadBook(db, bookId);
  if (!book) throw new Error(`Book ${bookId} does not exist`);
  const currencies = await readCurrencies(db, bookId, versions);
  const ids = versions.flatMap((version) =>
    (currencies.get(version.id) ?? []).flatMap((currency) => counterIdsOf(version, currency)),
  );
  return {
    book,
    program: programInForce(await programs.find(db, bookId, bookId), book),
    currencies,
    counters: await counters.load(db, bookId, [...new Set(ids)]),
  };
}

/** The counter of the scope, and those of limits that have their own. */
function counterIdsOf({ id, subjectId, content }: StoredControls, currency: string): Uuid[] {
  const own = content.limits.flatMap((limit, place) =>
    hasOwnCounter(limit) ? [limitCounterId(id, place, currency)] : [],
  );
  return [scopeCounterId(subjectId, currency), ...own];
}

async function readCurrencies(
  db: Queryable,
  bookId: BookId,
  versions: readonly StoredControls[],
): Promise<Map<Uuid, string[]>> {
  const { rows } = await db.query<{ id: Uuid; currencies: string[] }>({
    name: 'card_controls.currencies',
    text: `SELECT v.id, CASE v.scope
        WHEN 'card' THEN ARRAY (SELECT currency FROM cards c WHERE c.book_id = v.book_id AND c.id = v.card_id)
        WHEN 'account' THEN ARRAY (
          SELECT currency FROM account_profiles p WHERE p.book_id = v.book_id AND p.account_id = v.account_id)
        ELSE ARRAY (SELECT currency FROM default_accounts d WHERE d.book_id = v.book_id ORDER BY currency)
      END AS currencies FROM card_controls v WHERE v.book_id = $1 AND v.id = ANY ($2::uuid[])`,
    values: [bookId, plainArray(versions.map(({ id }) => id))],
  });
  return new Map(rows.map(({ id, currencies }) => [id, currencies]));
}
