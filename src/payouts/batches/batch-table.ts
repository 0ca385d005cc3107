/** The rows of batches, and what was uploaded before. */
import { type Codec, column, HEX_OR_NULL } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BatchTotal, PayingAccount, PayoutBatch } from './batch.ts';

/** JSON of a row has amounts as texts: the driver would round a number. */
const TOTALS: Codec<unknown> = {
  store: (totals) =>
    (totals as readonly BatchTotal[] | undefined)?.map((one) => ({
      ...one,
      amount: `${one.amount}`,
      fee: `${one.fee}`,
    })),
  read: (stored) =>
    (stored as readonly { currency: string; amount: string; fee: string }[]).map((one) => ({
      currency: one.currency,
      amount: BigInt(one.amount),
      fee: BigInt(one.fee),
    })),
};

const PAYING_ACCOUNTS: Codec<unknown> = {
  store: (payingAccounts) =>
    (payingAccounts as readonly PayingAccount[] | undefined)?.map((one) => ({ ...one, amount: `${one.amount}` })),
  read: (stored) =>
    (stored as readonly (Omit<PayingAccount, 'amount'> & { amount: string })[]).map((one) => ({
      accountId: one.accountId,
      currency: one.currency,
      amount: BigInt(one.amount),
      holdId: one.holdId,
      isDefault: one.isDefault,
    })),
};

export const payoutBatches = tableOf<PayoutBatch>({
  name: 'payout_batches',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true, filter: true }),
    column('sha256', 'bytea', { codec: HEX_OR_NULL }),
    column('items', 'integer'),
    column('made', 'integer', { changes: true }),
    column('last', 'integer', { changes: true }),
    column('totals', 'jsonb', { codec: TOTALS, notPersonal: 'facts' }),
    column('paying_accounts', 'jsonb', { codec: PAYING_ACCOUNTS, notPersonal: 'facts' }),
    column('held', 'boolean', { changes: true }),
    column('rails', 'jsonb', { notPersonal: 'facts' }),
    column('new_payees', 'boolean'),
    column('approval_requested', 'boolean'),
    column('approval', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('made_by', 'text', { notPersonal: 'actor' }),
    column('submitted_by', 'text', { notPersonal: 'actor', changes: true }),
    column('scheduled_for', 'timestamptz'),
    column('reason', 'text', { personal: true, changes: true }),
    column('external_id', 'text', { notPersonal: 'own_reference', filter: true }),
    column('metadata', 'jsonb', { personal: true, changes: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('configuration', 'bytea', { codec: HEX_OR_NULL }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** By the SHA-256 of what was uploaded: the first batch of it that was neither rejected nor canceled, and how many there are. */
export interface BatchContent {
  readonly sha256: string;
  readonly batchId: Uuid;
  readonly alive: number;
}

export const batchContents = tableOf<BatchContent>({
  name: 'payout_batch_contents',
  key: 'sha256',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('sha256', 'code'),
    column('batch_id', 'uuid', { changes: true }),
    column('alive', 'integer', { changes: true }),
  ],
});
