import type { DeclaredResource } from '../../ledger/resources/declared-resource.ts';
import { transactionMessages } from './message-table.ts';

/** What entries of purchases name. Its events are those of its transaction. */
export const transactionMessageResource: DeclaredResource = {
  name: 'transaction_message',
  table: transactionMessages,
  parent: { name: 'transaction', column: 'transaction_id' },
  events: [],
  books: true,
  lineText: {
    of: { table: 'transactions', key: 'id', column: 'transaction_id' },
    counterparty: "p.merchant ->> 'name'",
  },
  phrase: 'event of a transaction',
};
