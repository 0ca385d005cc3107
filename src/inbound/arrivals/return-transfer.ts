/** Money that arrived and that the bank has taken back: customer → pool, whatever the account has left of it. Below its floor, an exception shows it. */
import { accountTouches } from '../../accounts/account/account-resource.ts';
import type { InboundTransfer } from '../../accounts/inbound-transfers/inbound-transfer.ts';
import { inboundTransferResource } from '../../accounts/inbound-transfers/inbound-transfer-resource.ts';
import { inboundTransfers } from '../../accounts/inbound-transfers/inbound-transfer-table.ts';
import { openException } from '../../exceptions/open-exception.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId, type Uuid } from '../../values/ids.ts';

interface ReturnTransfer {
  readonly bookId: BookId;
  /** As it was read: its account, amount and currency never change. */
  readonly transfer: Pick<InboundTransfer, 'id' | 'accountId' | 'amount' | 'currency'>;
  readonly requestId: Uuid;
  readonly actor: string;
}

/** Once. Answers with whether it is returned: an account that is closed refuses, and nothing is booked. */
export function returnTransfer({ bookId, transfer, requestId, actor }: ReturnTransfer): Command<boolean> {
  const origin = { id: newId(), requestId, actor };
  const { accountId, currency } = transfer;
  return {
    ...origin,
    name: 'inbound_transfer.return',
    touches: [
      ...accountTouches({ accountId, currency }),
      { table: accounts, ids: [chartAccountId(bookId, 'pool', currency)] },
      { table: inboundTransfers, ids: [transfer.id] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const known = draft.get(inboundTransfers, transfer.id);
      if (known?.status !== 'received') return draft.finish(known?.status === 'returned');
      const entry = draft.tryPost({
        ...({ resource: 'inbound_transfer', resourceId: known.id, step: 'returned' } as const),
        // The bank has taken it already.
        ...{ overrideFloor: true, allowFrozen: true },
        postings: [{ debit: known.accountId, credit: draft.chart('pool', currency).id, amount: known.amount }],
      });
      if (!('hash' in entry)) return new Draft(state, origin, moment).finish(false);
      const change = { status: 'returned', returnEntryId: entry.id } as const;
      advance(draft, inboundTransferResource, known, change, { event: 'inbound_transfer.returned', entries: [entry] });
      if (entry.floorOverridden)
        openException(draft, {
          ...{ id: draft.mintId(), kind: 'recalled_below_zero', resource: 'inbound_transfer', resourceId: known.id },
          detail: `The bank took back ${known.amount} ${currency} that had arrived, and the account lacks some of it.`,
        });
      return draft.finish(true);
    },
  };
}
