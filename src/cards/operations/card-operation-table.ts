/** The rows of operations. Every step also clears the mark of a row that was stuck: it has moved. */
import { column } from '../../db/declared-columns.ts';
import type { Resource } from '../../ledger/resources/resource.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import { CARD_OPERATION_TRANSITIONS, type CardOperation } from './card-operation.ts';

export const cardOperations = tableOf<CardOperation>({
  name: 'card_operations',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('card_id', 'uuid'),
    column('kind', 'code'),
    column('status', 'code', { changes: true }),
    column('processor', 'code'),
    column('reference', 'text', { notPersonal: 'reference' }),
    column('state', 'code'),
    column('state_version', 'integer'),
    column('closed_reason', 'code'),
    column('outcome', 'code', { changes: true }),
    column('inquiries', 'smallint', { changes: true }),
    column('next_inquiry_at', 'timestamptz', { changes: true }),
    column('sent_at', 'timestamptz'),
    column('failure_code', 'code', { changes: true }),
    column('processor_reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference', changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** How an operation moves. It is no resource of the API: no step has an event, and its card shows the outcome. */
export const movingOperation: Resource<CardOperation> = {
  name: 'card',
  noun: 'operation of a card',
  table: cardOperations,
  parent: { name: 'card', column: 'card_id' },
  events: [],
  books: false,
  changed: (operation, change) => ({ ...operation, ...change }),
  transitions: CARD_OPERATION_TRANSITIONS,
  view({ id }) {
    throw new TypeError(`Operation ${id} of a card has no view of its own`);
  },
};
