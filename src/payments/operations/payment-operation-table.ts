/** The rows of operations. Every transition also takes back the mark of a row that was stuck: it has moved. */
import { column, type RowOf } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { PaymentOperation, Portion } from './payment-operation.ts';

/** JSON has no bigint that every reader keeps: amounts of portions are stored as text. */
export interface StoredPortion {
  readonly share: string | null;
  readonly amount: string;
  readonly capture?: string;
}

type OperationRow = RowOf<Omit<PaymentOperation, 'portions' | 'of' | 'final'>> & {
  readonly portions: readonly StoredPortion[];
  readonly of_reference: string | null;
  readonly is_final: boolean;
};

export const paymentOperations = tableOf<PaymentOperation>({
  name: 'payment_operations',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('payment_id', 'uuid'),
    column('account_id', 'uuid'),
    column('kind', 'code'),
    column('status', 'code', { changes: true }),
    column('amount', 'bigint'),
    column('currency', 'code'),
    column('acquirer', 'code'),
    column('reference', 'text', { notPersonal: 'reference' }),
    column('of_reference', 'text', ({ of }) => of, { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('dispute_id', 'uuid'),
    column('token', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('is_final', 'boolean', ({ final }) => final),
    column('reason', 'text', { personal: true }),
    column('text_salt', 'bytea'),
    column('fee', 'bigint', { changes: true }),
    column('portions', 'jsonb', ({ portions }) => portions.map(storedPortion), {
      notPersonal: 'facts',
      changes: true,
      cardNumber: 'exempt',
    }),
    column('outcome', 'code', { changes: true }),
    column('inquiries', 'smallint', { changes: true }),
    column('next_inquiry_at', 'timestamptz', { changes: true }),
    column('sent_at', 'timestamptz'),
    column('payer_until', 'timestamptz', { changes: true }),
    column('withdrawn', 'boolean', { changes: true }),
    column('failure_code', 'code', { changes: true }),
    column('network_code', 'text', { cardNumber: 'masked', notPersonal: 'reference', changes: true }),
    column('acquirer_reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference', changes: true }),
    column('settled_at', 'timestamptz', { changes: true }),
    column('entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
    column('failure_settled_at', 'timestamptz', { changes: true }),
  ],
  fromRow: (row: OperationRow): PaymentOperation => ({
    id: row.id,
    paymentId: row.payment_id,
    accountId: row.account_id,
    kind: row.kind,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    acquirer: row.acquirer,
    reference: row.reference,
    of: row.of_reference,
    disputeId: row.dispute_id,
    token: row.token,
    final: row.is_final,
    reason: row.reason,
    textSalt: row.text_salt,
    fee: row.fee,
    portions: row.portions.map(readPortion),
    outcome: row.outcome,
    inquiries: row.inquiries,
    nextInquiryAt: row.next_inquiry_at,
    sentAt: row.sent_at,
    payerUntil: row.payer_until,
    withdrawn: row.withdrawn,
    failureCode: row.failure_code,
    networkCode: row.network_code,
    acquirerReference: row.acquirer_reference,
    settledAt: row.settled_at,
    failureSettledAt: row.failure_settled_at,
    entryIds: row.entry_ids,
    requestId: row.request_id,
    version: row.version,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }),
});

export const storedPortion = ({ shareId, amount, captureId }: Portion): StoredPortion => ({
  share: shareId,
  amount: String(amount),
  ...(captureId && { capture: captureId }),
});

export const readPortion = ({ share, amount, capture }: StoredPortion): Portion => ({
  shareId: share,
  amount: BigInt(amount),
  ...(capture && { captureId: capture }),
});
