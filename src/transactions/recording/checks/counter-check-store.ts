/**
 * Counters with what they should have counted, as of one moment. That of a line is the sum of its purchases, that of an account the sum of
 * its lines, that of the book the sum of its accounts: none of them reads more than what is directly below it.
 */
import { type Counter, newCounter, type WindowCount } from '../../../cards/counters/counter.ts';
import { counters, type StoredCounter, scopeCounterId } from '../../../cards/counters/counter-table.ts';
import { programs } from '../../../cards/program/program-table.ts';
import type { Pool, Transaction } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import type { BookId } from '../../../ledger/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';

export interface CounterHistory {
  readonly counter: StoredCounter;
  /** Undefined for a limit with a filter, which counts from a moment of its own on. */
  readonly counted: Counter | undefined;
}

/** A page in the order of ids. Indexes: card_counters_pkey, cards_by_line, cards_by_account, transactions_by_card. */
export function readCounterHistories(
  pool: Pool,
  bookId: BookId,
  { after = BEFORE_ALL_IDS, limit }: { after: Uuid | undefined; limit: number },
): Promise<CounterHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query(
      `SELECT ${counters.selected()} FROM card_counters WHERE book_id = $1 AND id > $2::uuid ORDER BY id LIMIT $3`,
      [bookId, after, limit],
    );
    const timeZone = (await programs.find(trx, bookId, bookId))?.timeZone ?? 'UTC';
    const histories: CounterHistory[] = [];
    for (const row of rows) {
      const counter = counters.fromRow(row);
      histories.push({ counter, counted: await countedOf(trx, bookId, { counter, timeZone }) });
    }
    return histories;
  });
}

async function countedOf(
  trx: Transaction,
  bookId: BookId,
  { counter, timeZone }: { counter: StoredCounter; timeZone: string },
): Promise<Counter | undefined> {
  if (counter.controlsId !== null) return undefined;
  if (counter.subjectId === bookId)
    return sumOfCounters(trx, bookId, { counter, subjects: await accountsWithCards(trx, bookId, counter.currency) });
  const lines = await linesOf(trx, bookId, counter.subjectId);
  return lines.length > 0
    ? sumOfCounters(trx, bookId, { counter, subjects: lines })
    : sumOfPurchases(trx, bookId, { counter, timeZone });
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

interface SumRow {
  day: bigint;
  days: bigint;
  week: bigint;
  weeks: bigint;
  month: bigint;
  months: bigint;
  year: bigint;
  years: bigint;
  all: bigint;
  alls: bigint;
  refunded: bigint;
}

/** Windows of the first use, in the program's time zone. */
async function sumOfPurchases(
  trx: Transaction,
  bookId: BookId,
  { counter, timeZone }: { counter: StoredCounter; timeZone: string },
): Promise<Counter> {
  const { day, week, month, year } = counter;
  const { rows } = await trx.query<SumRow>(
    `SELECT ${['day', 'week', 'month', 'year']
      .map(
        (
          window,
          at,
        ) => `COALESCE(sum(used) FILTER (WHERE date_trunc('${window}', first_used)::date = $${at + 4}::date), 0)::bigint AS ${window},
          count(*) FILTER (WHERE used > 0 AND date_trunc('${window}', first_used)::date = $${at + 4}::date) AS ${window}s`,
      )
      .join(', ')}, COALESCE(sum(used), 0)::bigint AS "all", count(*) FILTER (WHERE used > 0) AS alls,
      COALESCE(sum(refunded), 0)::bigint AS refunded
     FROM (
       SELECT t.cleared + t.held AS used, t.refunded, t.first_used_at AT TIME ZONE $3 AS first_used
       FROM cards c JOIN transactions t ON t.book_id = c.book_id AND t.card_id = c.id
       WHERE c.book_id = $1 AND c.line_id = $2
     ) purchases`,
    [bookId, counter.subjectId, timeZone, day.startsOn, week.startsOn, month.startsOn, year.startsOn],
  );
  const sums = rows[0]!;
  const empty = newCounter({ day: day.startsOn, week: week.startsOn, month: month.startsOn, year: year.startsOn });
  return {
    day: { ...empty.day, amount: sums.day, count: sums.days },
    week: { ...empty.week, amount: sums.week, count: sums.weeks },
    month: { ...empty.month, amount: sums.month, count: sums.months },
    year: { ...empty.year, amount: sums.year, count: sums.years },
    allTime: { amount: sums.all, count: sums.alls },
    refunded: sums.refunded,
  };
}
