/** The rows of disputes. Every transition also takes back the mark of a row that was stuck: it has moved. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import { PORTIONS } from '../operations/payment-operation-table.ts';
import type { Dispute } from './dispute.ts';

export const disputes = tableOf<Dispute>({
  name: 'payment_disputes',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true, filter: true }),
    column('stage', 'code'),
    column('payment_id', 'uuid', { filter: true }),
    column('account_id', 'uuid', { filter: true }),
    column('amount', 'bigint'),
    column('currency', 'code'),
    column('fee', 'bigint', { changes: true }),
    column('fee_refunded', 'bigint', { changes: true }),
    column('reason', 'code'),
    column('reason_code', 'text', { cardNumber: 'masked', notPersonal: 'reference' }),
    column('acquirer', 'code'),
    column('acquirer_reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('notice_id', 'uuid'),
    column('told_at', 'timestamptz', { property: 'noticedAt' }),
    column('previous_dispute', 'uuid'),
    column('next_dispute', 'uuid', { changes: true }),
    column('evidence', 'jsonb', { personal: true, changes: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('evidence_due_at', 'timestamptz'),
    column('visit_at', 'timestamptz', { changes: true }),
    column('is_overdue', 'boolean', { changes: true }),
    column('pending_operation', 'uuid', { changes: true }),
    column('outcome', 'code', { changes: true }),
    column('next_inquiry_at', 'timestamptz', { changes: true }),
    column('failure_code', 'code', { changes: true }),
    column('portions', 'jsonb', { codec: PORTIONS, notPersonal: 'facts', changes: true, cardNumber: 'exempt' }),
    column('settled_at', 'timestamptz', { changes: true }),
    column('won_settled_at', 'timestamptz', { changes: true }),
    column('entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
