import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/table.ts';
import { tableOf } from '../../ledger/table-of.ts';
import type { PaymentToken } from './payment-token.ts';

export const paymentTokens = tableOf<PaymentToken>({
  name: 'payment_tokens',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('status', 'text', { changes: true }),
    column('customer_reference', 'text', { filter: true }),
    column('acquirer', 'text'),
    column('acquirer_token', 'text', { cardNumber: 'exempt' }),
    column('card', 'jsonb'),
    column('verification', 'jsonb'),
    column('network_reference', 'text', { cardNumber: 'exempt' }),
    column('payment_id', 'uuid', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
