/** The rows of payouts. Every step also clears the marks of a row that was stuck or paused: it has moved. */
import { column, type RowOf } from '../../db/declared-columns.ts';
import { hasText, newSalt } from '../../ledger/rows/personal-text.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import { packIds, unpackIds } from '../../values/ids.ts';
import {
  type DestinationRow,
  destinationColumns,
  destinationFromRow,
  outsideOf,
} from '../destinations/destination-columns.ts';
import type { Payout } from './payout.ts';

/** Until it is final, each call to its rail names the destination. */
const IS_UNDER_WAY = "status NOT IN ('paid', 'failed', 'canceled', 'returned', 'rejected')";

export const payouts = tableOf<Payout>({
  name: 'payouts',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL, paused_at = NULL',
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true, filter: true }),
    column('account_id', 'uuid', { filter: true }),
    column('hold_id', 'uuid'),
    column('unheld', 'boolean', { changes: true }),
    column('amount', 'bigint'),
    column('fee', 'bigint'),
    column('amount_returned', 'bigint', { changes: true }),
    column('returns', 'smallint', { changes: true }),
    column('currency', 'code'),
    column('rail', 'code', { changes: true }),
    ...destinationColumns<Payout>({ neededWhile: IS_UNDER_WAY }),
    column('destination_account_sealed', 'bytea', (payout) => outsideOf(payout)?.accountSealed ?? null, {
      sealed: true,
      personal: true,
      neededWhile: IS_UNDER_WAY,
    }),
    column('payee_id', 'uuid', ({ payee }) => payee?.id ?? null),
    column('payee_version', 'integer', ({ payee }) => payee?.version ?? null),
    column('description', 'text', { personal: true, changes: true }),
    column('remittance', 'text', { personal: true, changes: true }),
    column('purpose_code', 'code', { changes: true }),
    column('external_id', 'text', { notPersonal: 'own_reference', filter: true, changes: true }),
    column('metadata', 'jsonb', { personal: true, changes: true }),
    column('reason', 'text', { personal: true, changes: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('approval', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('scheduled_for', 'timestamptz', { changes: true }),
    column('end_to_end_id', 'text', { notPersonal: 'reference' }),
    column('outcome', 'code', { changes: true }),
    column('inquiries', 'smallint', { changes: true }),
    column('next_inquiry_at', 'timestamptz', { changes: true }),
    column('sent_at', 'timestamptz', { changes: true }),
    column('failure_code', 'code', { changes: true }),
    column('rail_code', 'text', { cardNumber: 'masked', notPersonal: 'reference', changes: true }),
    column('rail_reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference', changes: true }),
    column('configuration', 'bytea', ({ configuration }) => configuration && Buffer.from(configuration, 'hex')),
    column('expected_arrival', 'timestamptz', { changes: true }),
    column('counted_on', 'code', { changes: true }),
    // A row has one of the two, by the version that wrote it: `first_event` shows which.
    column('entry_ids', 'jsonb', ({ firstEvent, entryIds }) => (firstEvent === null ? entryIds : null), {
      notPersonal: 'facts',
      changes: true,
    }),
    column(
      'packed_entry_ids',
      'bytea',
      ({ firstEvent, entryIds }) => (firstEvent === null ? null : packIds(entryIds)),
      {
        changes: true,
      },
    ),
    column('batch_id', 'uuid'),
    column('first_event', 'bigint', { changes: true }),
    column('first_form', 'smallint', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('paused_at', 'timestamptz'),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
  fromRow: payoutFromRow,
});

type PayoutRow = RowOf<Omit<Payout, 'destination' | 'payee' | 'entryIds' | 'configuration'>> &
  DestinationRow & {
    readonly configuration: Buffer | null;
    readonly entry_ids: Payout['entryIds'] | null;
    readonly packed_entry_ids: Buffer | null;
    readonly destination_account_sealed: Buffer | null;
    readonly payee_id: string | null;
    readonly payee_version: number | null;
  };

/** An object literal: a quarter of the time of a loop over the columns, and every step of a payout loads one (docs/decisions/declared-tables.md). */
function payoutFromRow(row: PayoutRow): Payout {
  return {
    id: row.id,
    status: row.status,
    accountId: row.account_id,
    holdId: row.hold_id,
    unheld: row.unheld,
    amount: row.amount,
    fee: row.fee,
    amountReturned: row.amount_returned,
    returns: row.returns,
    currency: row.currency,
    rail: row.rail,
    destination: destinationFromRow(row, row.destination_account_sealed),
    payee: row.payee_id === null ? null : { id: row.payee_id, version: row.payee_version! },
    description: row.description,
    remittance: row.remittance,
    purposeCode: row.purpose_code,
    externalId: row.external_id,
    metadata: row.metadata,
    reason: row.reason,
    // A row from before texts were kept apart has no salt. It never changes: each event has texts of its own then.
    textSalt: row.text_salt ?? (hasText(row) ? newSalt() : null),
    approval: row.approval,
    scheduledFor: row.scheduled_for,
    endToEndId: row.end_to_end_id,
    outcome: row.outcome,
    inquiries: row.inquiries,
    nextInquiryAt: row.next_inquiry_at,
    sentAt: row.sent_at,
    failureCode: row.failure_code,
    railCode: row.rail_code,
    railReference: row.rail_reference,
    configuration: row.configuration?.toString('hex') ?? null,
    expectedArrival: row.expected_arrival,
    countedOn: row.counted_on,
    entryIds: row.packed_entry_ids === null ? row.entry_ids! : unpackIds(row.packed_entry_ids),
    batchId: row.batch_id,
    firstEvent: row.first_event,
    firstForm: row.first_form,
    requestId: row.request_id,
    version: row.version,
    pausedAt: row.paused_at,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
