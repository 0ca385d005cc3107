/** The returns of a payout: rows that never change. The rail's notices are evidence (outside/evidence/evidence.ts). */

import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface PayoutReturn {
  readonly id: Uuid;
  readonly payoutId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  readonly reason: string | null;
  readonly entryId: Uuid;
  readonly createdAt: Instant;
}

/** A return has the rail's own id, so that a repeated notice is booked once, and an entry of its own. */
export const payoutReturns = tableOf<PayoutReturn>({
  name: 'payout_returns',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('payout_id', 'uuid'),
    column('amount', 'bigint'),
    column('currency', 'code'),
    column('reason', 'text', { cardNumber: 'masked', notPersonal: 'reference' }),
    column('entry_id', 'uuid'),
    column('created_at', 'timestamptz'),
  ],
});
