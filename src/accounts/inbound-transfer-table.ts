import { column } from '../db/declared-columns.ts';
import { WRITE_ORDER } from '../ledger/rows/table.ts';
import { logOf } from '../ledger/rows/table-of.ts';
import type { InboundTransfer } from './inbound-transfer.ts';

export const inboundTransfers = logOf<InboundTransfer>({
  name: 'inbound_transfers',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('account_id', 'uuid'),
    column('amount', 'bigint'),
    column('currency', 'code'),
    column('description', 'text', { personal: true }),
    column('created_at', 'timestamptz'),
  ],
});
