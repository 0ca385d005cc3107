import { column, instantArray, plainArray, rowsOf, textArray } from '../db/columns.ts';
import { type Log, WRITE_ORDER } from '../ledger/table.ts';
import type { InboundTransfer } from './receive-transfer.ts';

const INSERT_INBOUND_TRANSFERS = `INSERT INTO inbound_transfers (book_id, id, account_id, amount, currency, description, created_at)
  SELECT $1, ${rowsOf('uuid', 'uuid', 'bigint', 'text', 'text', 'timestamptz')}`;

export const inboundTransfers: Log<InboundTransfer> = {
  name: 'inbound_transfers',
  writeOrder: WRITE_ORDER.resources,
  async append(trx, bookId, rows) {
    await trx.query({
      name: 'inbound_transfers.append',
      text: INSERT_INBOUND_TRANSFERS,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        plainArray(column(rows, (row) => row.accountId)),
        plainArray(column(rows, (row) => row.amount)),
        textArray(column(rows, (row) => row.currency)),
        textArray(column(rows, (row) => row.description)),
        instantArray(column(rows, (row) => row.createdAt)),
      ],
    });
  },
};
