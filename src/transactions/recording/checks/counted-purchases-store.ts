/** What the purchases of a scope use up now: the values that its counter should have. */
import type { ControlsEnforced, Scope } from '../../../cards/controls/controls.ts';
import { isFor, type Limit } from '../../../cards/controls/controls-content.ts';
import { type Counter, newCounter } from '../../../cards/counters/counter.ts';
import type { StoredCounter } from '../../../cards/counters/counter-table.ts';
import type { PurchaseFacts } from '../../../cards/purchase/purchase-facts.ts';
import type { Transaction } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';

interface Sums {
  readonly day: bigint;
  readonly days: bigint;
  readonly week: bigint;
  readonly weeks: bigint;
  readonly month: bigint;
  readonly months: bigint;
  readonly year: bigint;
  readonly years: bigint;
  readonly all: bigint;
  readonly alls: bigint;
  readonly refunded: bigint;
}

interface SumRow extends Sums {
  readonly kind: PurchaseFacts['kind'];
  readonly mcc: string;
  readonly country: string;
  readonly merchant_id: string;
  readonly entry_mode: PurchaseFacts['entryMode'];
}

export interface CountedPurchases {
  readonly counter: StoredCounter;
  readonly timeZone: string;
  readonly scope: Scope;
  /** The limit that counts for itself; null for the counter of the scope, which counts every purchase. */
  readonly limit: Limit | null;
  /** Of the version that has the limit: purchases that began before it are left out. */
  readonly version: Pick<ControlsEnforced, 'countedSince' | 'countedBehind'> | null;
}

/** $1: the book, $2: the subject. Indexes: cards_by_line with transactions_by_card, transactions_by_account, transactions_in_order. */
const OF_SCOPE: Readonly<Record<Scope, string>> = {
  card: `cards c JOIN transactions t ON t.book_id = c.book_id AND t.card_id = c.id WHERE c.book_id = $1 AND c.line_id = $2`,
  account: 'transactions t WHERE t.book_id = $1 AND t.account_id = $2',
  program: 'transactions t WHERE t.book_id = $1 AND t.book_id = $2',
};

/**
 * $9 and $10: when the version came into force, and with which event. A book's time never goes back, so what began behind the event began at
 * that time or later; of the first minutes the first message is looked up by transaction_messages_pkey.
 */
const BEGAN_BEHIND = `t.created_at >= COALESCE($9::timestamptz, '-infinity')
  AND ($10::bigint IS NULL OR t.created_at > $9::timestamptz + interval '5 minutes'
    OR (SELECT m.event_sequence FROM transaction_messages m WHERE m.book_id = t.book_id AND m.id = t.begun_by) > $10::bigint)`;

const WINDOWS = ['day', 'week', 'month', 'year'] as const;

const FACTS = { kinds: 'kind', mccs: 'mcc', countries: 'country', merchants: 'merchant_id', entryModes: 'entry_mode' };

/** Windows of the first use, in the program's time zone. Which purchases a filter is for is decided by isFor, once for those that are alike. */
export async function sumOfPurchases(
  trx: Transaction,
  bookId: BookId,
  { counter, timeZone, scope, limit, version }: CountedPurchases,
): Promise<Counter> {
  const { day, week, month, year, subjectId, currency } = counter;
  const asked = Object.keys(limit?.for ?? {}).map((member) => FACTS[member as keyof typeof FACTS]);
  // What the filter does not ask for is any of those that are alike.
  const facts = Object.values(FACTS).map((name) => (asked.includes(name) ? name : `min(${name}) AS ${name}`));
  const windows = WINDOWS.map((window, at) => sumOfWindow(window, `$${at + 4}`));
  const { rows } = await trx.query<SumRow>(
    `SELECT ${[...facts, ...windows].join(', ')}, COALESCE(sum(used), 0)::bigint AS "all",
       count(*) FILTER (WHERE used > 0) AS alls, COALESCE(sum(refunded), 0)::bigint AS refunded
     FROM (
       SELECT t.cleared + t.held AS used, t.refunded, t.first_used_at AT TIME ZONE $3 AS first_used,
         t.kind, t.mcc, t.country, t.merchant_id, t.entry_mode
       FROM ${OF_SCOPE[scope]} AND t.currency = $8 AND ${BEGAN_BEHIND}
     ) purchases ${asked.length > 0 ? `GROUP BY ${asked.join(', ')}` : ''}`,
    [
      ...[bookId, subjectId, timeZone, day.startsOn, week.startsOn, month.startsOn, year.startsOn, currency],
      version?.countedSince == null ? null : new Date(version.countedSince),
      version?.countedBehind ?? null,
    ],
  );
  return counterOf(
    counter,
    rows.filter((row) => limit === null || isFor(limit, factsOf(row))),
  );
}

function sumOfWindow(window: string, startsOn: string): string {
  const isIn = `date_trunc('${window}', first_used)::date = ${startsOn}::date`;
  return `COALESCE(sum(used) FILTER (WHERE ${isIn}), 0)::bigint AS ${window},
    count(*) FILTER (WHERE used > 0 AND ${isIn}) AS ${window}s`;
}

function factsOf({ kind, mcc, country, merchant_id: merchantId, entry_mode: entryMode }: SumRow): PurchaseFacts {
  return { kind, mcc, country, merchantId, acquirerId: null, entryMode };
}

function counterOf({ day, week, month, year }: StoredCounter, rows: readonly Sums[]): Counter {
  const sum = (member: keyof Sums) => rows.reduce((total, row) => total + row[member], 0n);
  const empty = newCounter({ day: day.startsOn, week: week.startsOn, month: month.startsOn, year: year.startsOn });
  return {
    day: { ...empty.day, amount: sum('day'), count: sum('days') },
    week: { ...empty.week, amount: sum('week'), count: sum('weeks') },
    month: { ...empty.month, amount: sum('month'), count: sum('months') },
    year: { ...empty.year, amount: sum('year'), count: sum('years') },
    allTime: { amount: sum('all'), count: sum('alls') },
    refunded: sum('refunded'),
  };
}
