/**
 * Counters with what they should have counted, as of one moment. That of a line is the sum of its purchases, that of an account the sum of
 * its lines, that of the book the sum of its accounts: none of them reads more than what is directly below it. That of a limit with a filter
 * is the sum of the purchases of its scope that began since its version is in force (counted-purchases-store.ts).
 */

import type { ControlsEnforced } from '../../../cards/controls/controls.ts';
import { hasOwnCounter } from '../../../cards/controls/controls-content.ts';
import { type ControlsInForce, controlsInForce } from '../../../cards/controls/controls-table.ts';
import type { Counter, WindowCount } from '../../../cards/counters/counter.ts';
import { counters, limitCounterId, type StoredCounter, scopeCounterId } from '../../../cards/counters/counter-table.ts';
import { programs } from '../../../cards/program/program-table.ts';
import { plainArray } from '../../../db/columns.ts';
import type { Pool, Transaction } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';
import { sumOfPurchases } from './counted-purchases-store.ts';

export interface CounterHistory {
  readonly counter: StoredCounter;
  /** Undefined where the rows do not show it: see countedOfLimit. */
  readonly counted: Counter | undefined;
}

type Page = { after: Uuid | undefined; limit: number };

/** A page in the order of ids. Indexes: card_counters_pkey, cards_by_line, cards_by_account, transactions_by_card. */
export function readCounterHistories(pool: Pool, bookId: BookId, page: Page): Promise<CounterHistory[]> {
  return inSnapshot(pool, async (trx) =>
    withCounted(trx, bookId, await readPage(trx, bookId, { ...page, of: 'true' })),
  );
}

/** Of the program's limits with a filter: each sums up the purchases of the book, so that a range reads them once. */
export function readProgramLimitHistories(pool: Pool, bookId: BookId, page: Page): Promise<CounterHistory[]> {
  const of = 'controls_id IS NOT NULL AND subject_id = book_id';
  return inSnapshot(pool, async (trx) => withCounted(trx, bookId, await readPage(trx, bookId, { ...page, of })));
}

/**
 * Those that these purchases change, but for the program's limits with a filter. Ids of other resources are skipped.
 * Indexes: transactions_pkey, card_controls_in_force_pkey, card_counters_pkey.
 */
export function readCounterHistoriesOf(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<CounterHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows: scopes } = await trx.query<{ id: Uuid; currency: string }>(
      `SELECT DISTINCT unnest(ARRAY[line_id, account_id, book_id]) AS id, currency FROM transactions
       WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
      [bookId, plainArray(ids)],
    );
    if (scopes.length === 0) return [];
    const subjects = scopes.map(({ id }) => id).filter((id) => id !== bookId);
    const inForce = await controlsInForce.load(trx, bookId, [...new Set(subjects)]);
    const named = scopes.flatMap(({ id, currency }) => [
      scopeCounterId(id, currency),
      ...limitCounterIds(inForce.get(id), currency),
    ]);
    return withCounted(trx, bookId, [...(await counters.load(trx, bookId, named)).values()]);
  });
}

function limitCounterIds(inForce: ControlsInForce | undefined, currency: string): Uuid[] {
  return versionsIn(inForce).flatMap(({ id, content }) =>
    content.limits.flatMap((limit, place) => (hasOwnCounter(limit) ? [limitCounterId(id, place, currency)] : [])),
  );
}

function versionsIn(inForce: ControlsInForce | undefined): ControlsEnforced[] {
  return [inForce?.active, inForce?.shadow].flatMap((version) => version ?? []);
}

async function readPage(
  trx: Transaction,
  bookId: BookId,
  { after = BEFORE_ALL_IDS, limit, of }: Page & { of: string },
): Promise<StoredCounter[]> {
  const { rows } = await trx.query(
    `SELECT ${counters.selected()} FROM card_counters WHERE book_id = $1 AND id > $2::uuid AND ${of} ORDER BY id LIMIT $3`,
    [bookId, after, limit],
  );
  return rows.map((row) => counters.fromRow(row));
}

async function withCounted(
  trx: Transaction,
  bookId: BookId,
  found: readonly StoredCounter[],
): Promise<CounterHistory[]> {
  const timeZone = (await programs.find(trx, bookId, bookId))?.timeZone ?? 'UTC';
  const histories: CounterHistory[] = [];
  for (const counter of found)
    histories.push({ counter, counted: await countedOf(trx, bookId, { counter, timeZone }) });
  return histories;
}

async function countedOf(
  trx: Transaction,
  bookId: BookId,
  { counter, timeZone }: { counter: StoredCounter; timeZone: string },
): Promise<Counter | undefined> {
  if (counter.controlsId !== null) return countedOfLimit(trx, bookId, { counter, timeZone });
  if (counter.subjectId === bookId)
    return sumOfCounters(trx, bookId, { counter, subjects: await accountsWithCards(trx, bookId, counter.currency) });
  const lines = await linesOf(trx, bookId, counter.subjectId);
  return lines.length > 0
    ? sumOfCounters(trx, bookId, { counter, subjects: lines })
    : sumOfPurchases(trx, bookId, { counter, timeZone, scope: 'card', limit: null, version: null });
}

/** Undefined for a version that is no longer in force: its counters stand as they stood then. */
async function countedOfLimit(
  trx: Transaction,
  bookId: BookId,
  { counter, timeZone }: { counter: StoredCounter; timeZone: string },
): Promise<Counter | undefined> {
  const inForce = await controlsInForce.find(trx, bookId, counter.subjectId);
  const version = versionsIn(inForce).find(({ id }) => id === counter.controlsId);
  const limit = version?.content.limits[counter.place!];
  if (version === undefined || limit === undefined) return undefined;
  return sumOfPurchases(trx, bookId, { counter, timeZone, scope: version.scope, limit, version });
}

/** Empty for what is no account. */
async function linesOf(trx: Transaction, bookId: BookId, accountId: Uuid): Promise<Uuid[]> {
  const { rows } = await trx.query<{ id: Uuid }>(
    'SELECT DISTINCT line_id AS id FROM cards WHERE book_id = $1 AND account_id = $2',
    [bookId, accountId],
  );
  return rows.map(({ id }) => id);
}

async function accountsWithCards(trx: Transaction, bookId: BookId, currency: string): Promise<Uuid[]> {
  const { rows } = await trx.query<{ id: Uuid }>(
    'SELECT DISTINCT account_id AS id FROM cards WHERE book_id = $1 AND currency = $2',
    [bookId, currency],
  );
  return rows.map(({ id }) => id);
}

async function sumOfCounters(
  trx: Transaction,
  bookId: BookId,
  { counter, subjects }: { counter: StoredCounter; subjects: readonly Uuid[] },
): Promise<Counter> {
  const ids = subjects.map((subject) => scopeCounterId(subject, counter.currency));
  const below = [...(await counters.load(trx, bookId, ids)).values()];
  const inWindow = (window: 'day' | 'week' | 'month' | 'year'): WindowCount => {
    const { startsOn } = counter[window];
    const current = below.map((one) => one[window]).filter((one) => one.startsOn === startsOn);
    return { startsOn, ...sumOf(current) };
  };
  return {
    day: inWindow('day'),
    week: inWindow('week'),
    month: inWindow('month'),
    year: inWindow('year'),
    allTime: sumOf(below.map(({ allTime }) => allTime)),
    refunded: below.reduce((sum, { refunded }) => sum + refunded, 0n),
  };
}

function sumOf(counted: readonly { readonly amount: bigint; readonly count: bigint }[]) {
  return {
    amount: counted.reduce((sum, { amount }) => sum + amount, 0n),
    count: counted.reduce((sum, { count }) => sum + count, 0n),
  };
}
