/**
 * The rows of counters: one a scope and currency, and one a limit with a filter, version and currency. Every approved purchase changes
 * several, so that no index has a column that changes. Ids are derived: a command names a counter before there is one.
 */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { Counter } from './counter.ts';

export interface StoredCounter extends Counter {
  readonly id: Uuid;
  /** The line of a card, an account, or the book. */
  readonly subjectId: Uuid;
  /** Of a limit with a filter: its version of controls, and its place there. */
  readonly controlsId: Uuid | null;
  readonly place: number | null;
  readonly currency: string;
}

interface CounterRow {
  readonly id: Uuid;
  readonly subject_id: Uuid;
  readonly controls_id: Uuid | null;
  readonly place: number | null;
  readonly currency: string;
  readonly day: string;
  readonly day_amount: bigint;
  readonly day_count: bigint;
  readonly week: string;
  readonly week_amount: bigint;
  readonly week_count: bigint;
  readonly month: string;
  readonly month_amount: bigint;
  readonly month_count: bigint;
  readonly year: string;
  readonly year_amount: bigint;
  readonly year_count: bigint;
  readonly all_amount: bigint;
  readonly all_count: bigint;
  readonly refunded: bigint;
}

export const counters = tableOf<StoredCounter>({
  name: 'card_counters',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('subject_id', 'uuid'),
    column('controls_id', 'uuid'),
    column('place', 'smallint'),
    column('currency', 'code'),
    column('day', 'code', ({ day }) => day.startsOn, { changes: true }),
    column('day_amount', 'bigint', ({ day }) => day.amount, { changes: true }),
    column('day_count', 'bigint', ({ day }) => day.count, { changes: true }),
    column('week', 'code', ({ week }) => week.startsOn, { changes: true }),
    column('week_amount', 'bigint', ({ week }) => week.amount, { changes: true }),
    column('week_count', 'bigint', ({ week }) => week.count, { changes: true }),
    column('month', 'code', ({ month }) => month.startsOn, { changes: true }),
    column('month_amount', 'bigint', ({ month }) => month.amount, { changes: true }),
    column('month_count', 'bigint', ({ month }) => month.count, { changes: true }),
    column('year', 'code', ({ year }) => year.startsOn, { changes: true }),
    column('year_amount', 'bigint', ({ year }) => year.amount, { changes: true }),
    column('year_count', 'bigint', ({ year }) => year.count, { changes: true }),
    column('all_amount', 'bigint', ({ allTime }) => allTime.amount, { changes: true }),
    column('all_count', 'bigint', ({ allTime }) => allTime.count, { changes: true }),
    column('refunded', 'bigint', { changes: true }),
  ],
  fromRow: (row: CounterRow): StoredCounter => ({
    id: row.id,
    subjectId: row.subject_id,
    controlsId: row.controls_id,
    place: row.place,
    currency: row.currency,
    day: { startsOn: row.day, amount: row.day_amount, count: row.day_count },
    week: { startsOn: row.week, amount: row.week_amount, count: row.week_count },
    month: { startsOn: row.month, amount: row.month_amount, count: row.month_count },
    year: { startsOn: row.year, amount: row.year_amount, count: row.year_count },
    allTime: { amount: row.all_amount, count: row.all_count },
    refunded: row.refunded,
  }),
});

/** The counter of a scope: of a line of cards, an account or the book. */
export function scopeCounterId(subjectId: Uuid, currency: string): Uuid {
  return deriveId('card_counter', subjectId, currency);
}

/** The counter of a limit with a filter, by its place in its version. */
export function limitCounterId(controlsId: Uuid, place: number, currency: string): Uuid {
  return deriveId('card_counter', controlsId, String(place), currency);
}

/** Of a counter: what it counts. */
export type CountedOf = Pick<StoredCounter, 'id' | 'subjectId' | 'controlsId' | 'place' | 'currency'>;

/** The row of a counter as it has become. Written out: every purchase makes several. */
export function storedCounter(of: CountedOf, counter: Counter): StoredCounter {
  return {
    id: of.id,
    subjectId: of.subjectId,
    controlsId: of.controlsId,
    place: of.place,
    currency: of.currency,
    day: counter.day,
    week: counter.week,
    month: counter.month,
    year: counter.year,
    allTime: counter.allTime,
    refunded: counter.refunded,
  };
}
