/**
 * Balances of accounts at a place of the journal, by days of posting or of effect. Posted ones are those of a line. By effect, lines of other days are
 * added and taken off: few of them from their log; of many, totals behind the journal have the sums by day, and the log is read behind these alone.
 */
import type { Queryable } from '../../db/pool.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';
import { sumLog, sumLogBehind } from '../journal/effective-log-store.ts';
import { type AccountAtPlace, loadPostedAt, readPostedAt } from './balances-at-store.ts';
import { type FoldedAccount, loadFoldedAccounts, onSide } from './totals/folded-accounts.ts';

export type { AccountAtPlace } from './balances-at-store.ts';

/** Where balances are read: entries up to a sequence, by the end of a day of the book. */
export interface JournalPlace {
  /** Entries behind it do not count. */
  readonly sequence: bigint;
  /** The last of them that was posted by the end of the day. */
  readonly postedThrough: bigint;
  /** The day, YYYY-MM-DD, where lines count by the day on which they take effect. Null: by that of their posting. */
  readonly day: string | null;
}

/** Lines of an account's log that are read one by one: half a millisecond. Of more, totals are read. */
export const LOG_LINES_MAX = 100;
/** Before all days. */
const FIRST_DAY = '';

/** A page of the book's accounts by id. Throws FigureContradicted. */
export async function readBalancesAt(
  db: Queryable,
  bookId: BookId,
  place: JournalPlace,
  page: { readonly after: Uuid; readonly limit: number },
): Promise<AccountAtPlace[]> {
  return byEffect(db, bookId, place, await readPostedAt(db, bookId, place.postedThrough, page));
}

/** The same of some accounts. */
export async function loadBalancesAt(
  db: Queryable,
  bookId: BookId,
  place: JournalPlace,
  ids: readonly Uuid[],
): Promise<AccountAtPlace[]> {
  return byEffect(db, bookId, place, await loadPostedAt(db, bookId, place.postedThrough, ids));
}

async function byEffect(
  db: Queryable,
  bookId: BookId,
  { day, sequence }: JournalPlace,
  accounts: AccountAtPlace[],
): Promise<AccountAtPlace[]> {
  if (day === null || accounts.length === 0) return accounts;
  const changes = await loadEffectiveChanges(db, bookId, { day, sequence }, accounts);
  return accounts.map((account) => ({ ...account, posted: account.posted + changes.get(account.id)! }));
}

/**
 * What lines of other days add to posted balances at the end of a day, on each account's own side. `line` and `posted` are those of the day. Throws
 * FigureContradicted.
 */
export async function loadEffectiveChanges(
  db: Queryable,
  bookId: BookId,
  at: { readonly day: string; readonly sequence: bigint },
  accounts: readonly Pick<AccountAtPlace, 'id' | 'line' | 'posted'>[],
): Promise<Map<Uuid, bigint>> {
  const logs = await sumLog(db, bookId, { ids: accounts.map(({ id }) => id), ...at, most: LOG_LINES_MAX });
  const changes = new Map(logs.map(({ id, change }) => [id, change]));
  const long = logs.filter(({ lines }) => lines > LOG_LINES_MAX).map(({ id }) => id);
  if (long.length === 0) return changes;
  const days = { from: FIRST_DAY, to: at.day };
  const folded = await loadFoldedAccounts(db, bookId, { ids: long, ...at, ...days });
  const behind = await sumLogBehind(db, bookId, [...folded.values()], at);
  const behindOf = new Map(behind.map(({ id, change }) => [id, change]));
  for (const { id, line, posted } of accounts) {
    const totals = folded.get(id);
    if (totals !== undefined) changes.set(id, changeOf(totals, { line, posted }) + behindOf.get(id)!);
  }
  return changes;
}

/** Of lines that are folded: what takes effect by the day, less what was posted by then. */
function changeOf(totals: FoldedAccount, day: Pick<AccountAtPlace, 'line' | 'posted'>): bigint {
  const effective = onSide(totals.side, { debits: totals.debitsWithin, credits: totals.creditsWithin });
  return effective - (day.line <= totals.line ? day.posted : totals.posted);
}

/** Of those of these accounts that have a long log: what takes effect from one day to another, as far as it is folded. Throws FigureContradicted. */
export async function loadLongFolded(
  db: Queryable,
  bookId: BookId,
  of: { readonly ids: readonly Uuid[]; readonly sequence: bigint; readonly from: string; readonly to: string },
): Promise<Map<Uuid, FoldedAccount>> {
  const logs = await sumLog(db, bookId, { ...of, day: of.to, most: LOG_LINES_MAX });
  const ids = logs.filter(({ lines }) => lines > LOG_LINES_MAX).map(({ id }) => id);
  return ids.length === 0 ? new Map() : loadFoldedAccounts(db, bookId, { ...of, ids });
}
