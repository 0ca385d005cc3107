/** How far a book has taken its part of a clearing file. Written in the commits that take the lines, under the id of the part. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

/** Invariant: booked + known + exceptions = taken ≤ lines. */
export interface ClearingIntake {
  readonly id: Uuid;
  readonly processor: string;
  readonly lines: number;
  /** The first lines of the part: what comes behind them is still to be taken. */
  readonly taken: number;
  readonly booked: number;
  /** Lines whose message had been recorded before, from the API or another file. */
  readonly known: number;
  /** Left to people, and not booked. */
  readonly exceptions: number;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const clearingIntakes = tableOf<ClearingIntake>({
  name: 'clearing_intakes',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('processor', 'code'),
    column('lines', 'integer'),
    column('taken', 'integer', { changes: true }),
    column('booked', 'integer', { changes: true }),
    column('known', 'integer', { changes: true }),
    column('exceptions', 'integer', { changes: true }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
