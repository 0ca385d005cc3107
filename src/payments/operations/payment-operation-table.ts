/** The rows of operations. Every transition also takes back the mark of a row that was stuck: it has moved. */
import { type Codec, column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { PaymentOperation, Portion } from './payment-operation.ts';

interface StoredPortion {
  readonly share: string | null;
  readonly amount: string;
  readonly capture?: string;
}

/** JSON has no bigint that every reader keeps: amounts are stored as text. */
export const PORTIONS: Codec<readonly Portion[]> = {
  store: (portions) =>
    portions.map(
      ({ shareId, amount, captureId }): StoredPortion => ({
        share: shareId,
        amount: String(amount),
        ...(captureId && { capture: captureId }),
      }),
    ),
  read: (stored: readonly StoredPortion[]) =>
    stored.map(({ share, amount, capture }) => ({
      shareId: share,
      amount: BigInt(amount),
      ...(capture && { captureId: capture }),
    })),
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
    column('of_reference', 'text', { property: 'of', cardNumber: 'exempt', notPersonal: 'reference' }),
    column('dispute_id', 'uuid'),
    column('token', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('is_final', 'boolean', { property: 'final' }),
    column('reason', 'text', { personal: true }),
    column('text_salt', 'bytea'),
    column('fee', 'bigint', { changes: true }),
    column('portions', 'jsonb', { codec: PORTIONS, notPersonal: 'facts', changes: true, cardNumber: 'exempt' }),
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
    column('release_schedule', 'code', { changes: true }),
  ],
});
