import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { PaymentToken } from './payment-token.ts';

export const paymentTokens = tableOf<PaymentToken>({
  name: 'payment_tokens',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('reusable', 'boolean'),
    column('customer_reference', 'text', { personal: true, filter: true }),
    column('text_salt', 'bytea'),
    column('acquirer', 'code'),
    column('acquirer_token', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('card', 'jsonb', { notPersonal: 'masked' }),
    column('verification', 'jsonb', { notPersonal: 'facts' }),
    column('network_reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('payment_id', 'uuid', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
