/** Expires holds: the remainder of a hold that is over is the account's again. */

import { keyedByUuid } from '../../db/keyed-table.ts';
import type { Appointment } from '../../group/appointment.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId, publicId } from '../../values/ids.ts';
import { type AccountHold, isOver } from './account-hold.ts';
import { accountHoldResource } from './account-hold-resource.ts';
import { accountHolds } from './account-hold-table.ts';

export const movedHolds: MovedRows = {
  kind: 'hold',
  table: keyedByUuid(accountHolds.name, 'id'),
  open: ['open'],
  due: [
    {
      name: 'holds that expire',
      status: 'open',
      pool: 'ledger',
      job: 'hold.expire',
      againMs: 30_000, // beyond the 10 s that a command may wait for its book
    },
  ],
  overdue: {
    waitsSince: 'expires_at',
    finding: {
      check: 'hold.overdue',
      expected: 'expired',
      detail: 'Nobody expires this hold, and no bug has stopped it.',
      ids: ([id]) => ({ hold: publicId('hold', id!) }),
    },
  },
  shownId: (id) => publicId('hold', id),
};

export const holdExpiry: Appointment = {
  name: 'holds that expire',
  rows: movedHolds,
  status: 'open',
  column: 'expires_at',
  pool: 'ledger',
  job: 'hold.expire',
  async command(pool, bookId, ids) {
    return expireHolds([...(await accountHolds.load(pool, bookId, ids)).values()]);
  },
};

/** Answers with how many expired. Those that are not over yet stay unchanged. */
export function expireHolds(known: readonly AccountHold[]): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const ids = known.map(({ id }) => id);
  return {
    ...origin,
    name: 'hold.expire',
    touches: [
      { table: accountHolds, ids },
      { table: holds, ids },
      { table: accounts, ids: [...new Set(known.map(({ accountId }) => accountId))] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let expired = 0;
      for (const id of draft.each(ids)) {
        const hold = draft.get(accountHolds, id);
        if (!hold || !isOver(hold, moment.book)) continue;
        expireHold(draft, hold);
        expired++;
      }
      return draft.finish(expired);
    },
  };
}

/** open → expired. */
export function expireHold(draft: Draft, hold: AccountHold): AccountHold {
  draft.takeFromHold(hold.id, 'expired');
  return advance(draft, accountHoldResource, hold, { status: 'expired', dueAt: null }, { event: 'hold.expired' });
}
