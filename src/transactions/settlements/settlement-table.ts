/** The rows of scheme settlements. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

/**
 * What the scheme settles in one currency: the lines of the book's account `scheme_settlement` behind those of the settlement before it.
 * Invariant: the ranges of a currency follow each other without a gap, and `net` is the sum of the lines that are no settlement's own.
 */
export interface SchemeSettlement {
  readonly id: Uuid;
  readonly currency: string;
  readonly fromLine: bigint;
  readonly throughLine: bigint;
  /** Those that are no settlement's own. */
  readonly lines: bigint;
  /** Minor units: what is paid to the scheme; below zero it is ours to receive. */
  readonly net: bigint;
  readonly entryIds: readonly Uuid[];
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const schemeSettlements = tableOf<SchemeSettlement>({
  name: 'scheme_settlements',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('currency', 'code'),
    column('from_line', 'bigint'),
    column('through_line', 'bigint'),
    column('lines', 'bigint'),
    column('net', 'bigint'),
    column('entry_ids', 'jsonb', { notPersonal: 'facts' }),
    column('request_id', 'uuid'),
    column('version', 'integer'),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz'),
  ],
});
