import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { OwnAccount } from './own-account.ts';

/** Codes and names of a chart name no person, like an integrator's own references (the guides). */
export const ownAccounts = tableOf<OwnAccount>({
  name: 'own_accounts',
  key: 'account_id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('account_id', 'uuid'),
    column('code', 'text', { notPersonal: 'own_reference' }),
    column('name', 'text', { notPersonal: 'own_reference', changes: true }),
    column('type', 'code'),
    column('currency', 'code'),
    column('external_id', 'text', { notPersonal: 'own_reference' }),
    column('metadata', 'jsonb', { notPersonal: 'own_reference' }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
